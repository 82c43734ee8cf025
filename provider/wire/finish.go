package wire

import (
	"strings"

	"react-agent/agent"
)

// Ending is what a finish reason means.
type Ending struct {
	Stop agent.StopReason
	Fail agent.ErrorKind // not "": the reply is a failure that may go away
	Odd  bool            // a word that is not in the table
}

// EndingOf reads a finish reason. The set of good ones is closed.
func EndingOf(word string) Ending {
	word = strings.ToLower(strings.TrimSpace(word))
	switch word {
	case "", "stop", "end", "eos", "eos_token", "end_turn", "stop_sequence", "stop_token", "complete", "completed", "finished", "finish", "done", "null":
		return Ending{Stop: agent.StopEnd}
	case "tool_calls", "tool_call", "tool_use", "function_call", "function_calls", "toolcalls", "tools":
		return Ending{Stop: agent.StopCalls}
	case "length", "max_tokens", "max_output_tokens", "max_length", "length_limit", "token_limit", "max_completion_tokens", "incomplete",
		"continuation":
		return Ending{Stop: agent.StopLength}
	case "model_context_window_exceeded", "model_length", "context_length", "context_length_exceeded", "context_window_exceeded", "context_window", "exceed_context_size":
		return Ending{Stop: agent.StopOverflow}
	case "content_filter", "content_filtered", "sensitive", "safety", "refusal", "recitation", "blocklist", "prohibited_content", "spii",
		"guardrail_intervened", "moderation", "blocked", "image_safety", "language",
		"image_prohibited_content", "image_recitation", "model_armor", "jailbreak":
		return Ending{Stop: agent.StopRefused}
	case "pause_turn", "pause":
		return Ending{Stop: agent.StopPause}
	case "error", "network_error", "insufficient_system_resource", "internal_error", "server_error", "engine_overloaded", "overloaded", "unavailable",
		"abort", "aborted", "timeout", "cancelled", "canceled", "upstream_error", "failed":
		return Ending{Fail: agent.ErrServer}
	case "tool_use_failed", "unexpected_tool_call", "invalid_tool_call", "too_many_tool_calls", "malformed_response", "missing_thought_signature",
		"repetition", "repetition_truncation":
		return Ending{Fail: agent.ErrInvalidResponse}
	}
	if strings.Contains(word, "malformed") { // also with what the vendor puts before or behind it
		return Ending{Fail: agent.ErrInvalidResponse}
	}
	return Ending{Stop: agent.StopEnd, Odd: true}
}
