package command

import (
	"errors"

	"react-agent/internal/config"
)

// Mistakes are the problems of a lenient opening that somebody has to mend. What a project wants and nobody has allowed is none.
func (h *Host) Mistakes() (out []error) {
	for _, err := range h.Problems {
		if _, asks := errors.AsType[*config.UntrustedError](err); !asks {
			out = append(out, err)
		}
	}
	return out
}
