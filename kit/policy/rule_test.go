package policy

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"react-agent/agent"
	"react-agent/internal/msg"
)

func TestParseRule(t *testing.T) {
	for _, s := range []string{
		"bash", "Bash", "*", "bash(*)", "bash(git *)", "bash(git:*)", " bash(git *) ", "bash(=rm 'a b' # ) \n x)", `bash(grep \' x)`, "edit_file(src/**)",
		"read_file(~/.ssh/**)", "write_file(/etc/**)", "web_fetch(https://go.dev/**)", "WebFetch(domain:go.dev)", "mcp__server__*", "mcp__server", "Edit(*.md)",
		"run_shell_command(ls)", "Skill(review)", `other({"a":"b c"})`,
	} {
		if r, err := ParseRule(s); err != nil || r.String() != strings.TrimSpace(s) {
			t.Errorf("%q: %v %v", s, r, err)
		}
	}
	for s, want := range map[string]struct {
		column int
		say    string
	}{
		"":                            {1, "empty"},
		"  (x)":                       {3, "name is missing"},
		"ba sh(x)":                    {3, "does not belong"},
		"命令(x)":                       {1, "does not belong"},
		"bash(x":                      {7, "closing parenthesis is missing"},
		"bash(x) y":                   {8, "behind the closing parenthesis"},
		"bash()":                      {6, "nothing between"},
		"bash(=)":                     {6, "nothing between"},
		`bash(echo "x" *)`:            {11, "quote"},
		`bash(回声 "x")`:                {9, "quote"},
		"bash(a\nb)":                  {7, "one line"},
		`bash(a\)`:                    {7, "backslash"},
		"edit_file(src/***)":          {15, "three stars"},
		"edit_file(a\x00)":            {12, "NUL"},
		"web_fetch(go.dev)":           {11, "scheme"},
		"web_fetch(https://go.dev*)":  {26, "slash"},
		"web_fetch(https://u@h/)":     {19, "user"},
		"web_fetch(domain:go.dev/x)":  {18, "domain is a name"},
		"background_run(rm 'x')":      {19, "quote"},
		"bash(ls) # all listing":      {9, "behind the closing"},
		"web_fetch(https:///etc/**)":  {19, "host is missing"},
		"bash(git *)) and something ": {13, "behind"},
	} {
		_, err := ParseRule(s)
		var bad *RuleError
		if !errors.As(err, &bad) || bad.Column != want.column || !strings.Contains(bad.Reason, want.say) || !strings.Contains(err.Error(), "column") {
			t.Errorf("%q: %v, want column %d, %q", s, err, want.column, want.say)
			continue
		}
		if zh := msg.For(msg.Zh).Err(err); !strings.Contains(zh, "规则") || strings.Contains(zh, bad.Reason) {
			t.Errorf("%q in Chinese: %s", s, zh)
		}
	}
}

func TestRuleNames(t *testing.T) {
	bash := agent.Tool{Name: "bash", Alias: "run_shell_command", Aliases: []string{"run_command"}}
	mcp := agent.Tool{Name: "mcp__files__read"}
	for s, want := range map[string][2]bool{
		"bash": {true, false}, "Bash(ls)": {true, false}, "run_shell_command(ls)": {true, false}, "run_command": {true, false}, "*": {true, true},
		"mcp__files": {false, true}, "mcp__files__*": {false, true}, "mcp__file": {false, false}, "mcp__*__read": {false, true}, "bsh": {false, false}, "b*h": {true, false},
	} {
		r := rule(t, s)[0]
		if got := [2]bool{r.Names(bash), r.Names(mcp)}; got != want {
			t.Errorf("%s: %v, want %v", s, got, want)
		}
	}
}

