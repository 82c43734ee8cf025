package rewind

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// git asks the person's repository. Nothing of it is changed, and none of the programs that its configuration may name
// is started.
type git struct {
	root string
	own  string // directory of the repository of linked objects
}

func (g *git) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"}, args...)...)
	cmd.Dir = g.root
	cmd.Env = append(cmd.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C")
	cmd.WaitDelay = time.Second
	return cmd
}

// ownCommand asks the repository of linked objects.
func (g *git) ownCommand(ctx context.Context, args ...string) *exec.Cmd {
	cmd := g.command(ctx, append([]string{"--git-dir=" + g.own}, args...)...)
	cmd.Dir = g.own
	return cmd
}

// repository tells by which repository the work directory is ruled, as a text that changes when its own rules do; "": by
// none, because there is no git, no repository, or because it is ignored as a whole.
func (g *git) repository(ctx context.Context) string {
	top := g.root
	for {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			break
		}
		up := filepath.Dir(top)
		if up == top {
			return ""
		}
		top = up
	}
	if g.command(ctx, "rev-parse", "--is-inside-work-tree").Run() != nil || g.command(ctx, "check-ignore", "-q", ".").Run() == nil {
		return ""
	}
	return top
}

// rules tells when the rules of a repository change that are no files of the work directory.
func rules(top string) string {
	if top == "" {
		return ""
	}
	for _, file := range []string{".git/info/exclude", ".git"} {
		if info, err := os.Stat(filepath.Join(top, file)); err == nil && info.Mode().IsRegular() {
			return top + " " + info.ModTime().UTC().Format(time.RFC3339Nano)
		}
	}
	return top
}

// tracked gives the names of the contents that git has for the files of the work directory.
func (g *git) tracked(ctx context.Context) map[name]string {
	out, err := g.command(ctx, "ls-files", "-s", "-z").Output()
	if err != nil {
		return nil // then everything is copied
	}
	files := map[name]string{}
	for line := range bytes.SplitSeq(out, []byte{0}) {
		head, path, ok := bytes.Cut(line, []byte{'\t'})
		f := strings.Fields(string(head)) // mode, name, stage
		if ok && len(f) == 3 && f[2] == "0" && len(f[1]) == 40 && strings.HasPrefix(f[0], "100") {
			files[name(path)] = f[1]
		}
	}
	return files
}

// link makes contents of the person's repository our own, by links to git's objects, which git never changes in place.
// It gives those that can be read from now on.
func (g *git) link(ctx context.Context, oids []string) (map[string]bool, error) {
	if err := g.makeOwn(); err != nil {
		return nil, err
	}
	sources := g.stores(ctx)
	packs := false
	for _, oid := range oids {
		packs = !linkLoose(sources, filepath.Join(g.own, "objects"), oid) || packs
	}
	if packs {
		for _, dir := range sources {
			linkPacks(filepath.Join(dir, "pack"), filepath.Join(g.own, "objects", "pack"))
		}
	}
	return g.readable(ctx, oids)
}

func (g *git) makeOwn() error {
	for _, dir := range []string{"objects/pack", "refs"} {
		if err := os.MkdirAll(filepath.Join(g.own, dir), 0o700); err != nil {
			return err
		}
	}
	head := filepath.Join(g.own, "HEAD")
	if _, err := os.Lstat(head); err == nil {
		return nil
	}
	return os.WriteFile(head, []byte("ref: refs/heads/none\n"), 0o600)
}

// stores lists the directories in which the repository has objects.
func (g *git) stores(ctx context.Context) []string {
	out, err := g.command(ctx, "rev-parse", "--git-path", "objects").Output()
	if err != nil {
		return nil
	}
	dir := strings.TrimSuffix(string(out), "\n")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(g.root, dir)
	}
	list := []string{dir}
	more, err := os.ReadFile(filepath.Join(dir, "info", "alternates"))
	if err != nil {
		return list
	}
	for line := range strings.Lines(string(more)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(dir, line)
		}
		list = append(list, line)
	}
	return list
}

// linkObject links a file that nobody may write to.
func linkObject(from, to string) bool {
	info, err := os.Lstat(from)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o222 != 0 {
		return false
	}
	err = os.Link(from, to)
	return err == nil || errors.Is(err, os.ErrExist)
}

func linkLoose(sources []string, own, oid string) bool {
	to := filepath.Join(own, oid[:2], oid[2:])
	if _, err := os.Lstat(to); err == nil {
		return true
	}
	if os.MkdirAll(filepath.Dir(to), 0o700) != nil {
		return false
	}
	for _, dir := range sources {
		if linkObject(filepath.Join(dir, oid[:2], oid[2:]), to) {
			return true
		}
	}
	return false
}

