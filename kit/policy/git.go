package policy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"react-agent/internal/msg"
)

// git marks what makes git run other commands: settings on the command line, aliases, and options of its commands. Deny
// rules see the command without its global options too, and the commands that settings name.
func (a *analyser) git(words []word) {
	var hint *why
	i := 1
	shown := []word{words[0]} // without the options that do nothing
	full := []word{words[0]}
	for ; i < len(words); i++ {
		s, known := words[i].static()
		if !known || !strings.HasPrefix(s, "-") {
			break
		}
		if slices.Contains([]string{"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects", "--no-advice"}, s) {
			full = append(full, words[i])
			continue
		}
		hint = because(msg.PolicyWhyOption, s)
		shown, full = append(shown, words[i].strictly()), append(full, words[i].strictly())
		if gitTakesValue(s) && i+1 < len(words) {
			i++
			shown, full = append(shown, words[i].strictly()), append(full, words[i].strictly())
			if s == "-c" {
				a.gitSetting(words[i])
			}
		}
	}
	bare := append([]word{words[0]}, words[i:]...)
	if i < len(words) {
		rest := slices.Clone(words[i:])
		if w := gitCommand(rest); w != nil {
			hint = w
		}
		name, _ := rest[0].static()
		a.out.relinks = a.out.relinks || gitRelinks(name)
		a.out.relinked = a.out.relinked || a.out.relinks
		a.gitCode(name, rest[1:])
		shown, full = append(shown, rest...), append(full, rest...)
	}
	seg := segment{text: a.line, words: shown, spelled: full, also: append(a.otherNames(words), words, bare), hint: hint}
	seg.also = append(seg.also, a.otherNames(bare)...)
	a.add(seg)
}

func gitTakesValue(s string) bool {
	return slices.Contains([]string{"-c", "-C", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix", "--attr-source"}, s)
}

// gitSetting lets deny rules look at the command that a setting like core.pager may name.
func (a *analyser) gitSetting(w word) {
	if s, known := w.static(); known {
		if _, value, ok := strings.Cut(s, "="); ok {
			a.peek(strings.TrimPrefix(value, "!"))
		}
	}
}

// peek lets deny rules look at a text that may be a script.
func (a *analyser) peek(text string) {
	was := a.aside
	a.aside = true
	if _, err := syntax.NewParser().Parse(strings.NewReader(text), ""); err != nil {
		a.add(segment{text: a.line, code: []string{text}})
	} else {
		a.script(text, true)
	}
	a.aside = was
}

// gitCode lets deny rules look at the commands in the arguments of git's own commands.
func (a *analyser) gitCode(name string, words []word) {
	t := gitTrait(name)
	for i, w := range words {
		s, _ := w.static()
		switch {
		case t.dangerous(s) && strings.Contains(s, "="):
			a.gitSetting(w)
		case t.dangerous(s):
			if strings.HasPrefix(s, "-O") || strings.HasPrefix(s, "-x") || strings.HasPrefix(s, "-u") {
				a.peek(s[2:])
			}
			if i+1 < len(words) {
				a.peek(words[i+1].start())
			}
		case s == "foreach" || s == "run":
			a.asideFrom(words[i+1:])
			if i+1 < len(words) {
				a.peek(words[i+1].start())
			}
		}
	}
}

// gitCommand marks the words of git's command itself.
func gitCommand(words []word) *why {
	name, known := words[0].static()
	switch {
	case !known || !slices.Contains(gitKnown(), name):
		return strictAll(words, because(msg.PolicyWhyGit, shown(words[0]))) // an alias may be any command
	case name == "config":
		looks := len(words) > 1 && words[1].is("--get", "--get-all", "--list", "-l", "get", "list")
		if looks && !slices.ContainsFunc(words[1:], word.mayBeUnknownOption) {
			return nil
		}
		return strictAll(words, because(msg.PolicyWhyOption, name))
	}
	t := gitTrait(name)
	hint := t.gitPlaces(name, words)
	if w := t.mark("git "+name, words[:t.end(words)]); w != nil {
		hint = w
	}
	for i := 1; i < len(words); i++ {
		s, _ := words[i].static()
		if strings.Contains(s, "::") || slices.Contains(gitVerbs(name), s) {
			words[i], hint = words[i].strictly(), because(msg.PolicyWhyOption, s)
		}
	}
	return hint
}

func (w word) mayBeUnknownOption() bool {
	_, known := w.static()
	return !known && w.mayBeOption()
}

func gitTrait(name string) trait {
	t := trait{long: []string{
		"upload-pack", "receive-pack", "exec", "extcmd", "open-files-in-pager", "ext-diff", "textconv", "output", "template",
		"config", "config-env", "separate-git-dir", "to-cmd", "cc-cmd", "sendmail-cmd", "tool", "output-directory", "remote-submodules",
		"filters", "show-signature", "index-output", "gpg-sign", "edit-description", "git-dir", "unsafe-paths",
	}, value: gitValues(name), flags: gitFlags()}
	switch name {
	case "grep":
		t.short = "O"
	case "rebase":
		t.short = "x"
	case "clone":
		t.short = "uc"
	case "ls-remote", "fetch-pack":
		t.short = "u"
	case "archive":
		t.short, t.long = "o", append(t.long, "remote")
	case "format-patch":
		t.short = "o"
	case "push":
		t.long = append(t.long, "repo")
	case "cat-file":
		t.dash = []string{"filters"}
	}
	return t
}

// gitVerbs are words of a command that run other commands.
func gitVerbs(name string) []string {
	switch name {
	case "submodule":
		return []string{"foreach", "add", "set-url", "update", "init"}
	case "bisect":
		return []string{"run", "visualize", "view", "start"}
	case "remote":
		return []string{"add", "set-url"}
	case "stash", "notes", "lfs":
		return []string{"add", "edit"}
	case "worktree":
		return []string{"add", "move", "repair"}
	case "bundle":
		return []string{"create"}
	}
	return nil
}

// gitKnown are the commands of git that run nothing but git, given harmless options. Any other word may be an alias.
func gitKnown() []string {
	return strings.Fields(`add am apply archive annotate bisect blame branch bundle cat-file check-attr check-ignore check-mailmap
		checkout cherry cherry-pick clean clone commit commit-graph commit-tree config count-objects describe diff diff-files
		diff-index diff-tree fetch format-patch for-each-ref fsck gc grep hash-object init log ls-files ls-remote ls-tree merge
		merge-base merge-tree mv name-rev notes pack-refs prune pull push range-diff read-tree rebase reflog remote repack replace
		rerere reset restore revert rev-list rev-parse rm shortlog show show-branch show-ref sparse-checkout stash status
		stripspace submodule switch symbolic-ref tag unpack-objects update-index update-ref verify-commit verify-pack verify-tag
		version whatchanged worktree write-tree`)
}
