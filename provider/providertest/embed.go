package providertest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// embed answers a request for vectors, and notes it.
func (s *Server) embed(w http.ResponseWriter, r Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r)
	s.wake()
	s.mu.Unlock()
	var asked struct {
		Model string
		Input []string
	}
	if err := json.Unmarshal(r.Body, &asked); err != nil || asked.Model == "" || len(asked.Input) == 0 {
		fail(w, http.StatusBadRequest, "'model' and a list of strings as 'input' are needed")
		return
	}
	type one struct {
		Object    string    `json:"object"`
		Index     int       `json:"index"`
		Embedding []float64 `json:"embedding"`
	}
	var data []one
	tokens := 0
	for i, text := range asked.Input {
		v := make([]float64, s.script.Embed)
		for _, r := range strings.ToLower(text) {
			v[int(r)%len(v)]++
		}
		data = append(data, one{"embedding", i, v})
		tokens += len(strings.Fields(text))
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"object": "list", "model": asked.Model, "data": data, "usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens},
	})
}
