package compact

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"react-agent/internal/text"
)

func TestBinding(t *testing.T) {
	for line, want := range map[string]bool{
		"RULE-77: never touch prod.cfg": true, "Please don't rename it": true, "It MUST be fast": true, "use spaces only": true, "不要动 prod.cfg": true, "必须先跑测试": true,
		"记住：用中文回答": true, "the mustard is yellow": false, "hello there": false, "你好": false, "": false, "at most 20 lines": true,
	} {
		if binding(line) != want {
			t.Errorf("%q: %v", line, !want)
		}
	}
}

// Whatever was said, what is carried is within its budget, keeps its order, and carrying it again changes nothing that still fits;
// the first message and the newest are in it, and a rule in a message of any length survives as long as there is room for rules.
func TestWords(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		budget := rapid.IntRange(300, 4000).Draw(rt, "budget")
		n := rapid.IntRange(1, 30).Draw(rt, "messages")
		var all []said
		rules := 0
		for i := range n {
			filler := strings.Repeat(rapid.SampledFrom([]string{"some words here\n", "word ", "字词", "\n"}).Draw(rt, "filler"), rapid.IntRange(0, 600).Draw(rt, "length"))
			body := fmt.Sprintf("message %d\n%s", i, filler)
			if rules < 6 && rapid.Bool().Draw(rt, "rule") {
				body += fmt.Sprintf("\nnever touch file %d\n%s", i, filler)
				rules++
			}
			all = append(all, said{Seq: int64(i + 1), Text: body})
		}
		kept, left := words(append([]said(nil), all...), budget)
		sum := 0
		for i, x := range kept {
			sum += text.Tokens(x.Text)
			if i > 0 && kept[i-1].Seq >= x.Seq {
				rt.Fatalf("out of order: %v", kept)
			}
			if x.Cut == (x.Text == all[x.Seq-1].Text) {
				rt.Fatalf("message %d is said to be cut: %v", x.Seq, x.Cut)
			}
		}
		if sum > budget || left+len(kept) != n {
			rt.Fatalf("%d tokens of %d, %d kept and %d left of %d", sum, budget, len(kept), left, n)
		}
		if kept[0].Seq != 1 || kept[len(kept)-1].Seq != int64(n) {
			rt.Fatalf("the ends are %d and %d of %d", kept[0].Seq, kept[len(kept)-1].Seq, n)
		}
		again, lost := words(append([]said(nil), kept...), budget)
		if lost != 0 || len(again) != len(kept) {
			rt.Fatalf("carried again %d of %d are left, %d lost", len(again), len(kept), lost)
		}
		for _, list := range [][]said{kept, again} {
			whole := ""
			for _, x := range list {
				whole += x.Text + "\n"
			}
			for i, x := range all {
				if rule := fmt.Sprintf("never touch file %d", i); strings.Contains(x.Text, rule) && !strings.Contains(whole, rule) {
					rt.Fatalf("%q is lost of %q", rule, whole)
				}
			}
		}
	})
}

// An order in the middle of one long line is found, and a file's name is no end of a sentence.
func TestShortenOneLine(t *testing.T) {
	for _, filler := range []string{"This is a sentence that says nothing much. ", "这句话没有说什么要紧的事情。"} {
		x := said{Text: strings.Repeat(filler, 60) + "Never touch prod.cfg or the like. " + strings.Repeat(filler, 60) + "Begin now."}
		got := x.shorten(150)
		if !got.Cut || text.Tokens(got.Text) > 150 || !strings.Contains(got.Text, "Never touch prod.cfg or the like.") || !strings.Contains(got.Text, "Begin now.") {
			t.Errorf("%d tokens: %q", text.Tokens(got.Text), got.Text)
		}
	}
	if sentence("read prod.cfg. Now") != len("read prod.cfg.") || sentence("no end") != len("no end") {
		t.Error("sentences end elsewhere")
	}
}

// Of each end as many characters stay, in whichever script.
func TestEndsInCharacters(t *testing.T) {
	for _, sentence := range []string{"Nothing is said here at all. ", "这里什么要紧的事情都没有说过。"} {
		x := said{Text: strings.Repeat(sentence, 200)}
		beginning, end, _ := strings.Cut(x.shorten(longSaid).Text, gap)
		for _, part := range []string{beginning, end} {
			if n := utf8.RuneCountInString(part); n < endsSaid || n > endsSaid+3*longLine {
				t.Errorf("%d characters stay of an end: %q", n, part)
			}
		}
	}
}

func TestFitted(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.String().Draw(rt, "text")
		n := rapid.IntRange(0, 50).Draw(rt, "tokens")
		got := fitted(s, n)
		if text.Tokens(got) > n || !strings.HasPrefix(s, got) || (text.Tokens(s) <= n && got != s) {
			rt.Fatalf("%d tokens of %q are %q", n, s, got)
		}
	})
}
