package soak_test

import (
	"fmt"
	"strconv"
	"strings"
)

// apis are the wires by name.
func apis() []string { return []string{"anthropic", "chat", "gemini", "responses"} }

// apiOf reads off the address which wire is spoken.
func apiOf(path string) string {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return "anthropic"
	case strings.HasSuffix(path, "/chat/completions"):
		return "chat"
	case strings.HasSuffix(path, "/responses"):
		return "responses"
	case strings.Contains(path, ":streamGenerateContent"):
		return "gemini"
	}
	return ""
}

// frames spells a saying as a stream of the wire.
func frames(api string, say saying) []string {
	switch api {
	case "anthropic":
		return anthropicFrames(say)
	case "chat":
		return chatFrames(say)
	case "responses":
		return responsesFrames(say)
	}
	return geminiFrames(say)
}

func data(format string, args ...any) string { return "data: " + fmt.Sprintf(format, args...) + "\n\n" }

// words cuts a text as models do.
func words(text string) []string { return strings.SplitAfter(text, " ") }

func event(kind, format string, args ...any) string {
	return "event: " + kind + "\n" + data(`{"type":%q,`+format+"}", append([]any{kind}, args...)...)
}

func anthropicFrames(say saying) []string {
	out := []string{event("message_start", `"message":{"model":"m","content":[],"usage":{"input_tokens":20,"output_tokens":1}}`)}
	n := 0
	if say.text != "" {
		out = append(out, event("content_block_start", `"index":0,"content_block":{"type":"text","text":""}`))
		for _, w := range words(say.text) {
			out = append(out, event("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":%q}`, w))
		}
		out = append(out, event("content_block_stop", `"index":0`))
		n++
	}
	stop := "end_turn"
	for i, c := range say.calls {
		stop = "tool_use"
		out = append(out, event("content_block_start", `"index":%d,"content_block":{"type":"tool_use","id":"toolu_%d","name":%q,"input":{}}`, n, i, c.name))
		for _, piece := range halves(c.args) {
			out = append(out, event("content_block_delta", `"index":%d,"delta":{"type":"input_json_delta","partial_json":%q}`, n, piece))
		}
		out = append(out, event("content_block_stop", `"index":%d`, n))
		n++
	}
	return append(out, event("message_delta", `"delta":{"stop_reason":%q},"usage":{"output_tokens":9}`, stop), event("message_stop", `"x":0`))
}

func halves(s string) []string { return []string{s[:len(s)/2], s[len(s)/2:]} }

func chatFrames(say saying) []string {
	var out []string
	for _, w := range words(say.text) {
		out = append(out, data(`{"choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`, w))
	}
	stop := "stop"
	for i, c := range say.calls {
		stop = "tool_calls"
		h := halves(c.args)
		out = append(
			out,
			data(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"call_%d","type":"function","function":{"name":%q,"arguments":%q}}]},"finish_reason":null}]}`, i, i, c.name, h[0]),
			data(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"function":{"arguments":%q}}]},"finish_reason":null}]}`, i, h[1]),
		)
	}
	return append(out, data(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}],"usage":{"prompt_tokens":20,"completion_tokens":9}}`, stop), "data: [DONE]\n\n")
}

func responsesFrames(say saying) []string {
	out := []string{event("response.created", `"response":{"id":"resp_1","status":"in_progress","output":[]}`)}
	var items []string
	add := func(item string) {
		out = append(out, event("response.output_item.done", `"output_index":%d,"item":%s`, len(items), item))
		items = append(items, item)
	}
	if say.text != "" {
		out = append(out, event("response.output_item.added", `"output_index":0,"item":{"type":"message","id":"msg_1","role":"assistant","status":"in_progress","content":[]}`))
		for _, w := range words(say.text) {
			out = append(out, event("response.output_text.delta", `"output_index":0,"item_id":"msg_1","content_index":0,"delta":%q`, w))
		}
		add(fmt.Sprintf(`{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":%q,"annotations":[]}]}`, say.text))
	}
	for i, c := range say.calls {
		id, at := "fc_"+strconv.Itoa(i), len(items)
		out = append(out, event("response.output_item.added", `"output_index":%d,"item":{"type":"function_call","id":%q,"call_id":"call_%d","name":%q,"arguments":""}`, at, id, i, c.name))
		for _, piece := range halves(c.args) {
			out = append(out, event("response.function_call_arguments.delta", `"output_index":%d,"item_id":%q,"delta":%q`, at, id, piece))
		}
		out = append(out, event("response.function_call_arguments.done", `"output_index":%d,"item_id":%q,"arguments":%q`, at, id, c.args))
		add(fmt.Sprintf(`{"type":"function_call","id":%q,"call_id":"call_%d","name":%q,"arguments":%q,"status":"completed"}`, id, i, c.name, c.args))
	}
	return append(out, event("response.completed", `"response":{"id":"resp_1","status":"completed","model":"m","output":[%s],"usage":{"input_tokens":20,"output_tokens":9}}`, strings.Join(items, ",")))
}

func geminiFrames(say saying) []string {
	var out []string
	for _, w := range words(say.text) {
		if w != "" {
			out = append(out, data(`{"candidates":[{"content":{"role":"model","parts":[{"text":%q}]}}]}`, w))
		}
	}
	for _, c := range say.calls {
		out = append(out, data(`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":%q,"args":%s}}]}}]}`, c.name, c.args))
	}
	return append(out, data(`{"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":20,"candidatesTokenCount":9}}`))
}
