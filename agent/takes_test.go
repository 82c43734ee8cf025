package agent_test

import (
	"testing"

	"react-agent/agent"
)

func TestWhatAModelTakes(t *testing.T) {
	for mime, c := range map[string]struct {
		info agent.ModelInfo
		want bool
	}{
		"text/plain": {agent.ModelInfo{}, true}, "image/png": {agent.ModelInfo{Vision: true}, true}, "image/gif": {agent.ModelInfo{Files: true, Audio: true}, false},
		"application/pdf": {agent.ModelInfo{Files: true}, true}, "application/zip": {agent.ModelInfo{Vision: true, Files: true, Audio: true}, false},
		"audio/wav": {agent.ModelInfo{Audio: true}, true}, "audio/mpeg": {agent.ModelInfo{Vision: true, Files: true}, false}, "video/mp4": {agent.ModelInfo{Vision: true}, false},
		"": {agent.ModelInfo{Vision: true}, false},
	} {
		if c.info.Takes(mime) != c.want {
			t.Errorf("%q: %v", mime, !c.want)
		}
	}
}
