package config

import (
	"net/url"
	"strings"
)

// Remote is the address of a server elsewhere and the token for it: that of the address (?token=), else REACT_AGENT_TOKEN.
func Remote(address string, environ []string) (clean, token string) {
	clean, query, _ := strings.Cut(address, "?")
	if values, err := url.ParseQuery(query); err == nil {
		token = values.Get("token")
	}
	if token == "" {
		token = Getenv(environ, prefix+"TOKEN")
	}
	return clean, token
}
