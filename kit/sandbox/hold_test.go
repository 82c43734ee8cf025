//go:build linux

package sandbox

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestWorkGoesOn(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, _ way) {
		for command, want := range map[string]string{
			"pwd": r.root,
			"echo a >new && mkdir -p d/e && mv new d/e/x && ln d/e/x d/y && ln -s y d/z && cat d/z && rm d/e/x && rmdir d/e": "a",
			"chmod 600 d0 2>/dev/null || touch d0; chmod 640 d0 && stat -c %a d0":                                            "640",
			"echo t >/tmp/t && cat /tmp/t": "t",
			"mktemp >/dev/null && echo ok": "ok",
			"cat ../plain":                 "plain",
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
