package policy

import "strings"

// optionSpec says which options a command takes, so that the command behind them is found for certain.
type optionSpec struct {
	short string   // as for getopt: a colon behind those with a value, two where it must be attached
	long  []string // without dashes; with "=" at the end when a value follows
}

// optionsRead is what stood in front of the operands.
type optionsRead struct {
	seen []optionSeen
	rest []word
}

type optionSeen struct{ name, value string }

func (o optionsRead) has(name string) bool {
	_, ok := o.value(name)
	return ok
}

func (o optionsRead) value(name string) (string, bool) {
	for _, s := range o.seen {
		if s.name == name {
			return s.value, true
		}
	}
	return "", false
}

// read takes options off. It fails at what it does not know, and at what is only known when the command runs.
func (s optionSpec) read(words []word) (o optionsRead, ok bool) {
	for len(words) > 0 {
		text, known := words[0].static()
		switch {
		case !known && words[0].mayBeOption():
			return optionsRead{rest: words}, false
		case !known, text == "-", !strings.HasPrefix(text, "-"):
			o.rest = words
			return o, true
		case text == "--":
			o.rest = words[1:]
			return o, true
		}
		if strings.HasPrefix(text, "--") {
			words, ok = s.readLong(&o, text[2:], words[1:])
		} else {
			words, ok = s.readShort(&o, text[1:], words[1:])
		}
		if !ok {
			return optionsRead{rest: words}, false
		}
	}
	return o, true
}

func (s optionSpec) readLong(o *optionsRead, text string, words []word) ([]word, bool) {
	name, value, attached := strings.Cut(text, "=")
	for _, l := range s.long {
		known, takes := strings.CutSuffix(l, "=")
		switch {
		case known != name:
			continue
		case takes && !attached:
			if len(words) == 0 {
				return words, false
			}
			v, sure := words[0].static()
			if !sure {
				return words, false
			}
			value, words = v, words[1:]
		case !takes && attached:
			return words, false
		}
		o.seen = append(o.seen, optionSeen{name, value})
		return words, true
	}
	return words, false
}

func (s optionSpec) readShort(o *optionsRead, text string, words []word) ([]word, bool) {
	for i := range len(text) {
		at := strings.IndexByte(s.short, text[i])
		if at < 0 || text[i] == ':' {
			return words, false
		}
		name, rest := text[i:i+1], text[i+1:]
		switch after := s.short[at+1:]; {
		case strings.HasPrefix(after, "::"):
			o.seen = append(o.seen, optionSeen{name, rest})
			return words, true
		case strings.HasPrefix(after, ":"):
			if rest == "" {
				if len(words) == 0 {
					return words, false
				}
				v, sure := words[0].static()
				if !sure {
					return words, false
				}
				rest, words = v, words[1:]
			}
			o.seen = append(o.seen, optionSeen{name, rest})
			return words, true
		}
		o.seen = append(o.seen, optionSeen{name, ""})
	}
	return words, true
}

// wrapper is a command that runs another one.
type wrapper struct {
	options  optionSpec
	operands int // before the command
}

// wrapperOf knows the commands that do nothing to the command they run but to measure, limit or feed it.
func wrapperOf(name string) (wrapper, bool) {
	of := func(operands int, short string, long ...string) (wrapper, bool) {
		return wrapper{optionSpec{short, long}, operands}, true
	}
	switch name {
	case "timeout", "gtimeout":
		return of(1, "k:s:v", "kill-after=", "signal=", "foreground", "preserve-status", "verbose")
	case "nice":
		return of(0, "n:0123456789", "adjustment=")
	case "ionice":
		return of(0, "c:n:t", "class=", "classdata=", "ignore")
	case "nohup", "builtin":
		return of(0, "")
	case "setsid":
		return of(0, "cfw", "ctty", "fork", "wait")
	case "stdbuf":
		return of(0, "i:o:e:", "input=", "output=", "error=")
	case "command":
		return of(0, "pvV")
	case "exec":
		return of(0, "cla:")
	case "time":
		return of(0, "pvaq")
	case "env":
		return of(0, "i0vu:", "ignore-environment", "null", "debug", "unset=")
	case "xargs":
		return of(0, "0rtpxa:d:E:e::i::I:L:l::n:P:s:", "null", "no-run-if-empty", "verbose", "interactive", "exit", "arg-file=",
			"delimiter=", "max-args=", "max-procs=", "max-chars=", "max-lines=", "open-tty")
	}
	return wrapper{}, false
}
