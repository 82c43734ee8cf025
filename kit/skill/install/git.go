package install

import (
	"context"
	"io/fs"
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

// maxRepository bounds what git may put on the disk: the objects of one commit.
const maxRepository = 512 << 20

// clone brings one commit of a repository onto the disk and gives the commit's name: git's objects go into a folder of their
// own, and the files that matter to skills into the source's. Nothing of the repository is run: no hooks, no submodules, no
// filters, no helpers named by a URL. There is no checkout: what a tree holds is known before a file is written.
func (b *Bundle) clone(ctx context.Context) (commit string, err error) {
	f, s, store := b.fetcher, b.Source, filepath.Join(b.temp, "git")
	if err := os.Mkdir(store, 0o700); err != nil {
		return "", err
	}
	b.store = store
	from, err := f.gitMay(ctx, s)
	if err != nil {
		return "", err
	}
	if _, err := f.git(ctx, s, store, "init", "-q", "--bare", "--template="); err != nil {
		return "", err
	}
	most := f.most
	if most == 0 {
		most = maxRepository
	}
	big := msg.Errorf(msg.InstallDownloadBig, s.Shown(), most>>20)
	for _, ref := range refs(s.Ref) {
		err = bounded(ctx, store, most, big, func(ctx context.Context) error {
			_, err := f.git(ctx, s, store, "fetch", "-q", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-commit-graph", "--", from, ref)
			return err
		})
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
	out, err := f.git(ctx, s, store, "rev-parse", "--verify", "FETCH_HEAD^{commit}")
	out = lastLine(out)
	if err == nil && !regexp.MustCompile(`^[0-9a-f]{40,64}$`).MatchString(out) {
		err = msg.Errorf(msg.InstallGit, s.Shown(), out)
	}
	if err != nil {
		return "", err
	}
	return out, b.take(ctx, out)
}

// bounded stops what fills a directory with more bytes than most; the error is big then.
func bounded(ctx context.Context, dir string, most int64, big error, do func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				if sizeOf(dir) > most {
					cancel(big)
					return
				}
			}
		}
	}()
	err := do(ctx)
	close(ended)
	<-watched
	if sizeOf(dir) > most {
		return big
	}
	return err
}

// sizeOf is what the files below a directory take; what goes away meanwhile counts nothing.
func sizeOf(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // gone
		}
		if info, err := d.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
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

// gitMay asks before git goes where a stranger must not send it, and gives the address that git is to use: git itself
// follows nobody.
func (f *Fetcher) gitMay(ctx context.Context, s Source) (from string, err error) {
	if !strings.Contains(s.URL, "://") { // ssh, as copying writes it
		return s.URL, nil
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return "", msg.Errorf(msg.InstallSource, s.Shown())
	}
	switch u.Scheme {
	case "file":
		if u.Host != "" && u.Host != "localhost" {
			return "", msg.Errorf(msg.InstallTransport, s.Shown())
		}
		return s.URL, nil
	case "https", "http":
		return f.gitAt(ctx, s)
	case "git":
		if !loopback(u.Hostname()) && !f.Plain {
			return "", msg.Errorf(msg.InstallPlain, s.Shown())
		}
	}
	return s.URL, f.may(ctx, u)
}

// gitAt asks a server where a repository is, the way git asks, and follows as downloads do. What the server says else is
// git's to hear: it has the person's passwords.
func (f *Fetcher) gitAt(ctx context.Context, s Source) (string, error) {
	const tail = "/info/refs"
	base, err := url.Parse(strings.TrimRight(s.URL, "/"))
	if err != nil {
		return "", msg.Errorf(msg.InstallSource, s.Shown())
	}
	u := *base
	u.Path, u.RawPath, u.RawQuery, u.Fragment = base.Path+tail, "", "service=git-upload-pack", ""
	last, err := f.follow(ctx, &u)
	switch {
	case err != nil:
		return "", err
	case *last == u:
		return s.URL, nil
	case !strings.HasSuffix(last.Path, tail):
		return "", msg.Errorf(msg.InstallMoved, s.Shown(), Source{URL: last.String()}.Shown())
	}
	last.Path, last.RawPath, last.RawQuery, last.Fragment = strings.TrimSuffix(last.Path, tail), "", "", ""
	return last.String(), nil
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
	res, err := f.run(ctx, s, shell.Cmd{Args: args, Dir: dir})
	return strings.TrimSpace(text.Clean(append(res.Head, res.Tail...))), err
}

// run runs git with the arguments of c. The error says also that git failed.
func (f *Fetcher) run(ctx context.Context, s Source, c shell.Cmd) (shell.Result, error) {
	settings := []string{
		"core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "submodule.recurse=false", "http.followRedirects=false",
		"transfer.bundleURI=false", "fetch.unpackLimit=1", "core.bigFileThreshold=16m",
		"protocol.ext.allow=never", "protocol.fd.allow=never", "credential.interactive=false", "gc.auto=0", "maintenance.auto=false",
	}
	cmd := []string{"git"}
	for _, c := range settings {
		cmd = append(cmd, "-c", c)
	}
	c.Args, c.Vars, c.Hide, c.Timeout = append(cmd, c.Args...), f.gitVars(), f.Hide, gitTime
	res, err := shell.Run(ctx, c)
	if err != nil {
		return res, msg.Errorf(msg.InstallNoGit, err)
	}
	switch {
	case ctx.Err() != nil:
		return res, context.Cause(ctx)
	case res.TimedOut:
		return res, msg.Errorf(msg.InstallSlow, s.Shown(), gitTime)
	case res.Failed():
		out := text.Clean(append(res.Head, res.Tail...))
		if c.Split {
			out = text.Clean(res.Errors)
		}
		out = strings.TrimSpace(strings.ReplaceAll(out, s.URL, s.Shown()))
		if res.Human != "" {
			out += "\n" + res.Human
		}
		return res, msg.Errorf(msg.InstallGit, s.Shown(), out)
	}
	return res, nil
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
func (b *Bundle) gitFolder(ctx context.Context, folder string) string {
	rev := b.Commit + "^{tree}"
	if folder = path.Clean(folder); folder != "." {
		rev = b.Commit + ":" + folder
	}
	out, err := b.fetcher.git(ctx, b.Source, b.store, "rev-parse", "--verify", "--end-of-options", rev)
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
