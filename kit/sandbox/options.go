package sandbox

import (
	"path/filepath"
	"slices"
	"strings"

	"react-agent/internal/msg"
)

// Kind says what holds commands.
type Kind string

// The kinds.
const (
	Off      Kind = "off"      // nothing
	Auto     Kind = "auto"     // bwrap if it works here, else landlock, else nothing and a warning
	Bwrap    Kind = "bwrap"    // bubblewrap; commands fail where it does not work
	Landlock Kind = "landlock" // Landlock in a helper process; commands fail where the kernel has none
)

// Options say what commands may do. Kind and Root must be set; every other zero value is strict and usable.
type Options struct {
	Kind Kind
	// Root is the work directory, an absolute path: writable.
	Root string
	// Network lets commands use the network.
	Network bool
	// Worktree asks for a git worktree per session. [Open] does not look at it.
	Worktree bool
	// Write are more places that commands may write. They need not be there.
	Write []string
	// Hide are places whose contents commands must not see, beside the usual ones below Home. Show are places within
	// hidden ones that commands may read all the same.
	Hide []string
	Show []string
	// Protect are files and directories within writable places that commands must not change, beside git's own hooks and
	// configuration. What is not there is not protected.
	Protect []string
	// Home is the person's home directory; "~/" in Write stands for it.
	Home string
	// Cache is a directory that stays: compilers and package managers whose own cache is out of reach are sent there. Empty:
	// they use a temporary one.
	Cache string
	// Self is this program, which Landlock needs to run again; its main must call [Main] first.
	Self string
	// Program is the path of bubblewrap; empty: looked up.
	Program string
	// Lang is the language of warnings and errors for the person, "zh" or "en"; empty is English.
	Lang string
}

// known are the words of the setting, for messages.
const known = "off, auto, bwrap, landlock, network, worktree, write:PATH"

// Parse reads the setting `sandbox`: words separated by blanks or commas. One of off, auto, bwrap, landlock says what
// holds commands (without any of them: off if nothing else is said, else auto); network allows the network; worktree
// gives each session a git worktree; write:PATH makes one more place writable (absolute, or beginning with "~/"). A path
// that holds a blank or a comma is written in double quotes: write:"/a b". Options has only these fields set.
func Parse(words string) (Options, error) {
	var o Options
	list, err := split(words)
	if err != nil {
		return Options{}, err
	}
	for _, w := range list {
		if err := o.word(w); err != nil {
			return Options{}, err
		}
	}
	if o.Kind == "" {
		o.Kind = Off
		if o.Network || len(o.Write) > 0 {
			o.Kind = Auto
		}
	}
	return o, nil
}

func (o *Options) word(w string) error {
	if path, ok := strings.CutPrefix(w, "write:"); ok {
		if !filepath.IsAbs(path) && !strings.HasPrefix(path, "~/") || filepath.Clean(path) == "/" {
			return msg.Errorf(msg.SandboxWritePath, w)
		}
		o.Write = append(o.Write, path)
		return nil
	}
	switch k := Kind(w); k {
	case Off, Auto, Bwrap, Landlock:
		if o.Kind != "" && o.Kind != k {
			return msg.Errorf(msg.SandboxTwoKinds, string(o.Kind), w)
		}
		o.Kind = k
		return nil
	}
	switch w {
	case "network":
		o.Network = true
	case "worktree":
		o.Worktree = true
	default:
		return msg.Errorf(msg.SandboxWord, w, known)
	}
	return nil
}

// split gives the words; double quotes keep blanks and commas in a word.
func split(s string) ([]string, error) {
	var list []string
	var word strings.Builder
	begun, quoted := false, false
	flush := func() {
		if begun {
			list = append(list, word.String())
		}
		word.Reset()
		begun = false
	}
	for _, r := range s {
		switch {
		case r == '"':
			quoted, begun = !quoted, true
		case !quoted && slices.Contains([]rune{' ', '\t', '\r', '\n', ','}, r):
			flush()
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	if quoted {
		return nil, msg.Errorf(msg.SandboxQuote, s)
	}
	flush()
	return list, nil
}
