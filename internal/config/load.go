package config

// Load gathers the settings. Its error is one of configuration (exit 2): an [*UntrustedError] when the person has to be
// asked, else everything that is wrong, one line each. That no model can be reached is no error here, because many
// commands need none: ask [Config.Ready].
func Load(s Source) (*Config, error) { panic("wip") }

// Ready says why no model can be asked: no key and no server named, or no model; nil when all is there.
func (c *Config) Ready() error { return c.rest.notReady }

// IsSet reports whether somebody set the key ("shell.timeout_seconds"); a default or a vendor's value is not set.
func (c *Config) IsSet(key string) bool { return c.origins[key].Layer >= LayerUser }

// Origin is the place of a key's value.
func (c *Config) Origin(key string) Origin { return c.origins[key] }

// Origins lists every setting that has a value, sorted by key, secrets masked.
func (c *Config) Origins() []Value { panic("wip") }

// SecretEnv lists the keys of vendors that the environment, .env or files hold, also of vendors that are not used, so
// that no child sees them and no log shows them.
func (c *Config) SecretEnv() []Secret { return c.rest.secrets }

// ModeFor is the mode that counts, given the profile's own: the configured one; else the profile's, unless an untrusted
// file of the work directory chose a profile that asks less than "ask" does; else "ask".
func (c *Config) ModeFor(profileMode string) string { panic("wip") }
