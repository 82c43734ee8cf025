package install

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/internal/msg"
)

func TestParseTakesWhatTheNpmProgramTakes(t *testing.T) {
	const sha = "0123456789abcdef0123456789abcdef01234567"
	for text, want := range map[string]Source{
		"./skills":       {Kind: Local, URL: "/base/dir/skills"},
		"../x":           {Kind: Local, URL: "/base/x"},
		".":              {Kind: Local, URL: "/base/dir"},
		"/abs/p#not-ref": {Kind: Local, URL: "/abs/p#not-ref"},

		"owner/repo":                                                       {Kind: GitHub, URL: "https://github.com/owner/repo.git"},
		"owner/repo/":                                                      {Kind: GitHub, URL: "https://github.com/owner/repo.git"},
		"owner/repo.git":                                                   {Kind: GitHub, URL: "https://github.com/owner/repo.git"},
		"owner/repo/sub/path":                                              {Kind: GitHub, URL: "https://github.com/owner/repo.git", Sub: "sub/path"},
		"owner/repo@skill":                                                 {Kind: GitHub, URL: "https://github.com/owner/repo.git", Skill: "skill"},
		"owner/repo#v1.2":                                                  {Kind: GitHub, URL: "https://github.com/owner/repo.git", Ref: "v1.2"},
		"owner/repo#feat/x@my skill":                                       {Kind: GitHub, URL: "https://github.com/owner/repo.git", Ref: "feat/x", Skill: "my skill"},
		"owner/repo#@only":                                                 {Kind: GitHub, URL: "https://github.com/owner/repo.git", Skill: "only"},
		"owner/repo#a%2Fb":                                                 {Kind: GitHub, URL: "https://github.com/owner/repo.git", Ref: "a/b"},
		"owner/repo#" + sha:                                                {Kind: GitHub, URL: "https://github.com/owner/repo.git", Ref: sha},
		"github:owner/repo/sub#r":                                          {Kind: GitHub, URL: "https://github.com/owner/repo.git", Sub: "sub", Ref: "r"},
		"gitlab:group/sub/repo#main":                                       {Kind: GitLab, URL: "https://gitlab.com/group/sub/repo.git", Ref: "main"},
		"https://github.com/o/r":                                           {Kind: GitHub, URL: "https://github.com/o/r.git"},
		"https://github.com/o/r.git":                                       {Kind: GitHub, URL: "https://github.com/o/r.git"},
		"https://www.github.com/o/r/":                                      {Kind: GitHub, URL: "https://github.com/o/r.git"},
		"https://github.com/o/r/tree/main/skills/x":                        {Kind: GitHub, URL: "https://github.com/o/r.git", Ref: "main", Sub: "skills/x"},
		"https://github.com/o/r/tree/v1":                                   {Kind: GitHub, URL: "https://github.com/o/r.git", Ref: "v1"},
		"https://github.com/o/r/blob/main/skills/x/SKILL.md":               {Kind: GitHub, URL: "https://github.com/o/r.git", Ref: "main", Sub: "skills/x"},
		"https://github.com/o/r/archive/refs/heads/main.zip":               {Kind: Download, URL: "https://github.com/o/r/archive/refs/heads/main.zip"},
		"https://github.com/o/r/releases/download/v1/s.tgz":                {Kind: Download, URL: "https://github.com/o/r/releases/download/v1/s.tgz"},
		"https://raw.githubusercontent.com/o/r/main/SKILL.md":              {Kind: Download, URL: "https://raw.githubusercontent.com/o/r/main/SKILL.md"},
		"https://gitlab.com/g/s/r":                                         {Kind: GitLab, URL: "https://gitlab.com/g/s/r.git"},
		"https://gitlab.example/g/s/r/-/tree/main/a/b":                     {Kind: GitLab, URL: "https://gitlab.example/g/s/r.git", Ref: "main", Sub: "a/b"},
		"https://gitlab.com/g/r/-/archive/main/r.zip":                      {Kind: Download, URL: "https://gitlab.com/g/r/-/archive/main/r.zip"},
		"https://dev.azure.com/org/proj/_git/repo?path=/a/b&version=GBdev": {Kind: Git, URL: "https://dev.azure.com/org/proj/_git/repo", Ref: "dev", Sub: "a/b"},
		"https://dev.azure.com/org/My%20Proj/_git/repo#x":                  {Kind: Git, URL: "https://dev.azure.com/org/My%20Proj/_git/repo", Ref: "x"},
		"git@host.example:a/b.git#v2":                                      {Kind: Git, URL: "git@host.example:a/b.git", Ref: "v2"},
		"ssh://git@host.example:2222/a/b.git":                              {Kind: Git, URL: "ssh://git@host.example:2222/a/b.git"},
		"https://host.example/a/b.git#v2@s":                                {Kind: Git, URL: "https://host.example/a/b.git", Ref: "v2", Skill: "s"},
		"file:///srv/repo":                                                 {Kind: Git, URL: "file:///srv/repo"},
		"https://host.example/x/skill.zip":                                 {Kind: Download, URL: "https://host.example/x/skill.zip"},
		"https://host.example/a/SKILL.md#top":                              {Kind: Download, URL: "https://host.example/a/SKILL.md"},
		"https://docs.example":                                             {Kind: WellKnown, URL: "https://docs.example"},
		"https://docs.example/team":                                        {Kind: WellKnown, URL: "https://docs.example/team"},
	} {
		got, err := Parse(text, "/base/dir")
		if want.Kind == Local {
			want.URL, _ = filepath.Abs(want.URL)
		}
		if err != nil || got != want {
			t.Errorf("%s: %+v %v, want %+v", text, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]msg.Key{
		"": msg.InstallSource, "word": msg.InstallSource, "owner/": msg.InstallSource, "owner/re po": msg.InstallSource, "a/b\x1b[2J": msg.InstallSource,
		"../x/../y\n": "", "owner/..": msg.InstallSource, "github:https://x/y": msg.InstallSource,
		"-x/y": msg.InstallDash, "--upload-pack=touch x": msg.InstallDash,
		"ext::sh -c touch% x": msg.InstallTransport, "fd::17/x": msg.InstallTransport, "ftp://h/x.git": msg.InstallTransport,
		"http+ext::x": msg.InstallTransport, "javascript://h/x": msg.InstallTransport,
		"owner/repo/../x": msg.InstallDotDot, `owner/repo/a\..\x`: msg.InstallDotDot, "https://github.com/o/r/tree/main/../../x": msg.InstallDotDot,
		"https://dev.azure.com/o/p/_git/r?path=/../x": msg.InstallDotDot,
		"owner/repo#--upload-pack=x":                  msg.InstallRef, "owner/repo#a..b": msg.InstallRef, "owner/repo#a b": msg.InstallRef, "owner/repo#a:b": msg.InstallRef,
		"owner/repo#+x": msg.InstallRef, "owner/repo#a%00b": msg.InstallRef, "owner/repo#^x": msg.InstallRef, "owner/repo#x.lock": msg.InstallRef,
	} {
		s, err := Parse(text, "/work")
		if want == "" {
			continue // a path; that it is there is found out later
		}
		e, ok := errors.AsType[*msg.Error](err)
		if !ok || e.Key != want {
			t.Errorf("%q: %+v %v, want %q", text, s, err, want)
		}
	}
}

// No password reaches a screen or a lock file.
func TestPasswordsAreNotShown(t *testing.T) {
	for _, text := range []string{
		"https://me:hunter2@host.example/a/b.git", "https://me:hunter2@github.com/o/r", "https://me:hunter2@docs.example/x",
		"ssh://git:hunter2@host.example/a/b.git", "https://me:hunter2@gitlab.com/o/r", "https://hunter2@dev.azure.com/o/p/_git/r",
		"https://me:hunter2@h.example/x.zip",
	} {
		s, err := Parse(text, "/work")
		if err != nil {
			t.Fatal(text, err)
		}
		source, origin := ProjectPlace("/work").names(s)
		for _, shown := range []string{s.Shown(), s.String(), source, origin} {
			if strings.Contains(shown, "hunter2") {
				t.Errorf("%s is shown as %s", text, shown)
			}
		}
		if !strings.Contains(s.URL, "hunter2") {
			t.Errorf("%s: the password is lost: %s", text, s.URL)
		}
	}
	for _, text := range []string{"ftp://me:hunter2@h/x", "https://me:hunter2@h\x00/x", "https://me:hunter2@%zz/x"} {
		if _, err := Parse(text, "/"); err == nil || strings.Contains(strings.ReplaceAll(err.Error(), `"https://me:hunter2@h\x00/x"`, ""), "hunter2") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a/b", "./x", "https://github.com/a/b/tree/c/d", "git@h:x/y#z@w", "ext::x", "https://h/_git/r?path=..&version=GBx", "a/b#%2d", "github:a/b/..", "gitlab:-/x/y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text, "/work")
		if err != nil {
			return
		}
		if strings.HasPrefix(s.URL, "-") || strings.HasPrefix(s.Ref, "-") || strings.Contains(s.Ref, "..") || helper().MatchString(s.URL) && s.Kind != Local {
			t.Errorf("%q: %+v", text, s)
		}
		if s.Kind != Local {
			for part := range strings.SplitSeq(s.Sub, "/") {
				if part == ".." {
					t.Errorf("%q: %+v", text, s)
				}
			}
		}
		_ = s.String()
	})
}
