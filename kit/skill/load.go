package skill

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"react-agent/internal/msg"
	"react-agent/internal/ordinary"
)

// Load finds and reads the skills of all roots. What is wrong with one never keeps the others away; the error says only
// that ctx ended.
func Load(ctx context.Context, o Options) (*Set, error) {
	o = o.withDefaults()
	s := &Set{o: o, byKey: map[string]*Skill{}}
	o.Roots = ranked(o.Roots)
	var found []candidate
	for i := range o.Roots {
		found = append(found, search(ctx, &o.Roots[i])...)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("skills: %w", err)
	}
	skills := s.readAll(found)
	for i, k := range skills {
		if k != nil {
			s.add(&found[i], k)
		}
	}
	for _, k := range s.byKey {
		s.list = append(s.list, k)
	}
	slices.SortFunc(s.list, func(a, b *Skill) int { return strings.Compare(a.key, b.key) })
	return s, nil
}

// readAll reads the headers, some at a time. nil is no skill and nothing to tell of.
func (s *Set) readAll(found []candidate) []*Skill {
	out := make([]*Skill, len(found))
	next := make(chan int, len(found))
	for i := range found {
		next <- i
	}
	close(next)
	var wg sync.WaitGroup
	for range min(len(found), max(1, min(runtime.GOMAXPROCS(0), 4))) {
		wg.Go(func() {
			buf := make([]byte, headChunk)
			for i := range next {
				out[i] = s.read(&found[i], buf)
			}
		})
	}
	wg.Wait()
	return out
}

// add gives a skill its place, or notes why it has none.
func (s *Set) add(c *candidate, k *Skill) {
	f := Finding{Name: k.Name, Path: k.File, Scope: k.Root.Scope, Status: Loaded, Command: k.Command(), Diagnostics: bounded(k.notes)}
	held := s.o.Untrusted && k.Root.Scope == Project
	refused := len(c.notes) > 0 || k.refused()
	if s.again(k, refused) {
		return
	}
	if refused {
		f.Status, f.Held = Skipped, held
		s.findings = append(s.findings, f)
		return
	}
	if held {
		f.Held = true
		f.Status = Skipped
		f.Diagnostics = append(f.Diagnostics, Diagnostic{
			Code: Untrusted, Severity: Warn, File: k.File, Reason: msg.Errorf(msg.SkillUntrusted), Fix: msg.Errorf(msg.SkillFixUntrusted),
		})
		s.findings = append(s.findings, f)
		return
	}
	if first := s.byKey[k.key]; first != nil {
		f.Status = Shadowed
		if k.Root.Scope != System || !first.copyOf(k) { // a copy of a skill of the system stands for it
			f.Diagnostics = append(f.Diagnostics, Diagnostic{
				Code: DuplicateShadowed, Severity: Warn, File: k.File,
				Reason: msg.Errorf(msg.SkillShadowed, first.File), Fix: msg.Errorf(msg.SkillFixShadowed),
			})
		}
		s.findings = append(s.findings, f)
		return
	}
	s.byKey[k.key] = k
	s.findings = append(s.findings, f)
}

// met is a file that was found already.
type met struct {
	info    fs.FileInfo
	refused bool
}

// again says that a skill's file was found before by another way, over a link, and notes it. One that was refused where it was
// found first, as for its folder's name, may still do.
func (s *Set) again(k *Skill, refused bool) bool {
	if k.info == nil {
		return false
	}
	for _, m := range s.met {
		if (refused || !m.refused) && os.SameFile(m.info, k.info) {
			return true
		}
	}
	s.met = append(s.met, met{k.info, refused})
	return false
}

// headChunk is how much of a file is read first: most headers are within it.
const headChunk = 4 << 10

// read makes a skill of a candidate. One with an error among its notes is not to be used.
func (s *Set) read(c *candidate, buf []byte) *Skill {
	k := &Skill{
		Name: cleanName(c.folder), File: c.file, Dir: filepath.Dir(c.file), Flat: c.flat, Root: *c.root,
		loose: s.o.Loose, strict: s.o.Strict, notes: c.notes,
	}
	if len(c.notes) > 0 {
		return k
	}
	data, info, err := head(c.file, c.info, buf)
	if err != nil {
		k.notes = append(k.notes, Diagnostic{
			Code: Unreadable, Severity: Error, File: c.file,
			Reason: msg.Errorf(msg.SkillUnreadable, cause(err)), Fix: msg.Errorf(msg.SkillFixUnreadable),
		})
		return k
	}
	k.info = info
	k.Installed = k.Root.Installed || s.o.Installed != nil && s.o.Installed(k.place())
	if k.Command() {
		s.understandCommand(k, c, data)
		return k
	}
	if !s.understand(k, c, data) {
		return nil
	}
	return k
}

// place is the skill's directory, or its file if it is flat.
func (s *Skill) place() string {
	if s.Flat {
		return s.File
	}
	return s.Dir
}

