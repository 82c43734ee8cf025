//go:build linux

package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"react-agent/internal/msg"
)

// Real failures are explained.
func TestExplain(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, _ way) {
		ssh := filepath.Join(r.home, ".ssh", "id_x")
		for command, want := range map[string]string{
			"python3 -c 'import urllib.request as u; u.urlopen(\"http://example.invalid/\")'": "no network",
			"echo x >/usr/bin/x":            "/usr/bin/x",
			"touch '/etc/x'":                "/etc/x",
			"rm /usr/bin/env":               "/usr/bin/env",
			"LC_ALL=C cat " + quote(ssh):    "hidden",
			"mount -t tmpfs x /mnt; exit 1": "powers",
		} {
			if strings.HasPrefix(command, "mount") && os.Geteuid() != 0 {
				continue // says that only root can do it
			}
			if strings.HasPrefix(command, "python3") {
				python(t, "")
			}
			out := r.fails(t, command)
			if got := r.Explain(out); !strings.HasPrefix(got, "[sandbox: ") || !strings.Contains(got, want) {
				t.Errorf("%s: %q is explained as %q", command, out, got)
			}
		}
		for _, command := range []string{"cat no-such-file", "exit 3", "no-such-program", "false", "cd nowhere", "chmod 000 . && touch x; r=$?; chmod 755 .; echo \"$r\"; exit 1"} {
			if got := r.Explain(r.fails(t, command)); got != "" {
				t.Errorf("%s is explained as %q", command, got)
			}
		}
	})
}

func quote(s string) string { return "'" + s + "'" }

func TestExplainWords(t *testing.T) {
	r := open(t, way{"landlock", Landlock, false}, Options{})
	for output, want := range map[string]string{
		"curl: (6) Could not resolve host: example.com":                              "no network",
		"curl：无法解析主机 x":                                                              "no network",
		"fatal: unable to access 'https://x/': Could not resolve host: x":            "no network",
		"dial tcp: lookup modules.example.org: Temporary failure in name resolution": "no network",
		"bash: /etc/passwd: Permission denied":                                       "/etc/passwd",
		"bash: /etc/passwd: 权限不够":                                                    "/etc/passwd",
		"touch: cannot touch 'x': Read-only file system":                             "this place",
		"open ~/.ssh/id_x: no such file or directory":                                "hidden",
		"OSError: [Errno 30] Read-only file system: '/opt/x'":                        "/opt/x",
		strings.Repeat("x\n", 20000) + "bash: /etc/x: Permission denied":             "/etc/x",
		"bash: ./script.sh: Permission denied":                                       "",
		"/nowhere/x: No such file or directory":                                      "",
		"all good":                                                                   "",
		"":                                                                           "",
	} {
		got := r.Explain(output)
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%.60q is explained as %q, want %q", output, got, want)
		}
	}
}

func TestAbilities(t *testing.T) {
	for _, lang := range []string{"zh", "en"} {
		list := Abilities(t.Context(), Options{Root: t.TempDir(), Lang: lang})
		var names []string
		for _, a := range list {
			names = append(names, a.Name)
			if a.Detail == "" {
				t.Errorf("%s says nothing", a.Name)
			}
			t.Logf("%+v", a)
		}
		for _, want := range []string{"bwrap", "landlock", "seccomp"} {
			if !slices.Contains(names, want) {
				t.Errorf("%s is missing in %v", want, names)
			}
		}
	}
}

// Where what was asked for does not work, nothing runs, and the person is told what to do.
func TestClosedWhenItDoesNotWork(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken")
	if err := os.WriteFile(broken, []byte("#!/bin/sh\necho no namespaces for you >&2; exit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{broken, filepath.Join(dir, "missing"), "/bin/false"} {
		s, err := Open(Options{Kind: Bwrap, Root: dir, Program: program})
		if err != nil {
			t.Fatal(err)
		}
		cmd := shellCommand("true")
		if err := s.Prepare(cmd); err == nil || !strings.Contains(err.Error(), "bubblewrap") {
			t.Errorf("%s: %v", program, err)
		}
		if s.Warning() == "" || s.Kind() != Off || s.Explain("Read-only file system") != "" {
			t.Errorf("%s: %q %s", program, s.Warning(), s.Kind())
		}
		if program == broken && !strings.Contains(s.Warning(), "no namespaces for you") {
			t.Errorf("the cause is not told: %q", s.Warning())
		}
		s.close(t)
	}
	s, err := Open(Options{Kind: Landlock, Root: dir, Self: "/bin/false", Lang: "zh"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close(t)
	if err := s.Prepare(shellCommand("true")); err == nil || !strings.Contains(msg.For(msg.Zh).Err(err), "5.13") {
		t.Error(err)
	}
}

// Kind auto takes what works, and says so when nothing does.
func TestAuto(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(Options{Kind: Auto, Root: dir, Program: "/bin/false"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close(t)
	if _, err := landlockABI(); err == nil && s.Kind() != Landlock {
		t.Errorf("without bubblewrap it is %s: %s", s.Kind(), s.Warning())
	}
	none, err := Open(Options{Kind: Auto, Root: dir, Program: "/bin/false", Self: "/bin/false"})
	if err != nil {
		t.Fatal(err)
	}
	defer none.close(t)
	cmd := shellCommand("true")
	before := slices.Clone(cmd.Args)
	if err := none.Prepare(cmd); err != nil || none.Kind() != Off || !slices.Equal(cmd.Args, before) {
		t.Errorf("%v %s %v", err, none.Kind(), cmd.Args)
	}
	if !strings.Contains(none.Warning(), "nothing holds commands") {
		t.Errorf("warning %q", none.Warning())
	}
}

func TestOpeningsAreTold(t *testing.T) {
	s, err := Open(Options{Kind: Landlock, Root: "/work"})
	if err != nil {
		t.Fatal(err)
	}
	for abi, want := range map[int][]string{
		1:  {"TCP", "UDP", "docker.sock", "signals", "truncating", "hooks"},
		4:  {"UDP", "docker.sock", "signals", "hooks"},
		7:  {"UDP", "docker.sock", "hooks"},
		10: {"hooks", "mode bits"},
	} {
		said := s.openings(finding{kind: Landlock, abi: abi, confine: os.ErrPermission})
		for _, w := range []string{"TCP", "UDP", "docker.sock", "signals", "truncating", "hooks", "mode bits"} {
			if strings.Contains(said, w) != (slices.Contains(want, w) || w == "hooks" || w == "mode bits") {
				t.Errorf("ABI %d: %q, want %v", abi, said, want)
			}
		}
	}
	if s.openings(finding{spaces: true}) != "" {
		t.Error("with namespaces something is open")
	}
}
