package offline

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Rule is one entry of the table.
type Rule struct {
	Name string `json:"name"`
	// Match has regular expressions (RE2, case is ignored); one must be found in the question.
	Match []string `json:"match"`
	// Command is run by the shell tool; the key is an operating system as Go names it, or "any". {NAME} stands for what
	// the group (?P<NAME>…) of the pattern found, quoted as one word. None: the rule answers at once.
	Command map[string]string `json:"command,omitempty"`
	// Answer by language, zh and en; {output} stands for what the command printed.
	Answer map[string]string `json:"answer"`
	// Example is a question that the rule answers, by language; it is shown to those who ask something else.
	Example map[string]string `json:"example,omitempty"`
}

// ParseRules reads a JSON array of rules; errors name the rule and the field.
func ParseRules(data []byte) ([]Rule, error) {
	var rules []Rule
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&rules); err != nil {
		return nil, fmt.Errorf("offline rules: %w", err)
	}
	for i, r := range rules {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("offline rule %d (%s): %w", i+1, r.Name, err)
		}
	}
	return rules, nil
}

func (r Rule) check() error {
	switch {
	case r.Name == "":
		return errors.New("name is missing")
	case r.Name == arithmetic:
		return fmt.Errorf("the name %s is taken", arithmetic)
	case len(r.Match) == 0:
		return errors.New("match is missing: without a pattern the rule never answers")
	case r.Answer["zh"] == "" && r.Answer["en"] == "":
		return errors.New("answer is missing: zh, en or both")
	}
	groups := map[string]bool{}
	for _, p := range r.Match {
		re, err := regexp.Compile(p)
		if err != nil {
			return fmt.Errorf("match: %w", err)
		}
		if re.MatchString("") {
			return fmt.Errorf("match: %q fits every question", p)
		}
		for _, name := range re.SubexpNames() {
			groups[name] = true
		}
	}
	for system, c := range r.Command {
		for _, found := range placeholder().FindAllStringSubmatch(c, -1) {
			if !groups[found[1]] {
				return fmt.Errorf("command.%s: {%s} is no group of a pattern", system, found[1])
			}
		}
	}
	return nil
}

func placeholder() *regexp.Regexp { return regexp.MustCompile(`\{([a-z_]+)\}`) }

// command is the rule's command for a system, with its values.
func (r Rule) command(goos string, values map[string]string) (string, bool) {
	c, ok := r.Command[goos]
	if !ok {
		c, ok = r.Command["any"]
	}
	for name, v := range values {
		c = strings.ReplaceAll(c, "{"+name+"}", v)
	}
	return c, ok
}

// answer is the rule's answer in a language, or in the other one.
func (r Rule) answer(lang, output string) string {
	a := r.Answer[lang]
	if a == "" {
		a = r.Answer["en"] + r.Answer["zh"] // one of them is empty
	}
	return strings.ReplaceAll(a, "{output}", output)
}

func (r Rule) example(lang string) string {
	if e := r.Example[lang]; e != "" {
		return e
	}
	return ""
}
