package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/internal/msg"
)

func TestTold(t *testing.T) {
	for text, want := range map[string]string{
		"denied by the person: Run this?: asked by the hook ./a: too big": "你没有允许：Run this?: asked by the hook ./a: too big",
		"denied by the person: asked by the hook ./a: too big":            "你没有允许：钩子要求询问 ./a: too big",
		"refused by the hook ./a: no":                                     "被钩子拒绝 ./a: no",
		"cancelled by the person":                                         "已被你取消",
		"not run: the run ended (steps)":                                  "没有运行：本轮已结束 (steps)",
		"cat: no such file":                                               "cat: no such file",
	} {
		if got := told(msg.For(msg.Zh), text); got != want {
			t.Errorf("%q gave %q", text, got)
		}
		if got := told(msg.For(msg.En), text); got != text {
			t.Errorf("%q gave %q", text, got)
		}
	}
}

// The limit of steps is said once, in the person's language; what else may be the reason is told as it is.
func TestStepsOver(t *testing.T) {
	end := result{Stop: agent.RunSteps, Note: "the step limit of 3 is reached"}
	if got := whyStopped(msg.For(msg.Zh), end); got != "停止：达到 3 步的上限" {
		t.Errorf("%q", got)
	}
	if got := whyStopped(msg.For(msg.En), end); got != "stopped: the step limit of 3 is reached" {
		t.Errorf("%q", got)
	}
	end.Note = "检查了 3 次，目标 x 仍未达成"
	if got := whyStopped(msg.For(msg.Zh), end); got != "停止："+end.Note {
		t.Errorf("%q", got)
	}
}

// The words must be those that the kernel and the hooks use, or they are never found.
func TestFixedWordsAreUsed(t *testing.T) {
	var source strings.Builder
	for _, dir := range []string{"agent", filepath.Join("kit", "shellhook")} {
		files, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(file, "_test.go") {
				source.Write(data)
			}
		}
	}
	limit, _, _ := strings.Cut(msg.For(msg.En).Text(msg.RunStepLimit, 7), "7")
	words := []string{limit}
	for _, k := range fixed() {
		words = append(words, msg.For(msg.En).Text(k))
	}
	for _, en := range words {
		if !strings.Contains(source.String(), `"`+en) {
			t.Errorf("nobody says %q", en)
		}
	}
}
