package install

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The order is the one that Node gives for these names, the sums those that the npm program wrote.
func TestHashIsTheirs(t *testing.T) {
	names := []string{
		"a b", "a_b", "a-b", "a.b", "a/b", "ab", "aB", "e", "f", "references/x.md", "scripts/A", "Scripts/a", "scripts/b", "scripts/B", "SKILL.md",
		"z1", "z10", "z2", "zz", "中", "啊", "文", "阿",
	}
	mixed := slices.Clone(names)
	slices.Sort(mixed)
	slices.SortFunc(mixed, collate)
	if !slices.Equal(mixed, names) {
		t.Errorf("%q\nwant %q", mixed, names)
	}
	tree := Tree{
		{Path: "B.txt", Data: []byte("B\n")},
		{Path: "SKILL.md", Data: []byte("---\nname: Up Case_Name\ndescription: second one\n---\nbody\n")},
		{Path: "_x", Data: []byte("_\n")},
		{Path: "a.txt", Data: []byte("a\n")},
		{Path: "node_modules/x/y.js", Data: []byte("not counted")},
	}
	if got := tree.hash(); got != "7fb9c332b2b1577ae5ae12fcb86328f4b1df1edec1a37f511f94a0ec661c76ad" {
		t.Error(got)
	}
}

func TestCollateIsAnOrder(t *testing.T) {
	name := rapid.StringOfN(rapid.RuneFrom([]rune("aAbBzZ019_-./ é中\x01")), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := name.Draw(t, "a"), name.Draw(t, "b"), name.Draw(t, "c")
		if collate(a, b) != -collate(b, a) || (collate(a, b) == 0) != (a == b) {
			t.Fatalf("%q %q", a, b)
		}
		if collate(a, b) < 0 && collate(b, c) < 0 && collate(a, c) >= 0 {
			t.Fatalf("%q %q %q", a, b, c)
		}
	})
}

func TestGitTreeIsGits(t *testing.T) {
	git(t, "", "--version")
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	write(t, dir+"/SKILL.md", "x")
	write(t, dir+"/a.b/c", "")
	write(t, dir+"/a/c", "1")
	write(t, dir+"/a-b", "2")
	if err := exec.CommandContext(t.Context(), "chmod", "+x", dir+"/a-b").Run(); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "add", "-A")
	want := git(t, dir, "write-tree")
	tree, err := readTree(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := tree.gitTree(); got != want {
		t.Errorf("%s, git says %s", got, want)
	}
}

// git runs git for a test, with nobody's settings.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("git")
	if err != nil {
		t.Skip("needs git")
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir = dir
	cmd.Env = gitEnv(t)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}
