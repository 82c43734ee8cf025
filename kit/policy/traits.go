package policy

import (
	"slices"
	"strings"

	"react-agent/internal/msg"
)

// A trait lists the options of a command by which it runs other commands, writes files or reads its orders from
// elsewhere. A star of a rule does not stand for them: a rule must spell them.
type trait struct {
	long  []string // --NAME, also shortened
	short string   // letters, alone or bundled
	dash  []string // -NAME, as find and go write them
	plain string   // what a word that is no option must not hold
	code  bool     // operands are programs in a language of their own
	value []string // options whose next word is a value, whatever it is
}

func (t trait) empty() bool {
	return len(t.long) == 0 && t.short == "" && len(t.dash) == 0 && t.plain == ""
}

// marked adds a command whose dangerous options must be spelled.
func (a *analyser) marked(base string, words []word) {
	t := traitOf(base)
	hint := a.byShape(base, words)
	var code []string
	valued := false
	for i := 1; i < len(words); i++ {
		s, known := words[i].static()
		if known && t.code {
			code = append(code, s)
		}
		switch {
		case t.empty():
		case !known && words[i].mayBeOption() && !(valued && !words[i].splits() && !hasGlob(words[i])):
			words[i], hint = words[i].strictly(), because(msg.PolicyWhyUnknown, base)
		case known && t.dangerous(s), !known && t.dangerous(words[i].start()):
			words[i], hint = words[i].strictly(), because(msg.PolicyWhyOption, s)
			if i+1 < len(words) && !strings.Contains(s, "=") {
				words[i+1] = words[i+1].strictly()
			}
		}
		valued = slices.Contains(t.value, s)
	}
	if keeps := t.code || opaque(base); keeps {
		words[0] = words[0].strictly()
	}
	a.plain(words, hint, code...)
}

// dangerous reports whether a word is one of the options, however it is shortened, bundled or joined to its value.
func (t trait) dangerous(s string) bool {
	if t.plain != "" && strings.ContainsAny(s, t.plain) && !strings.HasPrefix(s, "-") {
		return true
	}
	if !strings.HasPrefix(s, "-") || s == "-" || s == "--" {
		return false
	}
	name, _, _ := strings.Cut(strings.TrimLeft(s, "-"), "=")
	if slices.Contains(t.dash, name) {
		return true
	}
	if strings.HasPrefix(s, "--") {
		return name != "" && slices.ContainsFunc(t.long, func(l string) bool { return strings.HasPrefix(l, name) })
	}
	return t.short != "" && strings.ContainsAny(s[1:], t.short)
}

// traitOf knows the commands that people allow and that can do more than they look like.
func traitOf(name string) trait {
	switch name {
	case "fd", "fdfind":
		return trait{long: []string{"exec", "exec-batch"}, short: "xX"}
	case "rg":
		return trait{long: []string{"pre", "hostname-bin", "search-zip"}, short: "z", value: []string{"-e", "-g"}}
	case "sort":
		return trait{long: []string{"compress-program", "output", "temporary-directory", "files0-from"}, short: "oT"}
	case "tar", "gtar", "bsdtar":
		return trait{
			long: []string{
				"to-command", "checkpoint-action", "use-compress-program", "rsh-command", "rmt-command", "info-script", "new-volume-script",
				"absolute-names", "remove-files", "files-from", "overwrite", "unlink-first", "recursive-unlink", "file", "directory",
			},
			short: "IFPTUC", plain: ":IF",
		}
	case "zip":
		return trait{long: []string{"unzip-command", "test"}, short: "TOm"}
	case "cpio":
		return trait{long: []string{"rsh-command", "to-command"}, short: "IOF"}
	case "rsync":
		return trait{long: []string{"rsh", "rsync-path", "remove-source-files", "delete", "log-file", "write-batch"}, short: "eM", plain: ":"}
	case "split":
		return trait{long: []string{"filter"}}
	case "man":
		return trait{long: []string{"pager", "html", "gxditview", "preprocessor", "config-file", "recode"}, short: "PHXCp"}
	case "go":
		return trait{
			dash:  []string{"exec", "toolexec", "vettool", "ldflags", "gcflags", "asmflags", "overlay", "modfile", "o", "C", "w", "pkgdir", "gccgoflags", "compiler"},
			value: []string{"-run", "-bench", "-tags", "-skip"},
		}
	case "make", "gmake", "just", "ninja":
		return trait{long: []string{"file", "makefile", "directory", "eval", "include-dir", "justfile", "shell"}, short: "fCEIk", plain: "="}
	case "npm", "pnpm", "yarn", "bun":
		return trait{
			long:  []string{"script-shell", "node-options", "prefix", "dir", "cwd", "userconfig", "globalconfig", "shell", "git", "call", "config", "use-yarnrc", "require", "preload"},
			short: "Ccr", plain: "",
		}
	case "cargo":
		return trait{long: []string{"config", "manifest-path", "target-dir", "out-dir"}, short: "ZC"}
	case "gcc", "g++", "cc", "c++", "clang", "clang++":
		return trait{dash: []string{"wrapper", "o", "specs", "fplugin", "load", "T"}, short: "B", plain: "@"}
	case "pytest":
		return trait{long: []string{"rootdir", "confcutdir", "override-ini", "import-mode", "basetemp"}, short: "pco"}
	case "ssh", "scp", "sftp":
		return trait{short: "oFESDJw", plain: ""}
	case "curl", "wget":
		return trait{
			long:  []string{"output", "config", "use-askpass", "execute", "remote-name", "output-document", "upload-file", "input-file", "output-file", "directory-prefix", "engine", "proto", "dump-header", "cookie-jar", "trace", "stderr"},
			short: "oOKTeiPDcU",
		}
	case "sed":
		return trait{long: []string{"in-place", "file"}, short: "if", code: true}
	case "awk", "gawk", "mawk", "nawk":
		return trait{long: []string{"file", "exec", "load", "include", "source", "debug", "profile", "dump-variables", "pretty-print"}, short: "fElieDpdo", code: true}
	case "jq", "yq":
		return trait{long: []string{"in-place", "inplace", "from-file", "library-path"}, short: "ifLs", value: []string{"--arg"}}
	case "less", "more", "most", "vim", "vi", "view", "nvim", "ex", "ed", "emacs", "nano", "bc", "dc", "gdb", "sqlite3", "psql", "mysql":
		return trait{short: "cSsukoOelf", long: []string{"cmd", "eval", "log-file", "lesskey", "command", "init", "file", "execute", "load"}, plain: "+!", code: true}
	case "tree":
		return trait{short: "oR"}
	case "patch":
		return trait{short: "eoirdBzp", long: []string{"ed", "output", "input", "reject-file", "directory"}}
	case "docker", "podman":
		return trait{long: []string{"config", "host", "context"}, short: "Hc"}
	case "kubectl", "helm":
		return trait{long: []string{"kubeconfig", "server", "post-renderer"}, short: "s"}
	}
	return trait{code: interpreter(name)}
}

