package install

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/internal/msg"
	"react-agent/internal/ordinary"
	"react-agent/kit/skill"
)

const skillFile = "SKILL.md"

// Found is a skill inside a source.
type Found struct {
	Name, Description string
	// Path is its folder within the source, with slashes; "." is the source itself.
	Path string
	// Plugin is the name of the plugin that lists it, if one does.
	Plugin string
	// Internal ones are meant for the source's own authors; they are found only by name.
	Internal bool
	// Digest is what a site's index says of it; empty for other sources.
	Digest string
	// Base is the address of its files at a site.
	Base string

	dir string // on the disk
}

// Skipped is something that looks like a skill and cannot be installed.
type Skipped struct {
	Name   string // "" if it could not be read
	Path   string // of its SKILL.md within the source
	Reason error
}

// The bounds of a search.
const (
	searchLevels = 5
	nestLevels   = 3
	maxSearched  = 20_000 // directories
	maxSkills    = 2_000
)

// discover finds the skills below dir/sub. names are the skills that somebody asked for; only they may be internal.
func discover(ctx context.Context, dir, sub string, internal bool) ([]Found, []Skipped, error) {
	d := &discovery{
		ctx: ctx, dir: dir, internal: internal, seen: map[string]bool{}, read: map[string]bool{},
		locked: ownLock(dir),
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = root.Close() }()
	d.root = root
	start := path.Clean(sub)
	if sub == "" {
		start = "."
	}
	info, err := root.Stat(start)
	if err != nil || !info.IsDir() {
		return nil, nil, msg.Errorf(msg.InstallNoSub, sub)
	}
	d.plugins = d.manifests(start)
	d.search(start)
	if d.err == nil {
		d.err = ctx.Err()
	}
	return d.found, d.skipped, d.err
}

type discovery struct {
	ctx      context.Context //nolint:containedctx // of the one call
	dir      string
	root     *os.Root
	internal bool
	seen     map[string]bool // names
	read     map[string]bool // paths of SKILL.md
	locked   []string        // names that the source itself has installed from elsewhere
	plugins  map[string]string
	extra    []string // folders that a plugin names
	looked   int
	found    []Found
	skipped  []Skipped
	err      error
}

// ownLock lists what the source's own lock file names: those skills are somebody else's.
func ownLock(dir string) []string {
	l, err := readLock(ProjectPlace(dir))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range l.entries {
		out = append(out, e.key)
	}
	return out
}

func (d *discovery) search(start string) {
	if d.hasSkill(start) {
		d.try(start)
		if len(d.found) > 0 {
			return
		}
	}
	d.walk(start, 1, 1)
	for _, c := range containers() {
		d.walk(path.Join(start, c), 1, nestLevels)
	}
	for _, e := range d.extra {
		d.walk(e, 1, 1)
	}
	if len(d.found) == 0 {
		d.deep(start, 0)
	}
}

// containers are folders that usually hold skills.
func containers() []string {
	list := []string{"skills", "skills/.curated", "skills/.experimental", "skills/.system"}
	return append(list, agentFolders()...)
}

// skippedFolders hold nothing that somebody wrote.
func skippedFolders(name string) bool {
	switch name {
	case "node_modules", ".git", "dist", "build", "__pycache__":
		return true
	}
	return false
}

