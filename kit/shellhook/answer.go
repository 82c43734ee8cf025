package shellhook

import (
	"encoding/json"
	"strings"

	"react-agent/internal/msg"
)

// answer is what commands say about an event, put together.
type answer struct {
	blocked bool
	reason  string
	by      string // the command that blocks, for messages

	permission string // deny, ask, allow or ""
	why        string
	permits    string // the command that says so
	input      json.RawMessage
	context    []string
	output     json.RawMessage

	ends    bool // the run
	endText string
	endedBy string

	system []string // for the person
}

// add takes in what one more command says.
func (a *answer) add(b answer) {
	if b.blocked && !a.blocked {
		a.blocked, a.reason, a.by = true, b.reason, b.by
	}
	if rank(b.permission) > rank(a.permission) {
		a.permission, a.why, a.permits = b.permission, b.why, b.permits
	}
	if b.input != nil {
		a.input = b.input
	}
	if b.output != nil {
		a.output = b.output
	}
	if b.ends && !a.ends {
		a.ends, a.endText, a.endedBy = true, b.endText, b.endedBy
	}
	a.context = append(a.context, b.context...)
	a.system = append(a.system, b.system...)
}

func rank(permission string) int {
	switch permission {
	case "deny":
		return 3
	case "ask":
		return 2
	case "allow":
		return 1
	}
	return 0
}

// decode reads the object that a command has printed. ok is false when the output is no object; an error says what is
// wrong with it. Nothing is taken from an output that is wrong.
func decode(event, out string) (a answer, ok bool, err error) {
	out = strings.TrimSpace(out)
	if !strings.HasPrefix(out, "{") {
		return answer{}, false, nil
	}
	var o printed
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		return answer{}, true, msg.Errorf(msg.HookNoJSON, err)
	}
	if a, err = o.answer(event); err != nil {
		return answer{}, true, err
	}
	return a, true, nil
}

// printed is the object.
type printed struct {
	Continue      *bool     `json:"continue"`
	StopReason    string    `json:"stopReason"`
	SystemMessage string    `json:"systemMessage"`
	Decision      string    `json:"decision"`
	Reason        string    `json:"reason"`
	Specific      *specific `json:"hookSpecificOutput"`
}

// specific is its part that differs between events.
type specific struct {
	Event      string          `json:"hookEventName"`
	Permission string          `json:"permissionDecision"`
	Why        string          `json:"permissionDecisionReason"`
	Input      json.RawMessage `json:"updatedInput"`
	Context    string          `json:"additionalContext"`
	Output     json.RawMessage `json:"updatedToolOutput"`
	Decision   *struct {
		Behavior string          `json:"behavior"`
		Input    json.RawMessage `json:"updatedInput"`
		Message  string          `json:"message"`
	} `json:"decision"`
}

func (o *printed) answer(event string) (a answer, err error) {
	if o.Continue != nil && !*o.Continue {
		a.ends, a.endText = true, o.StopReason
	}
	if o.SystemMessage != "" {
		a.system = []string{o.SystemMessage}
	}
	if err := a.decide(o.Decision, o.Reason); err != nil || o.Specific == nil {
		return a, err
	}
	return a, a.specify(o.Specific, event)
}

func (a *answer) specify(s *specific, event string) error {
	if s.Event != "" && s.Event != event {
		return msg.Errorf(msg.HookOtherEvent, s.Event, event)
	}
	if s.Context != "" {
		a.context = []string{s.Context}
	}
	a.input, a.output = given(s.Input), given(s.Output)
	if a.input != nil && a.input[0] != '{' {
		return msg.Errorf(msg.HookNoObject)
	}
	permission, why := s.Permission, s.Why
	if s.Decision != nil {
		permission, why = s.Decision.Behavior, s.Decision.Message
		if given(s.Decision.Input) != nil {
			return msg.Errorf(msg.HookInputLate)
		}
	}
	return a.permit(permission, why)
}

// decide takes in the older form of decisions.
func (a *answer) decide(decision, reason string) error {
	switch decision {
	case "":
	case "approve", "allow":
		a.permission, a.why = "allow", reason
	case "block", "deny":
		a.blocked, a.reason = true, reason
	default:
		return msg.Errorf(msg.HookDecision, decision)
	}
	return nil
}

func (a *answer) permit(permission, why string) error {
	switch permission {
	case "":
		return nil
	case "defer":
		permission = "ask"
	case "allow", "deny", "ask":
	default:
		return msg.Errorf(msg.HookPermission, permission)
	}
	if rank(permission) > rank(a.permission) {
		a.permission, a.why = permission, why
	}
	return nil
}

// given is nil for a value that is not there.
func given(raw json.RawMessage) json.RawMessage {
	if s := strings.TrimSpace(string(raw)); s == "" || s == "null" {
		return nil
	}
	return raw
}