// What people write in a rule about commands, and what it stands for.
func TestCommandPatterns(t *testing.T) {
	for s, cases := range map[string]string{ // + for what an allow rule covers, - for what it does not
		"git *":           "+git|+git log|+git log -5|-gitk|-git-x|-x git",
		"git:*":           "+git|+git log|-gitk",
		"git log":         "+git log|+git  log|+git 'log'|-git log -5|-'git log'|-git",
		"git * main":      "+git push origin main|+git diff main|-git main|-git push main x",
		"npm run test*":   "+npm run test|+npm run test:unit|+npm run test -- -x|-npm run build",
		"* --version":     "+go --version|+a b --version|-sh x --version|---version|-sudo x --version|-python3 x.py --version",
		`grep \* *`:       "+grep '*' x|-grep x y",
		`echo \'x\'`:      `+echo "'x'"|-echo x`,
		"make":            "+make|-make all",
		"git -c *":        "-git -c a=b log|-git log|-git -C x log",
		"git -c a=b log":  "+git -c a=b log|-git -c a=c log",
		"find * -delete":  "+find . -name x -delete|-find . -fls x|-find . -exec rm x +",
		"sort *":          "+sort -n x|-sort -o x y|-sort --outp=x y|-sort --compress-program=sh x|-sort -no x",
		"sed *":           "+sed -n 5,10p x|+sed 's/a/b/g' src/x|+sed -e 's/a/b/' -e p x|-sed -i s/a/b/ x|-sed e x|-sed 1e x|-sed 's/a/b/e' x|-sed 's/a/b/w f' x|-sed 'w f' x|-sed -f f x|-sed -ni p x|-sed p\\;e x|-sed sXaXbXe x|-sed $x f|-sed '/x/e ls' f",
		"awk *":           "+awk '{print $1}' f|-awk 'BEGIN{system(\"x\")}'|-awk '{print > \"f\"}' f|-awk -f f x|-awk '{\"x\" | getline}' f",
		"tar *":           "+tar -tzf x.tgz|-tar -xf x -I sh|-tar --use-comp=sh -xf x|-tar --to-command=sh -xf x|-tar cf x *",
		"go test *":       "+go test ./...|+go test -run X ./...|+go test -run \"$x\" ./...|-go test -exec sh ./...|-go test -toolexec=x ./...|-go test $x|-go vet",
		"rg *":            "+rg -n x src|-rg --pre sh x|-rg --pre=sh x",
		"make *":          "+make all|-make SHELL=x all|-make -f x|-make --eval=x",
		"npm *":           "+npm test|-npm --script-shell=x test|-npm test $x",
		"test *":          "+test -f x|+test \"$x\" = y|+test -n \"$x\"|+test ! -f x|+test \"$x\"|-test -v x|-test $x = y|-test \"$a\" \"$b\"",
		"[ *":             "+[ -f x ]|+[ \"$x\" -eq 1 ]|-[ -v x ]|-[ \"$a\" \"$b\" ]",
		"read *":          "+read -r x|-read 'a[1]'|-read PATH|-read \"$x\"",
		"set *":           "+set -euo pipefail|+set -x|-set -a|-set -k|-set $x",
		"printf *":        "+printf '%s' x|+printf -- x|-printf -v x y|-printf $x",
		"export *":        "+export LANG=C|-export PATH=x|-export FOO=x|-export -n x|-export $x",
		"export FOO=*":    "-export FOO=bar",
		"export FOO=bar":  "+export FOO=bar",
		"local *":         "+local x=1|-local PATH=1",
		"timeout *":       "-timeout 5 ls|+timeout 5",
		"python3 *":       "+python3 x.py|+python3 -c x",
		"bash *":          "+bash x.sh|-bash -c ls",
		"sudo *":          "+sudo ls",
		"./run.sh *":      "+./run.sh x|-run.sh x|-/tmp/run.sh x",
		"ls *":            "-./ls x|-/tmp/ls x|+ls $x|+ls *|-$x ls|-ls$x y|-l? x",
		"curl *":          "+curl -s http://x|-curl -o f x|-curl -K f",
		"git show *":      "+git show HEAD|+git --no-pager show x|-git show $x|+git show -- $x|+git show -- *",
		"git commit *":    `+git commit -m "$x"|+git commit -am "$(date_of)"|-git commit -m $x|-git commit $x`,
		"date_of":         "+date_of",
		"eval *":          "-eval ls|+eval",
		"trap *":          "-trap ls EXIT|+trap|+trap - EXIT",
		"cd *":            "+cd x|-cd x > y",
		"echo a \\\\ b":   `+echo a '\' b`,
		"echo a\\(b":      `+echo 'a(b'`,
		"busybox *":       "+busybox ls",
		"xargs *":         "-xargs rm|-xargs",
		"unset *":         "+unset x|-unset 'a[1]'|-unset -f x",
		"watch *":         "-watch ls|+watch",
		"docker *":        "+docker ps|-docker -H x ps",
		"source *":        "-source x",
		"source x":        "+source x",
		"declare *":       "-declare -n x=y|-declare x=y",
		"git submodule *": "+git submodule status|-git submodule foreach ls|-git submodule update",
	} {
		rules := Rules{Allow: append(rule(t, "bash("+s+")"), rule(t, "bash(date_of)")...)}
		for c := range strings.SplitSeq(cases, "|") {
			want := agent.AskFirst
			if c[0] == '+' {
				want = agent.Pass
			}
			if d := command(t, Options{Rules: rules}, c[1:]); d.Verdict != want {
				t.Errorf("bash(%s), %q: %s", s, c, d.Reason)
			}
		}
	}
}

