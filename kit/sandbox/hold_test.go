//go:build linux

package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"react-agent/internal/shell"
)

func TestWorkGoesOn(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, _ way) {
		for command, want := range map[string]string{
			"pwd": r.root,
			"echo a >new && mkdir -p d/e && mv new d/e/x && ln d/e/x d/y && ln -s y d/z && cat d/z && rm d/e/x && rmdir d/e": "a",
			"chmod 600 d0 2>/dev/null || touch d0; chmod 640 d0 && stat -c %a d0":                                            "640",
			"f=$(mktemp) && echo t >$f && cat $f && rm $f":                                                                   "t",
			"mktemp >/dev/null && echo ok":                                                                                   "ok",
			"cat ../plain":                                                                                                   "plain",
			"exec 3<>/dev/null; echo x >/dev/null; head -c 3 /dev/zero | wc -c; head -c 8 /dev/urandom >/dev/full 2>/dev/null || true": "3",
			"cat <(echo sub)": "sub",
			"echo x | tee /dev/stderr 2>&1 >/dev/stdout":                            "x\nx",
			"[ -w /dev/shm ] && echo y >/dev/shm/a.$$; rm /dev/shm/a.$$ && echo ok": "ok",
			"ls -d /usr/bin":                            "/usr/bin",
			"sh -c 'exit 3'; echo $?":                   "3",
			"id -u >/dev/null; readlink /proc/self/cwd": r.root,
		} {
			if got := r.works(t, command); got != want {
				t.Errorf("%s: %q, want %q", command, got, want)
			}
		}
	})
}

func TestSecretsAreOutOfReach(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, _ way) {
		out := r.fails(t, "cat ~/.ssh/id_x ../.ssh/id_x")
		out += r.fails(t, "ln ../.ssh/id_x stolen && cat stolen")
		out += r.fails(t, "ln -s "+filepath.Join(r.home, ".ssh", "id_x")+" link; cat link")
		out += r.fails(t, "cp -r ../.ssh here 2>&1 && cat here/id_x")
		out += r.fails(t, "mv ../.ssh here; cat here/id_x")
		out += r.fails(t, "[ -s ../.netrc ] && cat ../.netrc || { cat ../.netrc; exit 1; }")
		if strings.Contains(out, "secret") {
			t.Error(out)
		}
		if strings.Contains(r.works(t, "cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep ^SSH_AUTH_SOCK; true"), "SSH") {
			t.Error("the agent for keys can be found")
		}
	})
}

func TestOutsideStaysAsItIs(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, w way) {
		file := filepath.Join(r.out, "file")
		for _, command := range []string{
			"echo new >'" + file + "'", "rm '" + file + "'", "mv '" + file + "' here", ": >>'" + file + "'", "truncate -s 0 '" + file + "'",
			"touch '" + r.out + "/another'", "mkdir '" + r.out + "/dir'", "ln -s '" + file + "' l && echo new >l", "ln -s '" + r.out + "' o && echo new >o/file",
			"echo x >../plain", "touch /usr/bin/x", "touch /etc/x", "cp -p /bin/true ../.bashrc", "ln '" + file + "' hard && echo new >hard",
			"echo 1 >/proc/sys/kernel/randomize_va_space", "echo h >/proc/sysrq-trigger", "echo x >/sys/kernel/mm/transparent_hugepage/enabled",
		} {
			r.fails(t, command)
		}
		if !w.bare { // Landlock by itself does not know these
			r.fails(t, "chmod 777 '"+file+"'")
			r.fails(t, "touch -d 2001-01-01 '"+file+"'")
		}
		if got := content(t, file); got != "old" {
			t.Errorf("the file outside holds %q", got)
		}
	})
}

