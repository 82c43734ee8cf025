package command

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"react-agent/internal/msg"
	"react-agent/internal/text"
	"react-agent/kit/gauge"
)

// Whatever fills a window, the picture of it fits a terminal of 80 columns, in both languages, and no line is empty but the
// ones that part it.
func TestThePictureOfAWindowFits(t *testing.T) {
	kinds := []gauge.Kind{
		gauge.System, gauge.Tools, gauge.Summary, gauge.Person, gauge.Files, gauge.Skills, gauge.Memory, gauge.Notes, gauge.Answers, gauge.Thoughts,
		gauge.Calls, gauge.Results,
	}
	rapid.Check(t, func(t *rapid.T) {
		f := Fill{
			Model:  rapid.SampledFrom([]string{"", "m", "模型-一", "claude-opus-5-20260101"}).Draw(t, "model"),
			Window: rapid.SampledFrom([]int{0, 2048, 4096, 200_000, 2_000_000}).Draw(t, "window"), CompactAt: rapid.IntRange(1500, 2_000_000).Draw(t, "at"), Manual: rapid.Bool().Draw(t, "manual"),
		}
		for i := range rapid.IntRange(0, 20).Draw(t, "items") {
			name := rapid.SampledFrom([]string{"", "bash", strings.Repeat("目录/", 20) + "文件.md", strings.Repeat("path/", 20), "a\nb\tc"}).Draw(t, "name")
			it := gauge.Item{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Name: name + fmt.Sprint(i), Count: rapid.IntRange(1, 999).Draw(t, "count"), Tokens: rapid.IntRange(0, 99_999).Draw(t, "tokens")}
			f.Items, f.Tokens = append(f.Items, it), f.Tokens+it.Tokens
		}
		f.Reported = rapid.IntRange(0, f.Tokens).Draw(t, "reported")
		for _, lang := range []msg.Lang{msg.Zh, msg.En} {
			for _, line := range picture(msg.For(lang), &f) {
				if text.Columns(line) > 80 || strings.ContainsAny(line, "\n\t") || strings.Contains(line, "%!") {
					t.Fatalf("%d columns: %q", text.Columns(line), line)
				}
				if strings.HasPrefix(line, "[") && text.Columns(line) != 78 {
					t.Fatalf("%d columns: %q", text.Columns(line), line)
				}
			}
		}
	})
}

func TestShares(t *testing.T) {
	f := &Fill{Window: 1000, CompactAt: 900}
	f.Tokens = 1
	if b := bar(f, 1000); !strings.HasPrefix(b, "[#.") || strings.Index(b, "|") != 68 {
		t.Error(b)
	}
	f.Tokens = 5000
	if b := bar(f, 1000); strings.Contains(b, ".") || len(b) != 78 {
		t.Error(b)
	}
	if r := row("x", 1, 1000); !strings.Contains(r, "<1 %") {
		t.Error(r)
	}
	if r := row("x", 1, 0); strings.Contains(r, "#") {
		t.Error(r)
	}
	if s := clipWide("目录目录目录", 9); text.Columns(s) > 9 || !strings.HasSuffix(s, "...") {
		t.Error(s)
	}
}
