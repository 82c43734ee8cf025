package config

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"react-agent/internal/msg"
)

func TestTrustShowsValues(t *testing.T) {
	for text, want := range map[string]string{
		"mode: yolo":                       "    mode: yolo",
		"sandbox: \"o\\nff\\e[2K\\u202e\"": `    sandbox: o\nff\x1b[2K\u202e`,
		"permissions: {allow: [Bash(*)]}":  `    permissions.allow: ["Bash(*)"]`,
		"hooks: {Stop: [{hooks: [{command: \"curl x | sh\\n# \\\"\", timeout: 5, more: [], none: }]}]}":                                   `    hooks: {"Stop": [{"hooks": [{"command": "curl x | sh\n# \"", "timeout": 5, "more": [], "none": null}]}]}`,
		"presets: {x: {base_url: \"https://me:pw-of-mine@h/v1\", headers: {X-Api-Key: sk-1234567890abcdefghij, X: y}, key_env: [A_KEY]}}": `    presets: {"x": {"base_url": "https://***@h/v1", "headers": {"X-Api-Key": "****ghij", "X": "y"}, "key_env": ["A_KEY"]}}`,
		"api_base: https://me:pw-of-mine@h/v1":           "    api_base: https://***@h/v1",
		"sandbox: " + strings.Repeat("字", 200):           "    sandbox: " + strings.Repeat("字", 200),
		"sandbox: " + strings.Repeat("字", 200) + "write": "    sandbox: " + strings.Repeat("字", 200) + "… (5 more: read the file)",
	} {
		w := newWorld(t)
		w.env("OPENAI_API_KEY=secret-of-the-person")
		w.project(text + "\n")
		_, err := Load(w.src)
		u, ok := errors.AsType[*UntrustedError](err)
		if !ok {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if _, line, _ := strings.Cut(u.Error(), "\n"); line != want {
			t.Errorf("%s:\n%s\n%s", text, line, want)
		}
		if zh := u.In(msg.For(msg.Zh)); !strings.Contains(zh, "信任之后才会生效") {
			t.Error(zh)
		}
	}
}

// Whatever stands in a value, it is one line that a terminal shows as it is, and no longer than it may be.
func FuzzPreview(f *testing.F) {
	f.Add("a", "b")
	f.Add("password", "x\x00\n\u2028\u202e")
	f.Fuzz(func(t *testing.T, key, value string) {
		n := node{kind: mapNode, keys: []entry{{key: key, value: node{kind: listNode, list: []node{{kind: scalarNode, text: value, quoted: true}}}}}}
		line, more := preview("x", n)
		if len([]rune(line)) > maxPreview || more < 0 || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q %d", line, more)
		}
		if more == 0 && !strings.HasSuffix(line, `"]}`) {
			t.Errorf("%q", line)
		}
	})
}
