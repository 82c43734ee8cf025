package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	anthropic "github.com/anthropics/anthropic-sdk-go/v2"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"
)

// libraries read a reply the way their documentation shows.
func libraries() map[string]func(*testing.T, *wireCase) (answer, error) {
	return map[string]func(*testing.T, *wireCase) (answer, error){
		"chat": chatLibrary, "responses": responsesLibrary, "anthropic": anthropicLibrary, "gemini": geminiLibrary,
	}
}

// whole reports whether a reply is one JSON value and no stream, which the libraries have another method for.
func whole(c *wireCase) bool { return strings.HasPrefix(strings.TrimSpace(c.body()), "{") }

func openAI(c *wireCase) openai.Client {
	s := &server{status: http.StatusOK, body: c.body()}
	return openai.NewClient(option.WithHTTPClient(s.client()), option.WithBaseURL(base), option.WithAPIKey("k"), option.WithMaxRetries(0))
}

func chatLibrary(t *testing.T, c *wireCase) (answer, error) {
	client := openAI(c)
	params := openai.ChatCompletionNewParams{Model: "m", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Go on.")}}
	if whole(c) {
		got, err := client.Chat.Completions.New(t.Context(), params)
		if err != nil {
			return answer{}, err
		}
		return chatAnswer(got)
	}
	stream := client.Chat.Completions.NewStreaming(t.Context(), params)
	defer func() { _ = stream.Close() }()
	var acc openai.ChatCompletionAccumulator
	for stream.Next() {
		if !acc.AddChunk(stream.Current()) {
			return answer{}, errors.New("the accumulator refuses a chunk")
		}
	}
	if err := stream.Err(); err != nil {
		return answer{}, err
	}
	return chatAnswer(&acc.ChatCompletion)
}

func chatAnswer(got *openai.ChatCompletion) (answer, error) {
	if len(got.Choices) == 0 {
		return answer{}, errors.New("no choices")
	}
	choice := got.Choices[0]
	a := answer{text: choice.Message.Content + choice.Message.Refusal, finish: choice.FinishReason, usage: map[string]int64{
		"input": got.Usage.PromptTokens, "output": got.Usage.CompletionTokens,
		"cached": got.Usage.PromptTokensDetails.CachedTokens, "reasoning": got.Usage.CompletionTokensDetails.ReasoningTokens,
	}}
	for _, call := range choice.Message.ToolCalls {
		a.calls = append(a.calls, called(call.Function.Name, call.Function.Arguments))
	}
	if f := choice.Message.FunctionCall; f.Name != "" { //nolint:staticcheck // old servers still send it
		a.calls = append(a.calls, called(f.Name, f.Arguments))
	}
	if a.finish == "function_call" {
		a.finish = "tool_calls"
	}
	return a, nil
}

func responsesLibrary(t *testing.T, c *wireCase) (answer, error) {
	client := openAI(c)
	params := responses.ResponseNewParams{Model: "m", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Go on.")}}
	if whole(c) {
		got, err := client.Responses.New(t.Context(), params)
		if err != nil {
			return answer{}, err
		}
		return responsesAnswer(got), nil
	}
	stream := client.Responses.NewStreaming(t.Context(), params)
	defer func() { _ = stream.Close() }()
	var last *responses.Response
	for stream.Next() {
		switch e := stream.Current(); e.Type {
		case "response.completed", "response.incomplete", "response.failed":
			last = &e.Response
		}
	}
	switch err := stream.Err(); {
	case err != nil:
		return answer{}, err
	case last == nil:
		return answer{}, errors.New("no last event")
	}
	return responsesAnswer(last), nil
}

func responsesAnswer(got *responses.Response) answer {
	a := answer{text: got.OutputText(), finish: "stop", usage: map[string]int64{
		"input": got.Usage.InputTokens, "output": got.Usage.OutputTokens,
		"cached": got.Usage.InputTokensDetails.CachedTokens, "reasoning": got.Usage.OutputTokensDetails.ReasoningTokens,
	}}
	for _, item := range got.Output {
		if item.Type == "function_call" {
			call := item.AsFunctionCall()
			a.calls = append(a.calls, called(call.Name, call.Arguments))
			a.finish = "tool_calls"
		}
	}
	switch got.IncompleteDetails.Reason {
	case "max_output_tokens":
		a.finish = "length"
	case "content_filter":
		a.finish = "content_filter"
	}
	return a
}

func anthropicLibrary(t *testing.T, c *wireCase) (answer, error) {
	s := &server{status: http.StatusOK, body: c.body()}
	client := anthropic.NewClient(anthropicoption.WithHTTPClient(s.client()), anthropicoption.WithBaseURL(base), anthropicoption.WithAPIKey("k"), anthropicoption.WithMaxRetries(0))
	params := anthropic.MessageNewParams{Model: "m", MaxTokens: 1024, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Go on."))}}
	if whole(c) {
		got, err := client.Messages.New(t.Context(), params)
		if err != nil {
			return answer{}, err
		}
		return anthropicAnswer(got), nil
	}
	stream := client.Messages.NewStreaming(t.Context(), params)
	defer func() { _ = stream.Close() }()
	var got anthropic.Message
	for stream.Next() {
		if err := got.Accumulate(stream.Current()); err != nil {
			return answer{}, err
		}
	}
	if err := stream.Err(); err != nil {
		return answer{}, err
	}
	return anthropicAnswer(&got), nil
}

func anthropicAnswer(got *anthropic.Message) answer {
	u := got.Usage
	a := answer{usage: map[string]int64{
		"input": u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens, "output": u.OutputTokens, "cached": u.CacheReadInputTokens,
		"reasoning": u.OutputTokensDetails.ThinkingTokens,
	}}
	for _, block := range got.Content {
		switch block.Type {
		case "text":
			a.text += block.Text
		case "tool_use":
			a.calls = append(a.calls, called(block.Name, string(block.Input)))
		}
	}
	words := map[string]string{
		"end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool_calls", "max_tokens": "length", "model_context_window_exceeded": "length",
		"refusal": "content_filter", "pause_turn": "pause",
	}
	a.finish = words[string(got.StopReason)]
	return a
}

func geminiLibrary(t *testing.T, c *wireCase) (answer, error) {
	s := &server{status: http.StatusOK, body: c.body()}
	client, err := genai.NewClient(t.Context(), &genai.ClientConfig{APIKey: "k", Backend: genai.BackendGeminiAPI, HTTPClient: s.client(), HTTPOptions: genai.HTTPOptions{BaseURL: base}})
	if err != nil {
		return answer{}, err
	}
	a := answer{usage: map[string]int64{}}
	for got, err := range client.Models.GenerateContentStream(t.Context(), "m", genai.Text("Go on."), nil) {
		if err != nil {
			return answer{}, err
		}
		if err := a.gemini(got); err != nil {
			return answer{}, err
		}
	}
	if a.finish == "" {
		return answer{}, errors.New("no finish reason")
	}
	if a.finish == "stop" && len(a.calls) > 0 {
		a.finish = "tool_calls" // this API has no word for it
	}
	return a, nil
}

// gemini adds one value of a stream.
func (a *answer) gemini(got *genai.GenerateContentResponse) error {
	if u := got.UsageMetadata; u != nil {
		a.usage = map[string]int64{
			"input": int64(u.PromptTokenCount + u.ToolUsePromptTokenCount), "output": int64(u.CandidatesTokenCount + u.ThoughtsTokenCount),
			"cached": int64(u.CachedContentTokenCount), "reasoning": int64(u.ThoughtsTokenCount),
		}
	}
	if len(got.Candidates) == 0 {
		return nil
	}
	candidate := got.Candidates[0]
	if candidate.Content != nil {
		for _, p := range candidate.Content.Parts {
			if p.FunctionCall != nil {
				args, err := json.Marshal(p.FunctionCall.Args)
				if err != nil {
					return fmt.Errorf("arguments of a call: %w", err)
				}
				if p.FunctionCall.Args == nil {
					args = nil
				}
				a.calls = append(a.calls, called(p.FunctionCall.Name, string(args)))
			}
			if !p.Thought {
				a.text += p.Text
			}
		}
	}
	words := map[genai.FinishReason]string{
		genai.FinishReasonStop: "stop", genai.FinishReasonMaxTokens: "length", genai.FinishReasonSafety: "content_filter", genai.FinishReasonRecitation: "content_filter",
		genai.FinishReasonOther: "stop",
	}
	if candidate.FinishReason != "" {
		a.finish = words[candidate.FinishReason]
	}
	return nil
}
