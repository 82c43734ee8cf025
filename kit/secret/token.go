package secret

import (
	"encoding/base64"
	"strings"
)

// prefix is a rule for tokens that say what they are.
type prefix struct {
	text     string
	kind     string
	set      string                 // more bytes that may follow than letters and digits
	min, max int                    // how many follow; max 0 is any number
	test     func(tail string) bool // nil: it must not look like an example
}

const (
	maxToken = 512      // of one whose length is not known
	maxLong  = 16 << 10 // of one that holds data
)

// limit is how long the rest of a token may be; longer ones are something else, and need not be gone over.
func (p prefix) limit(rest string) int {
	if p.kind == kindPEM || p.kind == kindJWT && jwtHead(rest) {
		return maxLong
	}
	return maxToken
}

// prefixes lists the tokens of services. Of two that begin alike the longer one stands first.
func prefixes() []prefix {
	const dash = "-_"
	list := []prefix{
		{text: "Bearer ", kind: kindBearer, set: "-_.~+/=", min: 16, test: bearer},
		{text: "bearer ", kind: kindBearer, set: "-_.~+/=", min: 16, test: bearer},
		{text: "Basic ", kind: kindBasic, set: "+/=", min: 8, test: basic},
		{text: "basic ", kind: kindBasic, set: "+/=", min: 8, test: basic},
		{text: "eyJ", kind: kindJWT, set: "-_.", min: 30, test: jwt},
		{text: "LS0tLS1CRUdJTi", kind: kindPEM, set: "+/=-_", min: 80, test: encodedPEM},

		{text: "github_pat_", kind: "github-token", set: "_", min: 30},
		{text: "sk-ant-", kind: "anthropic-key", set: dash, min: 20},
		{text: "sk-proj-", kind: "openai-key", set: dash, min: 20},
		{text: "sk-svcacct-", kind: "openai-key", set: dash, min: 20},
		{text: "sk-admin-", kind: "openai-key", set: dash, min: 20},
		{text: "sk-or-v1-", kind: "openrouter-key", min: 32},
		{text: "sk-", kind: "api-key", set: dash, min: 20, test: longPart},
		{text: "AIza", kind: "google-key", set: dash, min: 35, max: 35},
		{text: "ya29.", kind: "google-token", set: dash, min: 20},
		{text: "GOCSPX-", kind: "google-secret", set: dash, min: 28, max: 28},
		{text: "xapp-", kind: "slack-token", set: "-", min: 20, test: mixed},
		{text: "xoxe.", kind: "slack-token", set: "-.", min: 20, test: mixed},
		{text: "whsec_", kind: "stripe-key", set: "+/=", min: 24},
		{text: "npm_", kind: "npm-token", min: 36, max: 36},
		{text: "pypi-", kind: "pypi-token", set: dash, min: 50},
		{text: "glpat-", kind: "gitlab-token", set: dash + ".", min: 20},
		{text: "gldt-", kind: "gitlab-token", set: dash, min: 20},
		{text: "glrt-", kind: "gitlab-token", set: dash + ".", min: 20},
		{text: "glptt-", kind: "gitlab-token", set: dash, min: 20},
		{text: "hf_", kind: "huggingface-token", min: 34, max: 37},
		{text: "gsk_", kind: "groq-key", min: 40},
		{text: "xai-", kind: "xai-key", min: 60},
		{text: "r8_", kind: "replicate-token", min: 37, max: 40},
		{text: "nvapi-", kind: "nvidia-key", set: dash, min: 40},
		{text: "pplx-", kind: "perplexity-key", min: 40},
		{text: "tvly-", kind: "tavily-key", set: dash, min: 20, test: mixed},
		{text: "dop_v1_", kind: "digitalocean-token", min: 64, max: 64},
		{text: "SG.", kind: "sendgrid-key", set: dash + ".", min: 60},
		{text: "shpat_", kind: "shopify-token", min: 32, max: 32},
		{text: "lin_api_", kind: "linear-key", min: 32},
		{text: "dckr_pat_", kind: "docker-token", set: dash, min: 20},
		{text: "hvs.", kind: "vault-token", set: dash, min: 24},
		{text: "dapi", kind: "databricks-token", min: 32, max: 34, test: hexTail},
		{text: "glsa_", kind: "grafana-token", set: "_", min: 40},
		{text: "ATATT3", kind: "atlassian-token", set: dash + "=", min: 60},
		{text: "AGE-SECRET-KEY-1", kind: "age-key", min: 50},
	}
	for _, p := range []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"} {
		list = append(list, prefix{text: p, kind: "github-token", min: 36})
	}
	for _, p := range []string{"AKIA", "ASIA"} {
		list = append(list, prefix{text: p, kind: "aws-key-id", min: 16, max: 16, test: upperTail})
	}
	for _, p := range []string{"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-"} {
		list = append(list, prefix{text: p, kind: "slack-token", set: "-", min: 16, test: mixed})
	}
	for _, p := range []string{"sk_live_", "sk_test_", "rk_live_", "rk_test_"} {
		list = append(list, prefix{text: p, kind: "stripe-key", min: 16})
	}
	return list
}

