package skill

import (
	"bytes"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"react-agent/internal/msg"
	"react-agent/internal/ordinary"
)

// The bounds of what is looked at in a skill's folder.
const (
	maxLinted   = 2000    // files
	maxLintSize = 1 << 20 // bytes of a file
)

// folder looks at every file of the skill's folder, those that are hidden too.
func (x *linter) folder() {
	root, err := os.OpenRoot(x.skill.Dir)
	if err != nil {
		return // the loader has read a file there a moment ago
	}
	defer func() { _ = root.Close() }()
	n := 0
	_ = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error { // what is wrong is noted
		if err != nil {
			x.unreadable(p, err)
			return nil
		}
		if d.IsDir() {
			switch d.Name() {
			case ".git", "node_modules", "__pycache__":
				return fs.SkipDir
			}
			return nil
		}
		if n++; n > maxLinted {
			x.note(NotChecked, Warn, x.skill.Dir, 0, msg.Errorf(msg.LintManyFiles, maxLinted), msg.Errorf(msg.LintFixManyFiles))
			return fs.SkipAll
		}
		x.file(root, p, d)
		return nil
	})
}

func (x *linter) at(p string) string { return filepath.Join(x.skill.Dir, filepath.FromSlash(p)) }

func (x *linter) unreadable(p string, err error) {
	x.note(Unreadable, Warn, x.at(p), 0, msg.Errorf(msg.SkillUnreadable, cause(err)), msg.Errorf(msg.SkillFixUnreadable))
}

func (x *linter) file(root *os.Root, p string, d fs.DirEntry) {
	info, err := root.Stat(p)
	if err != nil {
		if d.Type()&fs.ModeSymlink != 0 {
			target, _ := os.Readlink(x.at(p)) // the name alone will do
			x.note(LinkEscapes, Error, x.at(p), 0, msg.Errorf(msg.SkillLinkEscapes, target), msg.Errorf(msg.LintFixLeaves))
			return
		}
		x.unreadable(p, err)
		return
	}
	switch {
	case !info.Mode().IsRegular():
		return
	case info.Size() > maxLintSize:
		x.note(NotChecked, Hint, x.at(p), 0, msg.Errorf(msg.LintUnread, maxLintSize>>10), msg.Errorf(msg.LintFixUnread))
		return
	}
	data, err := readBounded(root, p)
	if err != nil {
		x.unreadable(p, err)
		return
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return
	}
	text := strings.ToValidUTF8(string(data), "\uFFFD")
	x.secrets(x.at(p), text)
	x.script(p, text, info)
	if strings.EqualFold(path.Ext(p), ".md") {
		x.links(root, p, text)
	}
}

func readBounded(root *os.Root, p string) ([]byte, error) {
	data, _, err := ordinary.ReadIn(root, p, maxLintSize)
	return data, err
}

// script looks at what the system would run.
func (x *linter) script(p, text string, info fs.FileInfo) {
	marked := strings.HasPrefix(text, "#!")
	ext := strings.ToLower(path.Ext(p))
	if !marked && ext != ".sh" && ext != ".bash" {
		return
	}
	if before, _, found := strings.Cut(text, "\r\n"); found {
		x.note(ScriptCRLF, Error, x.at(p), strings.Count(before, "\n")+1, msg.Errorf(msg.LintCRLF), msg.Errorf(msg.LintFixCRLF))
	}
	if marked && info.Mode()&0o111 == 0 && runtime.GOOS != "windows" {
		x.note(NotExecutable, Warn, x.at(p), 1, msg.Errorf(msg.LintNotExec), msg.Errorf(msg.LintFixExec))
	}
}

// links looks at the links of a Markdown file that mean files. Examples between backticks are left alone.
func (x *linter) links(root *os.Root, p, text string) {
	fence := ""
	n := 0
	for line := range strings.Lines(text) {
		n++
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]) == "" {
				fence = ""
			}
			continue
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))]
			continue
		case !strings.Contains(line, "]("):
			continue
		}
		for _, m := range x.find.link.FindAllStringSubmatch(x.find.code.ReplaceAllString(line, "``"), -1) {
			x.link(root, p, n, m[1])
		}
	}
}

// link looks at one target. What has no dot and no slash is the name of nothing in particular, as in an example.
func (x *linter) link(root *os.Root, p string, line int, target string) {
	file, _, _ := strings.Cut(target, "#")
	file, _, _ = strings.Cut(file, "?")
	if !strings.ContainsAny(file, "./") || strings.HasPrefix(file, "/") || strings.ContainsAny(file, "{}$*:…") {
		return // elsewhere: an address, another place of the page, something to be filled in
	}
	if plain, err := url.PathUnescape(file); err == nil {
		file = plain
	}
	to := path.Join(path.Dir(p), file)
	if !filepath.IsLocal(filepath.FromSlash(to)) {
		x.note(LinkLeaves, Warn, x.at(p), line, msg.Errorf(msg.LintLinkLeaves, target), msg.Errorf(msg.LintFixLeaves))
		return
	}
	if _, err := root.Stat(to); err != nil {
		x.note(LinkBroken, Error, x.at(p), line, msg.Errorf(msg.LintLink, target), msg.Errorf(msg.LintFixLink))
	}
}
