package cli

import (
	"strings"

	"react-agent/agent"
	"react-agent/internal/msg"
)

// failure is the text of an error of an event, with its kind in the person's language.
func failure(c msg.Catalogue, e *agent.Error) string {
	front := (&agent.ModelError{Kind: e.Kind, Provider: e.Provider, Status: e.Status}).Error()
	rest, ok := strings.CutPrefix(e.Message, front)
	if !ok || rest != "" && !strings.HasPrefix(rest, ": ") {
		return e.Message
	}
	return c.Failure(e.Provider, string(e.Kind), e.Status, strings.TrimPrefix(rest, ": "))
}
