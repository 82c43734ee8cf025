package cost

import (
	"unicode"
	"unicode/utf8"

	"react-agent/agent"
)

// What a token holds, by script, in rough agreement with the vocabularies of today: four letters or signs of what is one or
// two bytes long, one and a half Chinese, Japanese or Korean characters.
const (
	lettersPerToken = 4
	tokensPerHan    = 2.0 / 3
	tokensPerBlob   = 1000 // a picture of usual size, a page or two of a document
	tokensPerFrame  = 4    // what stands around a message or a tool
)

// tokensOf says about how many tokens a text is.
func tokensOf(text string) float64 {
	plain, han := 0, 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			plain++
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef {
			han++
		} else {
			plain += size
		}
	}
	return float64(plain)/lettersPerToken + float64(han)*tokensPerHan
}

// EstimateRequest says about how many tokens a request's input is.
func EstimateRequest(req *agent.Request) int64 {
	sum := tokensOf(req.System)
	for i := range req.Messages {
		sum += tokensPerFrame + tokensOfParts(req.Messages[i].Parts)
	}
	for i := range req.Tools {
		t := &req.Tools[i]
		sum += tokensPerFrame + tokensOf(t.Shown()) + tokensOf(t.Doc) + float64(len(t.Schema))/lettersPerToken
	}
	sum += float64(len(req.Schema)) / lettersPerToken
	return int64(sum + 0.999)
}

func tokensOfParts(parts []agent.Part) (sum float64) {
	for i := range parts {
		p := &parts[i]
		sum += tokensOf(p.Text)
		if p.Call != nil {
			sum += tokensPerFrame + tokensOf(p.Call.Name) + tokensOf(string(p.Call.Args))
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
