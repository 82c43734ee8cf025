package wire

import "react-agent/agent"

// IDRule is a vendor's rule for the ids of calls.
type IDRule int

// The rules. IDAny only asks for ids that are not empty and differ within a message.
const (
	IDAny       IDRule = iota
	IDMistral          // exactly nine letters or digits, distinct in the whole history
	IDAnthropic        // 1 to 64 of letters, digits, _ and -
	IDOpenAI           // at most 64 bytes
)

// OutboundOptions say where a history is going.
type OutboundOptions struct {
	Origin string // of the receiving model; opaque data of other origins stays behind
	IDs    IDRule
}

// Outbound makes a history fit to be sent.
func Outbound(msgs []agent.Message, o OutboundOptions) []agent.Message { return msgs }
