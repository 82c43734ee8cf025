package sandbox

// What the model is told before it runs anything.
const (
	describesPlaces  = "Commands run in a sandbox that can write only in the work directory and in /tmp."
	describesOffline = " They have no network."
)

// Describe tells the model in a sentence or two what commands can do. It tries nothing and is the same for as long as the
// options are, so that it may stand in a prompt.
func (s *Sandbox) Describe() string {
	if s == nil {
		return ""
	}
	if s.o.Network {
		return describesPlaces
	}
	return describesPlaces + describesOffline
}