// folders lists the directories in one, no links, sorted.
func (d *discovery) folders(dir string) []string {
	if d.err != nil || d.ctx.Err() != nil {
		return nil
	}
	if d.looked++; d.looked > maxSearched {
		d.err = msg.Errorf(msg.InstallSearchBig, maxSearched)
		return nil
	}
	f, err := d.root.Open(dir)
	if err != nil {
		return nil // not there, or not ours to see
	}
	defer func() { _ = f.Close() }()
	entries, err := f.ReadDir(-1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	slices.Sort(out)
	return out
}

// walk looks into the folders of dir, some levels down; a skill ends the way down.
func (d *discovery) walk(dir string, level, most int) {
	for _, name := range d.folders(dir) {
		sub := path.Join(dir, name)
		if d.hasSkill(sub) {
			d.try(sub)
			continue
		}
		if level < most && !skippedFolders(name) {
			d.walk(sub, level+1, most)
		}
	}
}

// deep looks everywhere.
func (d *discovery) deep(dir string, level int) {
	if level > searchLevels {
		return
	}
	if d.hasSkill(dir) {
		d.try(dir)
	}
	for _, name := range d.folders(dir) {
		if !skippedFolders(name) {
			d.deep(path.Join(dir, name), level+1)
		}
	}
}

func (d *discovery) hasSkill(dir string) bool {
	info, err := d.root.Lstat(path.Join(dir, skillFile))
	return err == nil && !info.IsDir()
}

// try reads the skill in a folder.
func (d *discovery) try(dir string) {
	file := path.Join(dir, skillFile)
	if d.read[file] || len(d.found) >= maxSkills {
		return
	}
	d.read[file] = true
	f, err := readSkill(d.ctx, filepath.Join(d.dir, filepath.FromSlash(dir)))
	if err != nil {
		d.skipped = append(d.skipped, Skipped{Path: oneLine(file), Reason: err})
		return
	}
	f.Path, f.Plugin = dir, d.plugins[dir]
	if f.Internal && !d.internal || d.seen[f.Name] || d.foreign(dir, f.Name) {
		return
	}
	d.seen[f.Name] = true
	d.found = append(d.found, f)
}

// foreign says whether the source itself has this skill from elsewhere.
func (d *discovery) foreign(dir, name string) bool {
	if len(d.locked) == 0 || !slices.ContainsFunc(agentFolders(), func(a string) bool { return dir == a || strings.HasPrefix(dir, a+"/") }) {
		return false
	}
	return slices.ContainsFunc(d.locked, func(l string) bool { return sameName(l, name) || sameName(l, path.Base(dir)) })
}

// readSkill reads the header of the skill in a directory. What the loader would refuse is refused here, and a name must be
// written: the folder's is a matter of chance in a source.
func readSkill(ctx context.Context, dir string) (Found, error) {
	info, err := os.Lstat(filepath.Join(dir, skillFile))
	if err != nil {
		return Found{}, err
	}
	if !info.Mode().IsRegular() {
		return Found{}, msg.Errorf(msg.InstallNotAFile, skillFile, kindOf(info.Mode().Type()))
	}
	set, err := skill.Load(ctx, skill.Options{Roots: []skill.Root{{Path: dir, Scope: skill.Project, Within: dir}}})
	if err != nil {
		return Found{}, err
	}
	list := set.All()
	if len(list) != 1 {
		for _, n := range set.Diagnostics() {
			if n.Severity == skill.Error {
				return Found{}, n.Reason
			}
		}
		return Found{}, msg.Errorf(msg.InstallNoSkill)
	}
	k := list[0]
	if strings.TrimSpace(k.Fields["name"]) == "" {
		return Found{}, msg.Errorf(msg.InstallNoName)
	}
	return Found{Name: k.Name, Description: strings.Join(strings.Fields(k.Description), " "), Internal: k.Metadata["internal"] == "true", dir: dir}, nil
}

// manifests reads what plugins of the source say about skills: folders to look into, and which plugin a skill belongs to.
func (d *discovery) manifests(start string) map[string]string {
	out := map[string]string{}
	var market struct {
		Metadata struct {
			PluginRoot string `json:"pluginRoot"`
		} `json:"metadata"`
		Plugins []plugin `json:"plugins"`
	}
	if d.manifest(path.Join(start, ".claude-plugin/marketplace.json"), &market) {
		root := market.Metadata.PluginRoot
		if root == "" {
			root = "./"
		}
		for _, p := range market.Plugins {
			if src, ok := p.source(); ok && strings.HasPrefix(root, "./") {
				d.plugin(out, path.Join(start, root, src), p)
			}
		}
	}
	var one plugin
	if d.manifest(path.Join(start, ".claude-plugin/plugin.json"), &one) {
		d.plugin(out, start, one)
	}
	return out
}

type plugin struct {
	Name   string          `json:"name"`
	Source json.RawMessage `json:"source"`
	Skills []string        `json:"skills"`
}

// source is the plugin's folder; false: it lies elsewhere.
func (p plugin) source() (string, bool) {
	var s string
	if len(p.Source) == 0 {
		return "", true
	}
	if json.Unmarshal(p.Source, &s) != nil {
		return "", false
	}
	return s, strings.HasPrefix(s, "./")
}

func (d *discovery) manifest(file string, into any) bool {
	data, _, err := ordinary.ReadIn(d.root, file, 1<<20)
	return err == nil && json.Unmarshal(data, into) == nil
}

func (d *discovery) plugin(names map[string]string, base string, p plugin) {
	if !fs.ValidPath(base) {
		return
	}
	for _, s := range p.Skills {
		dir := path.Join(base, s)
		if !strings.HasPrefix(s, "./") || !fs.ValidPath(dir) {
			continue
		}
		if p.Name != "" {
			names[dir] = p.Name
		}
		d.extra = append(d.extra, path.Dir(dir))
	}
	d.extra = append(d.extra, path.Join(base, "skills"))
}
