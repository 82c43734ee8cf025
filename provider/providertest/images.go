package providertest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Images is what a server has against pictures: a request with one of more than Most bytes is refused with status 400 and
// Text, and no reply is used up by it.
type Images struct {
	Most int
	Text string
}

// parseImages reads the directive IMAGES n text.
func parseImages(rest string) (*Images, error) {
	n, text, _ := strings.Cut(rest, " ")
	most, err := strconv.Atoi(n)
	if err != nil || most < 0 || text == "" {
		return nil, fmt.Errorf("write IMAGES bytes text, not %q", rest)
	}
	return &Images{Most: most, Text: strings.TrimSpace(text)}, nil
}

// refuse says what is wrong with the pictures of a body, of whatever wire; "": nothing.
func (i *Images) refuse(body []byte) string {
	var v any
	if i == nil || json.Unmarshal(body, &v) != nil {
		return ""
	}
	if largest(v) > i.Most {
		return i.Text
	}
	return ""
}

// largest is the size of the largest attachment in a body: a data URL, or bytes in a field of that name.
func largest(v any) (most int) {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if s, ok := inner.(string); ok {
				if _, data, url := strings.Cut(s, ";base64,"); url {
					s = data
				} else if key != "data" {
					continue
				}
				if raw, err := base64.StdEncoding.DecodeString(s); err == nil {
					most = max(most, len(raw))
				}
				continue
			}
			most = max(most, largest(inner))
		}
	case []any:
		for _, inner := range v {
			most = max(most, largest(inner))
		}
	}
	return most
}
