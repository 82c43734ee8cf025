package config

// Untrusted is one setting that waits for the person's trust.
type Untrusted struct {
	File   string
	Line   int
	Key    string
	SHA256 string // of the file's content
}

// UntrustedError lists the settings of files in the work directory that the person has not trusted.
type UntrustedError struct{ Items []Untrusted }

// Error names file, line and key of each.
func (e *UntrustedError) Error() string { panic("wip") }

// TrustFile is the record of what the person trusted: one line per file, hash and path.
type TrustFile struct{ Path string }

// Trusted reports whether this content of the file was trusted. The record is read at each question.
func (t TrustFile) Trusted(path, sha256 string) bool { panic("wip") }

// Add records trust in this content.
func (t TrustFile) Add(path, sha256 string) error { panic("wip") }
