package offline

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Rule is what the model does about one kind of question.
type Rule struct {
	Name string
	// Skill is the skill that the rule belongs to. Its instructions are read before anything else is done, and the rules of
	// several skills work together on one question. Empty: the rule is one of the table, which answers alone.
	Skill string
	// Match has regular expressions (RE2, case is ignored); one must be found in the question. What a group (?P<NAME>…)
	// finds is the value {NAME}.
	Match []string
	// Run is one thing that is done before answering: the first of these that succeeds. {output} is what it gave.
	Run []Action
	// Take gives names to parts of the output: what the expression, or its first group, finds.
	Take map[string]string
	// Answer by language, zh and en. Otherwise stands for it when one of its values is missing, and the output for that.
	Answer, Otherwise map[string]string
	// Words are texts that a value has to have in a language: language, then from and to.
	Words map[string]map[string]string
	// Example is a question that the rule answers, by language; it is shown to those who ask something else.
	Example map[string]string
}

// Action is a tool call; one of Shell, Script and Tool is set. Values stand in it as in an answer.
type Action struct {
	// Shell is a command by operating system as Go names it, or "any"; values in it are quoted as one word.
	Shell map[string]string
	// Script is the path of a script, Args its arguments, written as for Shell. It is run with the tool for scripts, or with
	// the shell where there is none.
	Script, Args string
	// Tool is the name of any other tool, by any spelling, Input its arguments.
	Tool  string
	Input map[string]string
}

// Agent is what the model says as a sub-agent: it is told by its system prompt, and knows nothing else.
type Agent struct {
	Name string
	// System must be found in the system prompt, Message, unless it is empty, in the first message. Both are regular
	// expressions as in [Rule.Match].
	System, Message string
	// Replies are given in turn within one conversation, the last one for ever. One that is JSON stays JSON whatever its
	// values are.
	Replies []Reply
}

// Reply is a text, or a JSON text with values inside its strings.
type Reply struct{ Text, JSON string }

// compiled is a rule ready to match.
type compiled struct {
	Rule
	match []*regexp.Regexp
	take  map[string]*regexp.Regexp
	words map[string]*strings.Replacer
	// find, when set, recognises the question itself and gives values for the command.
	find func(text string) (map[string]string, bool)
}

func compile(r Rule) compiled {
	c := compiled{Rule: r, take: map[string]*regexp.Regexp{}, words: map[string]*strings.Replacer{}}
	for _, p := range r.Match {
		if re := expression(p); re != nil {
			c.match = append(c.match, re)
		}
	}
	for name, p := range r.Take {
		if re := expression(p); re != nil {
			c.take[name] = re
		}
	}
	for lang, words := range r.Words {
		c.words[lang] = replacer(words)
	}
	return c
}

func expression(p string) *regexp.Regexp {
	re, err := regexp.Compile("(?i)" + p)
	if err != nil {
		return nil
	}
	return re
}

// hit is a rule that fits a question.
type hit struct {
	*compiled
	at     int // where the question speaks of it
	values map[string]string
}

func (c *compiled) hit(question string) (hit, bool) {
	if c.find != nil {
		values, ok := c.find(question)
		return hit{compiled: c, values: values}, ok
	}
	for _, re := range c.match {
		if at := re.FindStringSubmatchIndex(question); at != nil {
			return hit{compiled: c, at: at[0], values: groups(re, question, at)}, true
		}
	}
	return hit{}, false
}

// groups are the named parts that an expression has found.
func groups(re *regexp.Regexp, text string, at []int) map[string]string {
	values := map[string]string{}
	for i, name := range re.SubexpNames() {
		if name != "" && at[2*i] >= 0 && values[name] == "" {
			values[name] = strings.TrimSpace(text[at[2*i]:at[2*i+1]])
		}
	}
	return values
}

// follows says that the rule works on what the others answer.
func (c *compiled) follows() bool {
	for _, a := range c.Answer {
		if strings.Contains(a, "{"+before) {
			return true
		}
	}
	return false
}

// find gives the rules that work on a question, in the order in which they do: of each skill one, as the question speaks of
// them, then those that work on what the others answer.
func (m *Model) find(question string) []hit {
	groups := m.groups(question)
	own := 0 // groups that can answer by themselves
	for _, g := range groups {
		if slices.ContainsFunc(g, answers) {
			own++
		}
	}
	var first, then []hit
	for _, g := range groups {
		i := slices.IndexFunc(g, answers)
		others := own
		if i >= 0 {
			others--
		}
		if g[0].follows() && others > 0 {
			then = append(then, g[0])
		} else if i >= 0 {
			first = append(first, g[i])
		}
	}
	if len(first) == 0 { // each waits for the others
		return alone(groups)
	}
	slices.SortStableFunc(first, order)
	slices.SortStableFunc(then, order)
	return append(first, then...)
}

// groups are the rules that fit a question, those of one skill together. The table is asked where no skill has an answer of
// its own. Where the person has called skills by name, only theirs count, each with the text behind its own name.
func (m *Model) groups(question string) [][]hit {
	names, args := m.called(question)
	var groups [][]hit
	place := map[string]int{}
	answered := false
	for i := range m.rules {
		text := question
		if len(names) > 0 {
			if !slices.Contains(names, plain(m.rules[i].Skill)) {
				continue
			}
			text = "/" + m.rules[i].Skill + " " + args
		}
		h, ok := m.rules[i].hit(text)
		if !ok || h.Skill == "" && answered {
			continue
		}
		answered = answered || answers(h)
		n, known := place[h.Skill]
		if !known {
			n, place[h.Skill] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], h)
	}
	return groups
}

// called reads the skills that a person has called at the beginning of a question, and what is said to them.
func (m *Model) called(question string) (names []string, args string) {
	args = strings.TrimSpace(question)
	for strings.HasPrefix(args, "/") {
		end := strings.IndexFunc(args, unicode.IsSpace)
		if end < 0 {
			end = len(args)
		}
		name := plain(strings.TrimPrefix(args[1:end], "skill:"))
		if !slices.ContainsFunc(m.rules, func(r compiled) bool { return r.Skill != "" && plain(r.Skill) == name }) {
			break
		}
		names, args = append(names, name), strings.TrimSpace(args[end:])
	}
	return names, args
}

// plain is a name as names are compared.
func plain(name string) string { return strings.ToLower(strings.ReplaceAll(name, "-", "_")) }

// alone is the one rule that answers where each could work on another's answer.
func alone(groups [][]hit) []hit {
	for _, g := range groups {
		if i := slices.IndexFunc(g, answers); i >= 0 {
			return g[i : i+1]
		}
	}
	return nil
}

func answers(h hit) bool { return !h.follows() }

func order(a, b hit) int { return a.at - b.at }