// byShape marks what cannot be listed: names of variables that run commands in their index, programs of sed and awk.
func (a *analyser) byShape(base string, words []word) *why {
	bad := func(w word) bool { return false }
	switch base {
	case "test", "[":
		return testShape(words)
	case "printf":
		if len(words) > 1 && (words[1].mayBeOption() && !words[1].is("--")) {
			return strictAll(words, because(msg.PolicyWhyVariables, base))
		}
	case "read", "mapfile", "readarray", "unset", "getopts", "wait", "let":
		bad = func(w word) bool {
			s, known := w.static()
			return !known || strings.ContainsAny(s, "[$`") || shellVariable(s) || base == "let" || base != "read" && strings.HasPrefix(s, "-")
		}
	case "set":
		bad = func(w word) bool {
			s, known := w.static()
			return !known && w.mayBeOption() || known && strings.HasPrefix(s, "-") && strings.Trim(s[1:], "euxfno") != ""
		}
	case "alias", "hash", "enable", "shopt", "bind", "complete", "compgen", "fc", "history", "jobs", "source", ".":
		if base == "." || base == "source" {
			a.out.moved = true
		}
		bad = func(word) bool { return true }
		words[0] = words[0].strictly()
	case "sed":
		bad = func(w word) bool { s, known := w.static(); return !known && w.mayBeOption() || known && !sedIsPlain(s) }
	case "awk", "gawk", "mawk", "nawk":
		bad = func(w word) bool {
			s, known := w.static()
			return !known || strings.ContainsAny(s, "|>@") || strings.Contains(s, "system") || strings.Contains(s, "getline")
		}
	}
	var hint *why
	for i, w := range words[1:] {
		if bad(w) {
			words[i+1], hint = w.strictly(), because(msg.PolicyWhyVariables, base)
		}
	}
	return hint
}

func strictAll(words []word, hint *why) *why {
	for i := range words {
		words[i] = words[i].strictly()
	}
	return hint
}

// testShape lets those forms of test pass that cannot be test -v with an index that runs commands.
func testShape(words []word) *why {
	args := words[1:]
	if n := len(args); n > 0 && words[0].is("[") && args[n-1].is("]") {
		args = args[:n-1]
	}
	if len(args) > 0 && args[0].is("!") {
		args = args[1:]
	}
	known := func(w word) bool { s, ok := w.static(); return ok && s != "-v" && s != "-R" }
	one := func(w word) bool { return !w.splits() && !hasGlob(w) }
	switch len(args) {
	case 0:
		return nil
	case 1:
		if one(args[0]) {
			return nil
		}
	case 2:
		if known(args[0]) && one(args[1]) {
			return nil
		}
	case 3:
		if known(args[1]) && one(args[0]) && one(args[2]) {
			return nil
		}
	}
	if !slices.ContainsFunc(args, func(w word) bool { return !known(w) }) {
		return nil
	}
	return strictAll(words, because(msg.PolicyWhyVariables, "test"))
}