// understand reads the beginning of a file; false: it is no skill.
func (s *Set) understand(k *Skill, c *candidate, data []byte) bool {
	read := decodeHeader
	if k.loose { // the first paragraph may have to describe it
		read = decode
	}
	text, repaired, binary := read(data)
	if binary {
		k.notes = append(k.notes, Diagnostic{
			Code: NotUTF8, Severity: Error, File: c.file, Line: 1, Reason: msg.Errorf(msg.SkillUTF16), Fix: msg.Errorf(msg.SkillFixUTF8),
		})
		return !c.flat || s.o.Strict
	}
	p := parse(c.file, text)
	switch {
	case len(p.notes) > 0 && p.notes[0].Code == NoFrontmatter && s.o.Loose:
		p.notes = nil
	case len(p.notes) > 0 && p.notes[0].Code == NoFrontmatter && c.flat:
		return false
	}
	if repaired {
		k.notes = append(k.notes, Diagnostic{
			Code: NotUTF8, Severity: Warn, File: c.file, Reason: msg.Errorf(msg.SkillNotUTF8), Fix: msg.Errorf(msg.SkillFixUTF8),
		})
	}
	if c.lower {
		k.notes = append(k.notes, Diagnostic{
			Code: LowercaseFilename, Severity: Warn, File: c.file, Reason: msg.Errorf(msg.SkillLowercase), Fix: msg.Errorf(msg.SkillFixLowercase),
		})
	}
	k.notes = append(k.notes, p.notes...)
	if k.refused() {
		return true
	}
	k.fill(p.fields, cleanName(c.folder))
	s.checkLimits(k, p.fields)
	if k.loose && k.Description == "" {
		k.Description = firstParagraph(bodyOf(text))
	}
	return true
}

// firstParagraph is the first one that is no heading, on one line.
func firstParagraph(body string) string {
	for p := range strings.SplitSeq(body, "\n\n") {
		if p = cleanName(p); p != "" && p[0] != '#' {
			return p
		}
	}
	return ""
}

// head reads the beginning of a file, at least to the end of its header. It never waits. known is what was seen of the file
// before, nil if it was not looked at. What is given may stand in buf.
func head(file string, known fs.FileInfo, buf []byte) ([]byte, fs.FileInfo, error) {
	if known != nil {
		if n := readStart(file, buf); n >= 0 && (n < len(buf) && int64(n) == known.Size() || n == len(buf) && enough(file, buf)) {
			return uncut(buf[:n]), known, nil
		}
	}
	f, info, err := ordinary.Open(file)
	if err != nil {
		return nil, nil, notAFile(err)
	}
	defer func() { _ = f.Close() }()
	n, err := io.ReadFull(f, buf)
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF: //nolint:errorlint // ReadFull gives them bare
		return buf[:n], info, nil
	case err != nil:
		return nil, nil, err
	}
	if enough(file, buf) {
		return uncut(buf), info, nil
	}
	most := int64(maxHeader + headChunk)
	if filepath.Ext(file) == toml { // a wrong line may stand anywhere
		most = maxFile
	}
	more, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil, nil, err
	}
	return uncut(append(slices.Clone(buf), more...)), info, nil
}

// enough says that the beginning of a file holds all that is read of it now.
func enough(file string, start []byte) bool {
	if filepath.Ext(file) == toml {
		return false
	}
	text, _, binary := decodeHeader(start)
	return binary || split(text).closed
}

// uncut leaves out the first bytes of a character whose others were not read.
func uncut(data []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		if last := data[len(data)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return data[:len(data)-n]
			}
			break
		}
	}
	return data
}

// maxFile bounds what is read of a skill's file.
const maxFile = 8 << 20

// Body is the text behind the header as it is on disk now, with line ends \n and without blank lines at its ends. The error
// says that the file is gone or no text.
func (s *Skill) Body() (string, error) {
	data, err := readFile(s.File)
	if err != nil {
		return "", fmt.Errorf("skill %s: %w", s.Name, err)
	}
	text, _, binary := decode(data)
	if binary {
		return "", fmt.Errorf("skill %s: %w", s.Name, msg.Errorf(msg.SkillUTF16))
	}
	if s.Root.Commands == toml {
		c, err := readTOML(text)
		if err != nil {
			return "", fmt.Errorf("command %s: %w", s.Name, err)
		}
		return strings.Trim(c.prompt, "\n"), nil
	}
	return bodyOf(text), nil
}

func readFile(path string) ([]byte, error) {
	data, _, err := ordinary.Read(path, maxFile)
	return data, notAFile(err)
}

// notAFile words what is no ordinary file.
func notAFile(err error) error {
	if _, special := errors.AsType[*ordinary.Error](err); special {
		return msg.Errorf(msg.SkillNotAFile)
	}
	return err
}
