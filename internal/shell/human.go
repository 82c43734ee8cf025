package shell

import (
	"bytes"
)

// waitsForPassword is no password.
const waitsForPassword = "it asks for a password or a confirmation on a terminal, and nobody can type it" //nolint:gosec // a sentence

// needsHuman finds in a failed command's output why a person is needed; empty: nothing points to it.
func needsHuman(r *Result) string {
	end := r.Tail
	if r.Lost == 0 {
		end = r.Head
	}
	end = end[max(0, len(end)-4096):]
	if r.TimedOut && looksLikeQuestion(end) {
		return "it was waiting with a question at the end of its output"
	}
	low := bytes.ToLower(end)
	for _, sign := range [...]string{
		"a terminal is required to read the password",
		"no tty present and no askpass",
		"sudo: a password is required",
		"sudo: no password was provided",
		"su: must be run from a terminal",
		"terminal prompts disabled",
		"could not read username",
		"could not read password",
		"can't open /dev/tty",
		"cannot open /dev/tty",
		"/dev/tty: no such device or address",
		"host key verification failed",
		"cannot prompt because",
		"failed: inappropriate ioctl for device", // gpg
		"can not control echo on the terminal",   // Python
	} {
		if i := bytes.Index(low, []byte(sign)); i >= 0 {
			return "it wants to ask on a terminal (" + string(end[i:i+len(sign)]) + ")"
		}
	}
	return ""
}
