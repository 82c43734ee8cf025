package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"

	"react-agent/agent"
)

const (
	classicWindow = 3
	classicText   = "检测到死循环：连续 %d 步调用相同工具与参数"
)

// Classic makes the guard of the classic face: window equal steps in a row (0 is 3) end the run with stop loop; the calls
// of the last of them do not run. Results are not looked at. A step without calls, and the person, begin a new row. text
// is the reason given, with %d for the window; empty is the classic one.
func Classic(window int, text string) agent.Hook {
	if window <= 0 {
		window = classicWindow
	}
	if text == "" {
		text = classicText
	}
	check := func(s *agent.Session) error {
		if sameSteps(s.Messages, window) < window {
			return nil
		}
		return &agent.StopError{Stop: agent.RunLoop, Text: fmt.Sprintf(text, window)}
	}
	return agent.Hook{
		Name: Name,
		BeforeTool: func(_ context.Context, s *agent.Session, _ agent.Tool, _ agent.Call) (agent.Decision, error) {
			return agent.Decision{}, check(s)
		},
		// Calls that are turned down before any hook sees them, of unknown tools for one, are found here.
		Inject: func(_ context.Context, s *agent.Session, stopping bool) (*agent.Note, error) {
			if stopping {
				return nil, nil
			}
			return nil, check(s)
		},
	}
}

// sameSteps counts the newest steps with the digest of the last, most at the highest.
func sameSteps(messages []agent.Message, most int) int {
	n, last := 0, ""
	for i := len(messages) - 1; i >= 0 && n < most; i-- {
		m := &messages[i]
		switch {
		case m.Role == agent.User && m.From == "":
			return n
		case !m.Answers():
			continue
		}
		calls := m.Calls()
		if len(calls) == 0 {
			return n
		}
		d := Digest(calls)
		if n > 0 && d != last {
			return n
		}
		n, last = n+1, d
	}
	return n
}

// Digest is the FNV-1a hash, 64 bit, over name, "|", arguments, ";" of each call in order, in lower-case hexadecimal
// without leading zeros. Names and arguments are the model's own.
func Digest(calls []agent.Call) string {
	h := fnv.New64a()
	for _, c := range calls {
		_, _ = fmt.Fprintf(h, "%s|%s;", c.Name, written(c.Args)) // a hash takes everything
	}
	return strconv.FormatUint(h.Sum64(), 16)
}

// written gives arguments as the model wrote them: text that was no JSON is kept as a JSON string.
func written(args json.RawMessage) string {
	var s string
	if len(args) > 0 && args[0] == '"' && json.Unmarshal(args, &s) == nil {
		return s
	}
	return string(args)
}
