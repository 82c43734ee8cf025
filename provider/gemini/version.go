package gemini

import (
	"encoding/json"
	"strconv"
	"strings"

	"react-agent/provider/wire"
)

// version is the generation of a model, by its name; zero where the name does not say.
type version struct{ major, minor int }

// version reads names such as gemini-3.8-flash, with anything before them. Names without a number (gemini-flash-latest,
// a tuned model) mean a current model.
func (m *model) version() (v version) {
	_, rest, ok := strings.Cut(m.Model, "gemini-")
	if !ok {
		return v
	}
	number, _, _ := strings.Cut(rest, "-")
	major, minor, _ := strings.Cut(number, ".")
	if n, err := strconv.Atoi(major); err == nil {
		v.major = n
		v.minor, _ = strconv.Atoi(minor) // 0 where there is none
	}
	return v
}

// before reports whether the name says that the model is older. Of a name that does not say anything, none is.
func (v version) before(major, minor int) bool {
	return v.major > 0 && (v.major < major || v.major == major && v.minor < minor)
}

// thinking is how much the model is to think, and whether it shows what.
func (m *model) thinking(effort string) map[string]json.RawMessage {
	config := map[string]json.RawMessage{}
	v := m.version()
	word := strings.ToLower(strings.TrimSpace(effort))
	number, err := strconv.Atoi(word)
	switch {
	case err == nil:
		config["thinkingBudget"] = strconv.AppendInt(nil, int64(number), 10)
	case word == "", word == "auto", word == "dynamic":
		if !m.thinks(v) {
			return nil
		}
	case v.before(3, 0):
		number = budget(word)
		config["thinkingBudget"] = strconv.AppendInt(nil, int64(number), 10)
	default:
		config["thinkingLevel"] = wire.AppendString(nil, level(word))
	}
	if _, budgeted := config["thinkingBudget"]; !budgeted || number != 0 {
		config["includeThoughts"] = json.RawMessage("true")
	}
	return config
}

// thinks reports whether the model is known to think: others refuse to be asked for thoughts.
func (m *model) thinks(v version) bool {
	switch {
	case m.Config.Info.Reasoning:
		return true
	case v.major == 0, v.before(2, 5):
		return false
	case v.before(3, 0):
		return !strings.Contains(m.Model, "image") && !strings.Contains(m.Model, "tts")
	}
	return true
}

// level is a word for an effort in the API's own spelling. There is none for not thinking at all.
func level(word string) string {
	switch word {
	case "none", "off":
		return "MINIMAL"
	case "xhigh", "max":
		return "HIGH"
	}
	return strings.ToUpper(word)
}

// budget is an effort in tokens, as the vendor's other endpoint translates the words; -1 leaves it to the model.
func budget(word string) int {
	switch word {
	case "none", "off":
		return 0
	case "minimal":
		return 512
	case "low":
		return 1024
	case "medium":
		return 8192
	case "high", "xhigh", "max":
		return 24576
	}
	return -1
}
