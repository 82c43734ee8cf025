package cost

import (
	"react-agent/agent"
	"react-agent/internal/text"
)

const (
	tokensPerBlob  = 1000 // a picture of usual size, a page or two of a document
	tokensPerFrame = 4    // what stands around a message or a tool
)

// EstimateRequest says about how many tokens a request's input is.
func EstimateRequest(req *agent.Request) int64 {
	sum := text.Tokens(req.System)
	for i := range req.Messages {
		sum += tokensPerFrame + tokensOfParts(req.Messages[i].Parts)
	}
	for i := range req.Tools {
		t := &req.Tools[i]
		sum += tokensPerFrame + text.Tokens(t.Shown()) + text.Tokens(t.Doc) + text.Tokens(string(t.Schema))
	}
	return int64(sum + text.Tokens(string(req.Schema)))
}

func tokensOfParts(parts []agent.Part) (sum int) {
	for i := range parts {
		p := &parts[i]
		sum += text.Tokens(p.Text)
		if p.Call != nil {
			sum += tokensPerFrame + text.Tokens(p.Call.Name) + text.Tokens(string(p.Call.Args))
		}
		if p.Blob != nil {
			sum += tokensPerBlob
		}
		if p.Result != nil {
			sum += tokensOfParts(p.Result.Parts)
		}
	}
	return sum
}
