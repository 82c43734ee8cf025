package tool

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSplitArgs(t *testing.T) {
	for line, want := range map[string][]string{
		"": nil, "  \t\n ": nil, "a": {"a"}, " a  b\tc\nd ": {"a", "b", "c", "d"},
		`'a b' "c d"`: {"a b", "c d"}, `a'b'"c"d`: {"abcd"}, `'' ""`: {"", ""}, `a '' b`: {"a", "", "b"},
		`a\ b`: {"a b"}, `\"x\'`: {`"x'`}, `\\`: {`\`}, `'\'`: {`\`}, `"\\ \" \$ \a"`: {`\ " $ \a`},
		"a\\\nb": {"ab"}, "\"a\\\nb\"": {"ab"}, `$HOME *.go ~ $(x) ; | > &`: {"$HOME", "*.go", "~", "$(x)", ";", "|", ">", "&"},
		`深圳 '晴 天'`: {"深圳", "晴 天"}, "#x": {"#x"}, `--k="a b"`: {"--k=a b"}, "\\\n": nil,
	} {
		got, err := splitArgs(line)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q", line, got, err, want)
		}
	}
	for line, want := range map[string]string{`a "b`: `quote "`, `it's`: "quote '", `x\`: "backslash", `"a\"`: `quote "`, `'a\'b'`: "quote '"} {
		if got, err := splitArgs(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v; want %q", line, got, err, want)
		}
	}
}

// What is quoted comes back, whatever it is.
func TestQuotedArgsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.StringMatching(`[ -~\n\tä日]*`)).Draw(t, "args")
		var single, double, slashed []string
		for _, w := range want {
			single = append(single, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
			double = append(double, `"`+strings.NewReplacer(`"`, `\"`, `\`, `\\`, "$", `\$`, "`", "\\`").Replace(w)+`"`)
			s := "''"
			for _, c := range w {
				if c == '\n' {
					s += "'\n'"
				} else {
					s += `\` + string(c)
				}
			}
			slashed = append(slashed, s)
		}
		for _, form := range [][]string{single, double, slashed} {
			got, err := splitArgs(strings.Join(form, " "))
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%q: %q, %v", form, got, err)
			}
		}
	})
}

// Where a line has nothing but words, quotes and backslashes, a shell splits it in the same way.
func FuzzSplitArgs(f *testing.F) {
	for _, s := range []string{"a b", `'a b'c "d\"e" \ f`, `x\`, `'`, "\"a\\\nb\"", `''`, "\xff\x00", `"\x\\"`} {
		f.Add(s)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		f.Skip("needs sh")
	}
	f.Fuzz(func(t *testing.T, line string) {
		got, err := splitArgs(line)
		if err == nil && strings.Join(got, "") == "" && strings.Trim(line, " \t\r\n\\'\"") != "" {
			t.Errorf("%q: everything is lost", line)
		}
		if strings.ContainsAny(line, "$`*?[]{}~#;&|<>()!=%^") || !printable(line) {
			return // the shell would do more with it: never let it run a line that was made up
		}
		out, shellErr := exec.Command(sh, "-c", `printf '%s\0' x `+line).Output()
		if (err != nil) != (shellErr != nil) {
			if err != nil && strings.HasSuffix(line, `\`) {
				return // some shells take a backslash at the end for itself
			}
			t.Fatalf("%q: %v, the shell: %v", line, err, shellErr)
		}
		if err != nil {
			return
		}
		want := strings.Split(strings.TrimSuffix(strings.TrimPrefix(string(out), "x\x00"), "\x00"), "\x00")
		if string(out) == "x\x00" {
			want = nil
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, the shell: %q", line, got, want)
		}
	})
}

func printable(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}
