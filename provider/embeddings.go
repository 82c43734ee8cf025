package provider

import (
	"context"

	"react-agent/agent"
	"react-agent/provider/embed"
)

// Embeddings opens an embeddings model where a model of the same vendor would be asked: the same address, key and headers.
// API is [embed.Chat] or [embed.Gemini], Model must be named, and of Extra goes what Spec has. dims asks for vectors of that
// length, 0 = the model's own; around is put around each request, see [embed.Options]. Nothing is retried.
func Embeddings(s Spec, dims int, around func(ctx context.Context, m agent.Model) agent.Model) (*embed.Embedder, error) {
	c, err := s.config()
	if err != nil {
		return nil, err
	}
	c.Model, c.Extra = s.Model, s.Extra
	return embed.New(embed.Options{API: s.API, Config: c, Dims: dims, Around: around})
}
