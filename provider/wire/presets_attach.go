package wire

import "slices"

// reads is the table of what else can be attached for models that see, by vendor: the wires over which they read PDF
// documents, and those over which they hear. Elsewhere it is not known; a model's settings files and audio say it.
func reads() map[string]struct{ files, sounds []string } {
	type row = struct{ files, sounds []string }
	claude := row{files: []string{apiAnthropic}}
	both := row{files: []string{apiGemini, apiAnthropic}, sounds: []string{apiGemini}}
	return map[string]row{
		"openai": {files: []string{apiChat, apiResponses}}, "openrouter": {files: []string{apiChat, apiResponses}},
		"azure": {files: []string{apiChat, apiResponses, apiAnthropic}}, "anthropic": claude, "bedrock": claude, "gemini": both, "vertex": both,
	}
}

// ReadsFiles reports whether models of the vendor that see also read PDF documents, over the preset's wire.
func (p *Preset) ReadsFiles() bool { return slices.Contains(reads()[p.Name].files, p.API) }

// Hears reports whether models of the vendor that see also hear, over the preset's wire.
func (p *Preset) Hears() bool { return slices.Contains(reads()[p.Name].sounds, p.API) }
