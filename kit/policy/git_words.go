package policy

import (
	"slices"
	"strings"

	"react-agent/internal/msg"
)

// gitValues are the options of a command of git whose next word is a value, whatever it is. The same letter takes none
// with another command, so each has a list of its own.
func gitValues(name string) []string {
	switch name {
	case "commit":
		return []string{"-m", "-am", "--message", "-F", "--author"}
	case "tag", "merge", "notes", "stash":
		return []string{"-m", "--message", "-F"}
	case "log", "rev-list":
		return []string{"--author", "--grep", "-n"}
	case "checkout", "worktree":
		return []string{"-b"}
	case "switch":
		return []string{"-c"}
	}
	return nil
}

// gitFlags are options without a value, for whatever command of git they are.
func gitFlags() []string {
	return strings.Fields(`-A -a -i -p -q -r --all --cached --staged --stat --oneline --name-only --name-status --quiet --verbose
		--patch --word-diff --numstat --shortstat --no-color --follow --graph --reverse --no-merges --merges --first-parent
		--tags --prune --force --force-with-lease --set-upstream --dry-run --no-verify --ff-only --no-rebase --rebase
		--autostash --no-edit --unshallow`)
}

// end is where the options of a command end: at the first -- that cannot be the value of the option before it.
func (t trait) end(words []word) int {
	for i := 1; i < len(words); i++ {
		if words[i].is("--") && t.takesNone(words[i-1]) {
			return i
		}
	}
	return len(words)
}

// gitPlaces marks the words of a command that may be a repository of this machine, whose own settings and hooks git would
// run there, or a place outside the work directory where git makes a new one.
func (t trait) gitPlaces(name string, words []word) (hint *why) {
	repository := slices.Contains([]string{"push", "pull", "fetch", "ls-remote", "fetch-pack", "send-pack"}, name)
	if !repository && name != "clone" && name != "init" {
		return nil
	}
	for i := 1; i < len(words); i++ {
		if strings.HasPrefix(words[i].start(), "-") {
			continue
		}
		if elsewhere(words[i], repository) {
			words[i], hint = words[i].strictly(), because(msg.PolicyWhyOption, shown(words[i]))
		}
		if repository && (t.takesNone(words[i-1]) || name == "push" && words[i-1].is("-u", "-f")) {
			break // that was the repository: what follows are names of branches
		}
	}
	return hint
}

// elsewhere reports whether a word may be a path out of the directory, or, where a repository is expected, any path.
func elsewhere(w word, repository bool) bool {
	s := w.start()
	if _, known := w.static(); !known || w.tilde || strings.Contains(s, "../") {
		return true
	}
	for _, p := range []string{"/", ".", "~", "file:"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return repository && strings.Contains(s, "/") && !strings.Contains(s, ":")
}

// gitRelinks reports whether a command of git may put links into the work directory.
func gitRelinks(name string) bool {
	return !slices.Contains(strings.Fields(`add blame branch cat-file check-ignore commit config describe diff for-each-ref grep
		log ls-files ls-tree merge-base push reflog remote rev-list rev-parse shortlog show show-ref status tag`), name)
}
