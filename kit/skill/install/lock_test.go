package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const theirProject = `{
  "version": 1,
  "skills": {
    "Up Case_Name": {
      "source": "../src",
      "sourceType": "local",
      "computedHash": "7fb9c332b2b1577ae5ae12fcb86328f4b1df1edec1a37f511f94a0ec661c76ad"
    },
    "weather": {
      "source": "o/<r>&x",
      "ref": "main",
      "sourceType": "github",
      "skillPath": "skills/weather/SKILL.md",
      "computedHash": "ae17b2a59c3eecd57a0f831303b3b437093fb600e2c2c846f941a5ec9b8172cf",
      "subagents": [
        "",
        "x"
      ]
    }
  }
}
`

const theirUser = `{
  "version": 3,
  "skills": {
    "z": {
      "source": "o/r",
      "sourceType": "github",
      "skillFolderHash": "",
      "installedAt": "2026-01-02T03:04:05.678Z"
    },
    "a": {}
  },
  "dismissed": {
    "findSkillsPrompt": true
  },
  "lastSelectedAgents": [
    "codex"
  ]
}`

// A lock file that they wrote and we write again is the same, byte for byte; what we do not know stays.
func TestLockFilesAreKept(t *testing.T) {
	for _, c := range []struct {
		p    Place
		text string
	}{{ProjectPlace(t.TempDir()), theirProject}, {UserPlace(t.TempDir(), ""), theirUser}, {UserPlace(t.TempDir(), t.TempDir()), theirUser}} {
		write(t, c.p.Lock, c.text)
		l, err := readLock(c.p)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.write(); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(c.p.Lock)
		if err != nil || string(got) != c.text {
			t.Errorf("%v\n%s", err, got)
		}
	}
}

func TestLockFilesThatCannotBeReadAreNotReplaced(t *testing.T) {
	for _, text := range []string{"", "{", "[]", `{"version":9,"skills":{}}`, `{"version":"1"}`, `{"version":1,"skills":[]}`, `{"version":1,"skills":{"a":1}}`, `{"version":1} x`} {
		p := ProjectPlace(t.TempDir())
		write(t, p.Lock, text)
		if _, err := readLock(p); err == nil || !strings.Contains(err.Error(), p.Lock) {
			t.Errorf("%q: %v", text, err)
		}
	}
	p := ProjectPlace(t.TempDir())
	if l, err := readLock(p); err != nil || len(l.entries) != 0 {
		t.Errorf("a lock file that is not there is an empty one: %v", err)
	}
	write(t, p.Lock, "\xef\xbb\xbf"+`{"version":1}`)
	if _, err := readLock(p); err != nil {
		t.Error(err)
	}
	if err := os.Remove(p.Lock); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(p.Lock, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := readLock(p); err == nil {
		t.Error("a folder is no lock file")
	}
}

// A lock file that is a link stays one, and keeps its permissions.
func TestLockFileBehindALink(t *testing.T) {
	p := ProjectPlace(t.TempDir())
	other := filepath.Join(t.TempDir(), "lock.json")
	write(t, other, theirProject)
	if err := os.Chmod(other, 0o600); err != nil {
		t.Fatal(err)
	}
	link(t, other, p.Lock)
	l, err := readLock(p)
	if err != nil {
		t.Fatal(err)
	}
	l.drop("weather")
	if err := l.write(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(p.Lock)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v %v", info, err)
	}
	if info, err = os.Stat(other); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

func FuzzLock(f *testing.F) {
	f.Add([]byte(theirProject))
	f.Add([]byte(theirUser))
	f.Add([]byte(`{"version":1,"skills":{"a":{"files":{"x":1},"files":[]},"a":{}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, p := range []Place{ProjectPlace("/nowhere"), UserPlace("/nowhere", "")} {
			l := &lockFile{place: p}
			if l.parse(data) != nil {
				continue
			}
			out, err := l.encode()
			if err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			again := &lockFile{place: p}
			if err := again.parse(out); err != nil {
				t.Fatalf("%s: %v", out, err)
			}
			twice, err := again.encode()
			if err != nil || string(twice) != string(out) {
				t.Fatalf("%s\n%s", out, twice)
			}
			for _, e := range l.entries {
				_, _ = e.source(p)
				_ = e.files()
			}
		}
	})
}

func TestFolderNames(t *testing.T) {
	for name, want := range map[string]string{
		"weather": "weather", "Up Case_Name": "up-case_name", "a/../b": "a-..-b", "..": "", "../x": "x", "-x-": "x", "查天气": "查天气", "查 天气!": "查-天气",
		"weather 天气": "weather", "CON": "con-skill", "aux.md": "aux.md-skill", "": "", "!!": "", "com1": "com1-skill", "é": "é",
	} {
		if got := Folder(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := Folder(strings.Repeat("a", 300)); len(got) != 255 {
		t.Error(len(got))
	}
	if got := Folder(strings.Repeat("天", 300)); len(got) > 255 || got == "" {
		t.Error(len(got))
	}
}
