package policy

import (
	"slices"
	"strings"
)

// harmlessEnv reports whether a variable may be set for a command without changing what the command does, but for how
// its output looks.
func harmlessEnv(name string) bool {
	return strings.HasPrefix(name, "LC_") || slices.Contains([]string{
		"LANG", "LANGUAGE", "TZ", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "COLUMNS", "LINES", "CI", "NODE_ENV",
		"RUST_BACKTRACE", "PYTHONUNBUFFERED", "GOOS", "GOARCH", "CGO_ENABLED", "DEBIAN_FRONTEND",
	}, name)
}

// shellVariable reports whether a variable that is set without export may still change what later commands do: the shell
// itself reads it, or it may have been exported long before.
func shellVariable(name string) bool {
	if harmlessEnv(name) {
		return false
	}
	if strings.ToUpper(name) != name { // by custom what is exported is upper case, but for proxies and npm
		return strings.HasSuffix(name, "_proxy") || strings.HasPrefix(name, "npm_")
	}
	for _, p := range shellPrefixes() {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	for _, s := range shellSuffixes() {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	return false
}

func shellPrefixes() []string {
	return []string{
		"BASH", "LD_", "DYLD_", "GIT_", "SSH_", "LESS", "MAN", "XDG_", "PYTHON", "PERL", "RUBY", "NODE", "NPM", "GO", "CARGO",
		"RUST", "JAVA", "_JAVA", "JDK", "CC", "CXX", "CPP", "AR", "MAKE", "TAR", "GREP", "RIPGREP", "FZF", "PS", "TMP", "TEMP",
		"ENV", "IFS", "HOME", "USER", "SHELL", "TERM", "MAIL", "PAGER", "BROWSER", "POSIX", "PWD", "OLDPWD", "FCEDIT", "CD",
		"DOCKER", "KUBE", "AWS", "OPT", "HIST", "EXEC", "GLOB", "INPUTRC", "LOC", "NLS", "GCONV", "MALLOC", "HTTP", "ALL_", "FTP",
		"SUDO", "DOAS", "SYSTEMD", "PKG", "ZDOTDIR", "READNULL", "NULLCMD",
	}
}

func shellSuffixes() []string {
	return []string{
		"PATH", "_COMMAND", "_CMD", "EDITOR", "VISUAL", "PAGER", "OPTS", "OPTIONS", "FLAGS", "_PROXY", "_PROGRAM", "_TOOL",
		"IGNORE", "_WRAPPER", "_HOME", "_CONFIG", "_RC", "_HOOK", "_EXEC",
	}
}
