package offline

import (
	"regexp"
	"strings"
)

// arithmetic is the one rule whose question is recognised by code: what may go to the shell must be an expression and
// nothing else.
const arithmetic = "arithmetic"

// both is a text in both languages.
func both(zh, en string) map[string]string { return map[string]string{"zh": zh, "en": en} }

func table() []Rule {
	return []Rule{
		{
			Name:    arithmetic,
			Run:     []Action{{Shell: map[string]string{"any": "{command}"}}},
			Answer:  both("结果是 {output}", "The result is {output}"),
			Example: both("算一下 (123+456)*7", "What is (123+456)*7?"),
		},
		{
			Name:  "react",
			Match: []string{`(什么|啥|何)(是|叫)\s*re-?act`, `re-?act\s*(是|指)?(什么|啥)`, `(what('s| is| does)|explain|define)\b.*\bre-?act\b`},
			Answer: both(
				"ReAct 是“推理（Reasoning）+ 行动（Acting）”：模型先想一步，再调用一个工具，看到结果后继续想，如此循环，直到能够回答。这样每一步都有事实可依，过程也看得见。",
				"ReAct means reasoning and acting in turn: the model thinks, calls a tool, looks at the result and thinks on, until it can answer. Each step rests on a fact, and all of them can be watched."),
			Example: both("什么是 ReAct？", "What is ReAct?"),
		},
		{
			Name:  "memory",
			Match: []string{`内存`, `\b(memory|ram)\b.*\b(left|free|available|remain|have|use)`, `(how much|free|available)\b.*\b(memory|ram)\b`},
			Run: []Action{{Shell: map[string]string{
				"linux":  `awk '/^(MemTotal|MemAvailable):/ { printf "%s %.1f GiB\n", $1, $2/1048576 }' /proc/meminfo`,
				"darwin": `sysctl -n hw.memsize | awk '{ printf "MemTotal: %.1f GiB\n", $1/1073741824 }'; vm_stat | head -n 5`,
				"any":    `free -h`,
			}}},
			Answer:  both("这台电脑的内存（MemAvailable 是还能用的）：\n{output}", "The memory of this computer (MemAvailable is what is left):\n{output}"),
			Example: both("我电脑内存还剩多少？", "How much memory is left?"),
		},
		{
			Name:    "health",
			Match:   []string{`(系统|电脑|机器|主机).*(健康|状态|状况|体检|怎么样)`, `\b(system|computer|machine|host)\b.*\b(health|status|state|doing|ok)\b`, `\bhealth( ?check)?\b`},
			Run:     []Action{{Shell: map[string]string{"any": `uptime; df -h . | tail -n 1; free -h 2>/dev/null | head -n 2 || true`}}},
			Answer:  both("系统状态（负载、磁盘、内存）：\n{output}", "The state of the system (load, disk, memory):\n{output}"),
			Example: both("帮我看看系统健康", "Check the system's health"),
		},
		{
			Name:    "time",
			Match:   []string{`几点|时间|几号|星期几|周几|日期|今天.*(号|日)`, `\bwhat('s| is)?( the)?( current)? (time|date|day)( is it| it is)?( now| today| please)*\W*$`, `\b(current|the) (time|date)( now| today| please)*\W*$`},
			Run:     []Action{{Shell: map[string]string{"any": `date '+%Y-%m-%d %H:%M:%S %Z (%A)'`}}},
			Answer:  both("现在是 {output}", "It is {output}"),
			Example: both("现在几点了？", "What time is it?"),
		},
		{
			Name: "files",
			Match: []string{
				`(列|找|有哪些|查看|显示).*\.(?P<ext>[a-z0-9]{1,8})\b`,
				`\b(list|find|show|which)\b.*\.(?P<ext>[a-z0-9]{1,8})\b`, `\b(list|find|show)\b.*\b(?P<ext>go) (source )?files`,
			},
			Run:     []Action{{Shell: map[string]string{"any": `find . -type f -name '*.'{ext} -not -path '*/.git/*' | sort | awk 'NR <= 100 { print } END { print NR " in all" }'`}}},
			Answer:  both("当前目录下的文件：\n{output}", "The files below this directory:\n{output}"),
			Example: both("列出当前目录所有 .go 文件", "List all .go files"),
		},
		{
			Name:    "greeting",
			Match:   []string{`你好|您好|嗨|打个?招呼|早上好|晚上好|下午好`, `^\W*(hi|hello|hey|good (morning|evening|afternoon))\b`, `\bsay (hi|hello)\b|\bgreet\b`},
			Answer:  both("你好！我是离线规则表，不是大模型，但我会真的调用工具来回答几个问题。试试“现在几点了？”", "Hello! I am the offline table of rules, no language model, but I really call tools to answer a few questions. Try “What time is it?”"),
			Example: both("跟我打个招呼", "Say hello"),
		},
	}
}

// findArithmetic recognises a question that asks for the value of an expression, and makes the command for it.
func findArithmetic(question string) (map[string]string, bool) {
	q := strings.NewReplacer("（", "(", "）", ")", "×", "*", "÷", "/", "＋", "+", "－", "-", "＊", "*", "／", "/", "，", ",").Replace(question)
	expr := strings.TrimSpace(longest(regexp.MustCompile(`[0-9(.][0-9+\-*/%^(). ]*[0-9)]`).FindAllString(q, -1)))
	if !strings.ContainsAny(strings.TrimLeft(expr, "-"), "+-*/%^") || !balanced(expr) || regexp.MustCompile(`\d{4}-\d{1,2}-\d{1,2}|\d\.\d+\.\d|[+*/%^.]{2}|\d \d`).MatchString(expr) {
		return nil, false
	}
	alone := strings.Trim(q, " =?？。.\n") == expr
	if !alone && !regexp.MustCompile(`(?i)算|等于|多少|结果|=|\b(what('s| is)|how much|calc\w*|comput\w*|evaluate|solve)\b`).MatchString(q) {
		return nil, false
	}
	return map[string]string{"command": arithmeticCommand(expr)}, true
}

func longest(all []string) string {
	best := ""
	for _, s := range all {
		if len(s) > len(best) {
			best = s
		}
	}
	return best
}

func balanced(expr string) bool {
	depth := 0
	for _, r := range expr {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}

// arithmeticCommand uses the shell's own integers where they are exact, and awk for everything else.
func arithmeticCommand(expr string) string {
	digits, octal := 0, false
	for _, n := range regexp.MustCompile(`\d+`).FindAllString(expr, -1) {
		digits += len(n)
		octal = octal || (len(n) > 1 && n[0] == '0')
	}
	if !octal && digits <= 18 && !strings.ContainsAny(expr, "./^%") {
		return "echo $((" + expr + "))"
	}
	return `awk 'BEGIN { r = sprintf("%.15g", ` + expr + `); if (r ~ /[in]/) { print "no finite number: " r; exit 1 }; print r }'`
}