func linkPacks(from, to string) {
	files, err := os.ReadDir(from)
	if err != nil {
		return
	}
	for _, ext := range []string{".pack", ".idx"} { // an index without its pack would be a fault
		for _, f := range files {
			if base, ok := strings.CutSuffix(f.Name(), ext); ok {
				if ext == ".pack" || exists(filepath.Join(to, base+".pack")) {
					linkObject(filepath.Join(from, f.Name()), filepath.Join(to, f.Name()))
				}
			}
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// readable tells which objects our own repository has.
func (g *git) readable(ctx context.Context, oids []string) (map[string]bool, error) {
	cmd := g.ownCommand(ctx, "cat-file", "--batch-check")
	cmd.Stdin = strings.NewReader(strings.Join(oids, "\n") + "\n")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	have := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 3 && f[1] == "blob" {
			have[f[0]] = true
		}
	}
	return have, nil
}

// copyTo writes the content of an object and checks it against our own sum.
func (g *git) copyTo(ctx context.Context, w io.Writer, oid, sum string) error {
	cmd := g.ownCommand(ctx, "cat-file", "blob", oid)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w: it is in git, and git cannot be run: %w", errLost, err)
	}
	err = checked(w, out, sum)
	if waitErr := cmd.Wait(); waitErr != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: git no longer has the object %s", errLost, oid)
	}
	return err
}

// asker asks git which paths it ignores: one process for a whole scan, started at the first question.
type asker struct {
	g   *git
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	bad bool // git gave up: then nothing is ignored

	asked int
	seen  map[string]bool // what git does not ignore, with the directories above; nil until there is much to ask
}

// knows reports whether git has said of a path, or of one below it, that it is not ignored: then it need not be asked. It lists
// all of those sooner than it answers for a thousand.
func (a *asker) knows(ctx context.Context, p string) bool {
	if a.asked < 64 {
		return false
	}
	if a.seen == nil {
		a.seen = map[string]bool{}
		out, err := a.g.command(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
		if err != nil {
			return false
		}
		for f := range strings.SplitSeq(string(out), "\x00") {
			for f = strings.TrimSuffix(f, "/"); f != "" && f != "." && !a.seen[f]; f = path.Dir(f) {
				a.seen[f] = true
			}
		}
	}
	return a.seen[p]
}

// ignored answers for paths relative to the work directory.
func (a *asker) ignored(ctx context.Context, paths []string) []bool {
	answer := make([]bool, len(paths))
	if a.bad || !a.start(ctx) {
		return answer
	}
	a.asked += len(paths)
	var ask []int
	for i, p := range paths {
		if !a.knows(ctx, p) {
			ask = append(ask, i)
		}
	}
	sent := make(chan error, 1)
	go func() {
		w := bufio.NewWriter(a.in)
		for _, i := range ask {
			_, _ = w.WriteString("./" + paths[i]) // a colon at the beginning would mean something
			_ = w.WriteByte(0)
		}
		sent <- w.Flush()
	}()
	for _, i := range ask {
		pattern, err := a.reply()
		if err != nil {
			a.bad = true
			_ = a.cmd.Process.Kill() // or the other end might wait for us
			break
		}
		answer[i] = pattern != "" && !strings.HasPrefix(pattern, "!")
	}
	if <-sent != nil {
		a.bad = true
	}
	return answer
}

// reply reads source, line, pattern and path, and gives the pattern.
func (a *asker) reply() (pattern string, err error) {
	for i := range 4 {
		field, err := a.out.ReadString(0)
		if err != nil {
			return "", err
		}
		if i == 2 {
			pattern = strings.TrimSuffix(field, "\x00")
		}
	}
	return pattern, nil
}

func (a *asker) start(ctx context.Context) bool {
	if a.cmd != nil {
		return true
	}
	cmd := a.g.command(ctx, "check-ignore", "--stdin", "-z", "-v", "-n")
	in, err := cmd.StdinPipe()
	if err != nil {
		a.bad = true
		return false
	}
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		a.bad = true
		return false
	}
	a.cmd, a.in, a.out = cmd, in, bufio.NewReader(out)
	return true
}

func (a *asker) close() {
	if a.cmd != nil {
		_ = a.in.Close()
		_ = a.cmd.Wait() // it says 1 when nothing was ignored
	}
}

// objectMap remembers which contents are in git: lines of {sum, oid}.
type objectMap struct {
	file tail
	oids map[string]string
}

type objectLine struct {
	Sum string `json:"sum"`
	OID string `json:"oid"`
}

func (m *objectMap) add(pairs []objectLine) error {
	var lines []any
	for _, p := range pairs {
		if m.oids[p.Sum] == "" {
			m.oids[p.Sum] = p.OID
			lines = append(lines, p)
		}
	}
	return m.file.add(lines...)
}