// token judges the word that begins at i.
func (s *shapes) token(text string, i int) (span, bool) {
	for _, p := range s.byFirst[text[i]] {
		if !strings.HasPrefix(text[i:], p.text) {
			continue
		}
		from := i + len(p.text)
		to := from
		for limit := p.limit(text[from:]); to < len(text) && (isAlnum(text[to]) || strings.IndexByte(p.set, text[to]) >= 0); to++ {
			if to-from > limit {
				return span{}, false
			}
		}
		if strings.HasSuffix(p.text, " ") { // a header: the scheme stays
			i = from
		} else {
			to = from + len(strings.TrimRight(text[from:to], ".")) // the end of a sentence
		}
		n := to - from
		if n < p.min || p.max > 0 && n > p.max {
			continue
		}
		tail := text[from:to]
		if s.examples.like(tail) || p.test != nil && !p.test(tail) {
			continue
		}
		return span{i, to, p.kind}, true
	}
	return span{}, false
}

// bearer is a token without a shape: anything random, or hexadecimal.
func bearer(tail string) bool { return mixed(tail) }

// basic is user:password in base64.
func basic(tail string) bool {
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(tail, "="))
	if err != nil {
		return false
	}
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	user, pass, ok := strings.Cut(string(b), ":")
	return ok && realPassword(user, pass)
}

// jwt is three parts, or five, of which the first says how it is signed.
func jwt(tail string) bool {
	parts := strings.SplitN(tail, ".", 7)
	return (len(parts) == 3 || len(parts) == 5) && len(parts[1]) >= 8 && len(parts[2]) >= 16 && jwtHead(tail)
}

func jwtHead(tail string) bool {
	head, _, _ := strings.Cut(tail[:min(len(tail), maxToken)], ".")
	b, err := base64.RawURLEncoding.DecodeString("eyJ" + head)
	return err == nil && strings.Contains(string(b), `"alg"`)
}

// encodedPEM is a private key file in base64, as configurations of clusters hold it.
func encodedPEM(tail string) bool {
	b, err := base64.StdEncoding.DecodeString("LS0tLS1CRUdJTi" + tail[:42])
	return err == nil && strings.Contains(string(b), "PRIVATE KEY")
}

func hexTail(tail string) bool {
	for _, c := range []byte(tail) {
		if !isDigit(c) && (c < 'a' || c > 'f') && c != '-' {
			return false
		}
	}
	return true
}

func upperTail(tail string) bool {
	for _, c := range []byte(tail) {
		if !isUpper(c) && !isDigit(c) {
			return false
		}
	}
	return true
}

// longPart reports digits and letters in one part between dashes: names of algorithms and of style classes have short
// ones.
func longPart(tail string) bool {
	for part := range strings.FieldsFuncSeq(tail, func(r rune) bool { return r == '-' || r == '_' }) {
		if len(part) >= 12 && mixed(part) {
			return true
		}
	}
	return false
}

// mixed reports digits and letters, more than a version or a year among words.
func mixed(s string) bool {
	digits, letters := 0, 0
	for _, c := range []byte(s) {
		switch {
		case isDigit(c):
			digits++
		case isAlnum(c):
			letters++
		}
	}
	return digits >= 3 && letters >= 3 && !sequence(s)
}
