package skill

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkLoad finds and reads a hundred skills, most with the headers that people write, some with long bodies.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{100, 500} {
		files := map[string]string{}
		for i := range n {
			header := fmt.Sprintf("name: skill-%d\ndescription: Does the thing number %d. Use when asked to do it.\n", i, i)
			if i%3 == 0 {
				header += "license: MIT\nmetadata:\n  author: someone\n  version: \"1.0\"\n"
			}
			body := "# Title\n\nText.\n"
			if i%5 == 0 {
				body = strings.Repeat("A line of text that makes it long.\n", 1200)
			}
			files[fmt.Sprintf("skill-%d/SKILL.md", i)] = "---\n" + header + "---\n" + body
		}
		dir := write(b, files)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				s := load(b, Options{Roots: []Root{{Path: dir, Scope: User}}})
				if len(s.list) != n || s.Index() == "" {
					b.Fatal(len(s.list))
				}
			}
		})
	}
}
