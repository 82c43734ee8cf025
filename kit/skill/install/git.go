package install

import (
	"context"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/internal/shell"
	"react-agent/internal/text"
)

const gitTime = 5 * time.Minute

// clone brings one commit of a repository into dir, which is empty, and gives the commit's name. Nothing of the repository
// is run: no hooks, no submodules, no filters of ours, no helpers named by a URL.
func (f *Fetcher) clone(ctx context.Context, s Source, dir string) (commit string, err error) {
	if err := f.gitMay(ctx, s); err != nil {
		return "", err
	}
	if _, err := f.git(ctx, s, dir, "init", "-q", "--template="); err != nil {
		return "", err
	}
	for _, ref := range refs(s.Ref) {
		_, err = f.git(ctx, s, dir, "fetch", "-q", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-commit-graph", "--", s.URL, ref)
		if err == nil || !missingRef(err) {
			break
		}
	}
	if err != nil {
		if s.Ref != "" && missingRef(err) {
			return "", msg.Errorf(msg.InstallNoSuchRef, s.Ref, s.Shown())
		}
		return "", err
	}
	if _, err := f.git(ctx, s, dir, "checkout", "-q", "--detach", "FETCH_HEAD"); err != nil {
		return "", err
	}
	out, err := f.git(ctx, s, dir, "rev-parse", "--verify", "HEAD")
	out = lastLine(out)
	if err == nil && !regexp.MustCompile(`^[0-9a-f]{40,64}$`).MatchString(out) {
		err = msg.Errorf(msg.InstallGit, s.Shown(), out)
	}
	return out, err
}

// refs are the names to ask a server for: a branch is meant before a tag.
func refs(ref string) []string {
	switch {
	case ref == "":
		return []string{"HEAD"}
	case regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`).MatchString(ref), strings.HasPrefix(ref, "refs/"):
		return []string{ref}
	}
	return []string{"refs/heads/" + ref, "refs/tags/" + ref}
}

func missingRef(err error) bool {
	s := err.Error()
	return strings.Contains(s, "couldn't find remote ref") || strings.Contains(s, "not our ref")
}

// gitMay asks before git goes where a stranger must not send it.
func (f *Fetcher) gitMay(ctx context.Context, s Source) error {
	if !strings.Contains(s.URL, "://") { // ssh, as copying writes it
		return nil
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return msg.Errorf(msg.InstallSource, s.Shown())
	}
	switch u.Scheme {
	case "file":
		if u.Host != "" && u.Host != "localhost" {
			return msg.Errorf(msg.InstallTransport, s.Shown())
		}
		return nil
	case "http", "git":
		if !loopback(u.Hostname()) && !f.Plain {
			return msg.Errorf(msg.InstallPlain, s.Shown())
		}
	}
	return f.may(ctx, u)
}

// loopback says whether a host is this machine by its name.
func loopback(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && httpx.NetOf(ip) == httpx.Loopback
}

// git runs one command and gives its output without blanks around it.
func (f *Fetcher) git(ctx context.Context, s Source, dir string, args ...string) (string, error) {
	settings := []string{
		"core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "core.autocrlf=false", "core.symlinks=true", "submodule.recurse=false",
		"protocol.ext.allow=never", "protocol.fd.allow=never", "credential.interactive=false", "gc.auto=0", "maintenance.auto=false",
		"filter.lfs.smudge=", "filter.lfs.process=", "filter.lfs.required=false", "advice.detachedHead=false",
	}
	cmd := []string{"git"}
	for _, c := range settings {
		cmd = append(cmd, "-c", c)
	}
	res, err := shell.Run(ctx, shell.Cmd{Args: append(cmd, args...), Dir: dir, Vars: f.gitVars(), Hide: f.Hide, Timeout: gitTime})
	if err != nil {
		return "", msg.Errorf(msg.InstallNoGit, err)
	}
	out := text.Clean(append(res.Head, res.Tail...))
	out = strings.TrimSpace(strings.ReplaceAll(out, s.URL, s.Shown()))
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case res.TimedOut:
		return "", msg.Errorf(msg.InstallSlow, s.Shown(), gitTime)
	case res.Failed():
		if res.Human != "" {
			out += "\n" + res.Human
		}
		return "", msg.Errorf(msg.InstallGit, s.Shown(), out)
	}
	return out, nil
}

// gitVars is the person's environment without what would point git at another repository, and with what keeps it from
// asking, from helpers and from large files.
func (f *Fetcher) gitVars() []string {
	var out []string
	ssh := false
	for _, v := range f.Env {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE",
			"GIT_PREFIX", "GIT_COMMON_DIR", "GIT_TEMPLATE_DIR", "GIT_ALLOW_PROTOCOL", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_TRACE", "LC_ALL", "LANGUAGE":
			continue
		case "GIT_SSH_COMMAND", "GIT_SSH":
			ssh = true
		}
		out = append(out, v)
	}
	out = append(out, "GIT_ALLOW_PROTOCOL=https:http:ssh:git:file", "GIT_LFS_SKIP_SMUDGE=1", "LC_ALL=C", "GIT_ASKPASS=", "SSH_ASKPASS=")
	if !ssh {
		out = append(out, "GIT_SSH_COMMAND=ssh -oBatchMode=yes")
	}
	return out
}

// gitFolder is git's name for the tree of a folder in a clone; empty if it has none.
func (f *Fetcher) gitFolder(ctx context.Context, s Source, dir, folder string) string {
	rev := "HEAD^{tree}"
	if folder = path.Clean(folder); folder != "." {
		rev = "HEAD:" + folder
	}
	out, err := f.git(ctx, s, dir, "rev-parse", "--verify", "--end-of-options", rev)
	if err != nil {
		return ""
	}
	return lastLine(out)
}

// lastLine is what a command says behind its warnings.
func lastLine(s string) string { return strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:]) }

// isRepo says whether a directory is a git repository without a work tree.
func isRepo(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}
