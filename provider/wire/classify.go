package wire

import (
	"net/http"

	"react-agent/agent"
)

// Failure is what a vendor said when a call failed: a reply with an error status, an error object inside a good
// reply, or an error event in a stream.
type Failure struct {
	Provider string      // preset or wire, for the error text
	Status   int         // HTTP status; 200 for an error inside a good reply
	Header   http.Header // may be nil
	Body     []byte      // the body, or the one event that holds the error; bounded by the caller
	InStream bool        // it arrived after a 200, as an event or a JSON body
}

// Classify turns a failure into the one error type that models return.
func Classify(f Failure) *agent.ModelError {
	return &agent.ModelError{Kind: agent.ErrServer, Provider: f.Provider, Status: f.Status, Retryable: true}
}