// Deny rules see through what stands around a command.
func TestDenyPatterns(t *testing.T) {
	for s, cases := range map[string]string{ // + for refused, ? for asked in mode yolo, - for neither
		"rm *":           "+rm|+rm x|+/bin/rm x|+sudo -n rm x|+sudo env A=b rm x|+echo a; rm x|+timeout 5 rm x|-echo rm x|-rmdir x|?$x y|?$(x)|?x=1; $y|-echo $x|+rm $x|?bash -c \"$x rm\"|?python3 -c 'os.system(\"rm x\")'|-python3 x.py|+rm 'x|?rn 'x",
		"git push *":     "+git push|+git -C x push|+git --no-pager push x|?git $x|?git $x push|-git log $x|+git -c a=b push|-git log push|+git --git-dir=x push",
		"*curl*":         "+curl x|+a curl b|+a xcurly|?echo $x|-echo a|+a 'x curl y'",
		"git commit -m*": `+git commit -m x|+git commit -m"x"|+git commit "-mx y"`,
		"bash":           "+ls|+git x",
		"=ls -l":         "+ls -l|+a; ls -l|-ls",
		"npm publish":    "+npm publish|-npm publish x|+npx -y npm publish",
	} {
		text := "bash(" + s + ")"
		if s == "bash" {
			text = s
		}
		for c := range strings.SplitSeq(cases, "|") {
			want := map[byte]agent.Verdict{'+': agent.Deny, '?': agent.AskFirst, '-': agent.Pass}[c[0]]
			d := command(t, Options{Mode: Yolo, Rules: Rules{Deny: rule(t, text)}}, c[1:])
			if d.Verdict != want {
				t.Errorf("%s, %q: verdict %d, %s", text, c, d.Verdict, d.Reason)
			}
			if want == agent.Deny && (!strings.Contains(d.Reason, text+" (config.yaml:7)") || len(d.Rules) > 0) {
				t.Errorf("%s, %q: %s %q", text, c, d.Reason, d.Rules)
			}
			if want == agent.AskFirst && (!strings.Contains(d.Reason, text+" (config.yaml:7)") || len(d.Rules) > 0) {
				t.Errorf("%s, %q: %s %q", text, c, d.Reason, d.Rules)
			}
		}
	}
}

// TestForeignNamesOfSubagents: a rule about the tool that starts sub-agents, as other agents call it, means ours.
func TestForeignNamesOfSubagents(t *testing.T) {
	for _, c := range []struct {
		rule, tool string
		want       bool
	}{
		{"Task", "task", true},
		{"Task", "spawn_subagent", true},
		{"Agent", "spawn_subagent", true},
		{"task", "spawn_subagent", false},
		{"Bash", "background_run", true},
		{"patch", "apply_patch", true},
		{"BashOutput", "check_background", true},
	} {
		r, err := ParseRule(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Names(agent.Tool{Name: c.tool}); got != c.want {
			t.Errorf("%s names %s: %v", c.rule, c.tool, got)
		}
	}
}

// TestMeets: a rule is held against a call as a deny rule would be.
func TestMeets(t *testing.T) {
	p := NewPolicy(Options{Root: t.TempDir()})
	bash := agent.Tool{Name: "bash", Effect: agent.Executes}
	for _, c := range []struct {
		rule, command string
		sure, maybe   bool
	}{
		{"Bash(rm *)", "rm -rf x", true, false},
		{"Bash(rm *)", "echo x && sudo rm y", true, false},
		{"Bash(rm *)", "ls", false, false},
		{"Bash(rm *)", "$(cat x)", false, true},
		{"Bash", "ls", true, false},
		{"Edit(*.go)", "echo > a.go", true, false},
		{"Bash(", "rm x", false, false},
	} {
		raw, err := json.Marshal(map[string]string{"command": c.command})
		if err != nil {
			t.Fatal(err)
		}
		if sure, maybe := p.Meets(c.rule, bash, agent.Call{Name: "bash", Args: raw}); sure != c.sure || maybe != c.maybe {
			t.Errorf("%s, %s: %v %v", c.rule, c.command, sure, maybe)
		}
	}
}
