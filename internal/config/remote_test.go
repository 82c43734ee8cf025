package config

import "testing"

func TestRemote(t *testing.T) {
	environ := []string{"REACT_AGENT_TOKEN=of-environment"}
	for _, c := range []struct{ address, clean, token string }{
		{"http://h:1", "http://h:1", "of-environment"},
		{"http://h:1/?token=a%2Bb", "http://h:1/", "a+b"},
		{"http://h:1/?token=", "http://h:1/", "of-environment"},
		{"http://h:1/?%zz", "http://h:1/", "of-environment"},
	} {
		if clean, token := Remote(c.address, environ); clean != c.clean || token != c.token {
			t.Errorf("%s: %q %q", c.address, clean, token)
		}
	}
	if _, token := Remote("http://h:1", nil); token != "" {
		t.Error(token)
	}
}

// The token of a server elsewhere is a secret that no child may see, and no mistake in the environment.
func TestTokenOfAServerIsASecret(t *testing.T) {
	w := newWorld(t)
	w.env("REACT_AGENT_TOKEN=a-token-for-elsewhere")
	c := w.load()
	for _, s := range c.SecretEnv() {
		if s.Name == "REACT_AGENT_TOKEN" {
			if len(c.Ignored) > 0 {
				t.Errorf("%+v", c.Ignored)
			}
			return
		}
	}
	t.Errorf("%+v", c.SecretEnv())
}