// What the product keeps for itself cannot be seen, but for what is shown on purpose, and work may go on within.
func TestHiddenShownAndWritten(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, w way) {
		state := filepath.Join(r.home, ".state", "app")
		put(t, filepath.Join(state, "user", "trust"), "secret trust")
		put(t, filepath.Join(state, "outputs", "1.log"), "long output")
		put(t, filepath.Join(r.home, "token"), "secret token")
		extra := filepath.Join(r.home, "extra")
		inner := filepath.Join(state, "tree")
		for _, dir := range []string{extra, inner} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		r.o.Hide = []string{state, filepath.Join(r.home, "token"), filepath.Join(r.home, "not there")}
		r.o.Show = []string{filepath.Join(state, "outputs")}
		r.o.Write = []string{"~/extra", inner}
		r.o.Cache = filepath.Join(state, "cache")
		out := r.fails(t, "cat ~/.state/app/user/trust "+quote(filepath.Join(state, "user", "trust")))
		out += r.works(t, "cat "+quote(filepath.Join(r.home, "token"))+" 2>/dev/null; true")
		if strings.Contains(out, "secret") {
			t.Error(out)
		}
		if got := r.works(t, "cat "+quote(filepath.Join(state, "outputs", "1.log"))); got != "long output" {
			t.Errorf("%q", got)
		}
		r.fails(t, "echo x >>"+quote(filepath.Join(state, "outputs", "1.log")))
		r.fails(t, "touch "+quote(filepath.Join(state, "new")))
		r.works(t, "echo x >"+quote(filepath.Join(extra, "x")))
		r.works(t, "echo y >"+quote(filepath.Join(inner, "y")))
		r.works(t, `mkdir -p "$GOCACHE" "$npm_config_cache" && echo z >"$GOCACHE/z"`)
		for file, want := range map[string]string{filepath.Join(extra, "x"): "x\n", filepath.Join(inner, "y"): "y\n", filepath.Join(state, "cache", "gocache", "z"): "z\n"} {
			if got := content(t, file); got != want {
				t.Errorf("%s: %q", file, got)
			}
		}
		// A cache of the person's own that can be written is left alone.
		own := filepath.Join(extra, "go")
		if env := r.environment([]string{"GOCACHE=" + own, "CCACHE_DIR=/nowhere", "SSH_AUTH_SOCK=/x", "A=b"}, !w.bare); !slices.Contains(env, "GOCACHE="+own) ||
			!slices.Contains(env, "A=b") || slices.Contains(env, "CCACHE_DIR=/nowhere") || slices.Contains(env, "SSH_AUTH_SOCK=/x") {
			t.Error(env)
		}
	})
}

// A home directory may be the work directory: what is secret in it stays so.
func TestHomeAsWorkDirectory(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, w way) {
		put(t, filepath.Join(r.home, ".bashrc"), "mine")
		r.root, r.Sandbox.root = r.home, r.home
		if out := r.fails(t, "cat .ssh/id_x"); strings.Contains(out, "secret") {
			t.Error(out)
		}
		r.works(t, "cd 'work 工作' && echo x >x")
		if w.bare {
			return // Landlock alone cannot have a hidden place in a directory where files may be made
		}
		r.works(t, "echo x >new && rm new")
		r.fails(t, "echo evil >.bashrc")
	})
}

// Links in the way to a place do not open or close another.
func TestLinksToPlaces(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, _ way) {
		keys := filepath.Join(r.out, "keys")
		put(t, filepath.Join(keys, "id"), "secret")
		for link, to := range map[string]string{filepath.Join(r.home, ".aws"): keys, filepath.Join(r.home, "link"): r.root} {
			if err := os.Symlink(to, link); err != nil {
				t.Fatal(err)
			}
		}
		if out := r.fails(t, "cat ../.aws/id "+quote(filepath.Join(keys, "id"))); strings.Contains(out, "secret\n") || strings.HasPrefix(out, "secret") {
			t.Error(out)
		}
		out, res := r.run(t, shell.Cmd{Command: "echo x >through && pwd", Dir: filepath.Join(r.home, "link")})
		if res.Failed() || content(t, filepath.Join(r.root, "through")) != "x\n" {
			t.Errorf("%q %+v", out, res)
		}
	})
}
