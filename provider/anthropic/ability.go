package anthropic

import "strings"

// abilities are what differs between the generations of models.
type abilities struct {
	effort   bool // takes an effort by name
	adaptive bool // decides by itself how long it thinks; a budget may be refused
	format   bool // answers by a schema
}

// abilitiesOf reads the generation off the model's name, in which vendors and clouds put much else. Models of others get
// what the protocol has had for longest. What is wrong for a model can be set by [wire.Config.Extra].
func abilitiesOf(model string) abilities {
	name := strings.ToLower(model)
	at := strings.Index(name, "claude")
	if at < 0 {
		return abilities{}
	}
	name = name[at:]
	major, minor := generation(name)
	since := func(m int) bool { return major > 4 || major == 4 && minor >= m }
	return abilities{
		effort:   since(6) || since(5) && strings.Contains(name, "opus"),
		adaptive: since(6),
		format:   since(5),
	}
}

// newest stands for a model whose name has no number.
const newest = 99

// generation gives the first two numbers of a name; a date is none.
func generation(name string) (major, minor int) {
	var numbers []int
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-.@:_/", r) }) {
		switch n, ok := number(word); {
		case ok:
			numbers = append(numbers, n)
		case len(numbers) > 0: // what follows the numbers is no part of them
			return numbers[0], at(numbers, 1)
		}
	}
	if len(numbers) == 0 {
		return newest, 0
	}
	return numbers[0], at(numbers, 1)
}

func at(numbers []int, i int) int {
	if i < len(numbers) {
		return numbers[i]
	}
	return 0
}

// number reads a number of one or two digits.
func number(word string) (int, bool) {
	if len(word) > 2 {
		return 0, false
	}
	n := 0
	for _, c := range word {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, word != ""
}
