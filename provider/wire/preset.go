package wire

// Preset is one vendor as data: where it lives, which variables hold its key, and how its dialect of a wire differs.
// Wires read these fields and never ask for a vendor by name.
type Preset struct {
	Name    string
	API     string // the wire it speaks: chat, responses, anthropic, gemini, offline
	BaseURL string // without the path of the operation; "" = the user has to name one
	// KeyEnv lists environment variables that may hold the key, the best first. Empty: no key is needed.
	KeyEnv []string
	// KeyHeader is the header that carries the key; "" = Authorization with "Bearer ".
	KeyHeader string
	// DefaultModel is a current model of the vendor, used when a key but no model is given.
	DefaultModel string
	// Context and MaxOutput are token limits of DefaultModel, 0 = unknown.
	Context, MaxOutput int

	// ReasoningField is the message field in which the vendor's own thoughts go back: "", "reasoning_content",
	// "reasoning", "reasoning_details".
	ReasoningField string
	// ReasoningAlways sends ReasoningField even when empty, on every assistant message, while tools are offered.
	ReasoningAlways bool
	// ThinkInContent sends thoughts that came as <think> text back inside the content, where they came from.
	ThinkInContent bool
	// EmptyContent says what stands for the content of an assistant message that only calls: "null" or "".
	EmptyContent string
	// MaxTokensField names the output limit; "" = max_tokens.
	MaxTokensField string
	// NoStreamUsage leaves out stream_options.include_usage, which the server refuses.
	NoStreamUsage bool
	// ThoughtsInTotal says that total_tokens counts thoughts which completion_tokens leaves out.
	ThoughtsInTotal bool
	// IDs is the vendor's rule for call ids.
	IDs IDRule

	// Numbers names the table by which the numbers in the vendor's errors are read: minimax, qianfan or zhipu. They
	// contradict one another. "" = only numbers that mean one thing everywhere.
	Numbers string
	// BareOverflow says that the server answers a history that is too long with status 400 and nothing else.
	BareOverflow bool
}

// Lookup finds a preset by name. The preset is the caller's own copy.
func Lookup(name string) (Preset, bool) {
	for _, p := range Presets() {
		if p.Name == name {
			return p, true
		}
	}
	return Preset{}, false
}
