package config

import "react-agent/internal/httpx"

// Redacted is an address as it may be shown: without user, password and the values of its query.
func Redacted(s string) string { return httpx.Shown(s) }

// shortest is how long a value of an address is that can be looked for: shorter ones stand in ordinary text, too.
const shortest = 8

// addressSecrets notes what the addresses hold that nobody may read.
func (l *loader) addressSecrets(values map[string]bool) {
	c := l.c
	bases := []string{c.APIBase, c.rest.openAIBase.value, l.vars["OPENAI_BASE_URL"].value, l.dot["OPENAI_BASE_URL"].value}
	for _, v := range c.rest.vendors {
		bases = append(bases, v.BaseURL)
		for _, p := range v.Also {
			bases = append(bases, p.BaseURL)
		}
	}
	for _, base := range bases {
		for _, value := range httpx.Secrets(base) {
			if len(value) >= shortest && !values[value] {
				values[value] = true
				c.rest.secrets = append(c.rest.secrets, Secret{Name: "api_base", Value: value})
			}
		}
	}
}
