package config

import (
	"slices"
	"strings"
	"testing"
)

func TestWhatAddressesHoldIsSecret(t *testing.T) {
	w := newWorld(t)
	w.user("api_base: https://me:word-of-mine@x.example/v1?api-version=2024-10-21&sig=of-the-address&n=1\n" +
		"presets: {own: {like: openai, base_url: \"https://token-of-own@own.example/v1\"}}\n")
	w.env("N=1")
	c := w.load()
	var got []string
	for _, s := range c.SecretEnv() {
		if s.Name != "api_base" {
			t.Errorf("%+v", s)
		}
		got = append(got, s.Value)
	}
	for _, want := range []string{"word-of-mine", "bWU6d29yZC1vZi1taW5l", "of-the-address", "token-of-own"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not among %q", want, got)
		}
	}
	if slices.Contains(got, "1") || slices.Contains(got, "2024-10-21") {
		t.Errorf("no secret: %q", got)
	}
	for _, v := range c.Origins() {
		for _, secret := range got {
			if strings.Contains(v.Value, secret) {
				t.Errorf("%s shows %s", v.Key, v.Value)
			}
		}
	}
}
