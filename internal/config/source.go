package config

// Source is everything a configuration is made of, passed in by the caller.
type Source struct {
	// Flags that the person gave, by name without dashes ("max-steps"). Flags that are no settings are ignored.
	Flags map[string]string
	// Environ is the environment as NAME=VALUE; of equal names the last counts.
	Environ []string
	// WorkDir is the absolute directory the process was started in.
	WorkDir string
	// UserConfigDir holds the user's config.yaml; "" = found by [Dirs].
	UserConfigDir string
	// Vendors is the table of vendors that can be used.
	Vendors []Vendor
	// Trusted reports whether the person trusted the file with this content (SHA-256, lower-case hex). nil trusts none.
	Trusted func(path, sha256 string) bool
	// SkipUntrusted leaves untrusted settings out and lists them in Config.Ignored, instead of failing.
	SkipUntrusted bool
	// NoFiles reads no file at all (demo).
	NoFiles bool
	// AsksProgram says which profiles ask a program where nobody named a vendor, a wire or an address. nil: none does.
	AsksProgram func(profile string) bool
}

// Vendor is what configuration has to know of a vendor.
type Vendor struct {
	Name    string
	API     string
	BaseURL string
	// KeyEnv lists the variables that may hold the key, the best first; empty: no key is needed.
	KeyEnv []string
	// Local says that it is a server on one's own machine: a model need not be named, it is asked what it has.
	Local bool
	// Form shows what a base URL looks like, for the message where one has to be named.
	Form string
	// Also has the addresses of the other wires that the vendor speaks.
	Also map[string]Place
	// SlashIDs says that ids of the vendor's models have slashes.
	SlashIDs bool
	// Programs are the names of the vendor's program, where it is one.
	Programs []string
	// DefaultModel is used when a key but no model is given.
	DefaultModel string
	// ModelPrefixes say which model ids are surely this vendor's ("claude"), to choose between several keys.
	ModelPrefixes []string
}

// Place is where a vendor speaks a wire, and what such an address looks like.
type Place struct{ BaseURL, Form string }
