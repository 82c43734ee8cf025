package command

import (
	"context"
	"runtime"

	"react-agent/internal/msg"
)

// versionCommand prints the version.
func versionCommand() Command {
	return Command{
		Name: "version", Help: msg.HelpVersion, Shell: true, Bare: true,
		Run: func(_ context.Context, h *Host, in Input) (Outcome, error) {
			if in.JSON {
				return Outcome{}, printJSON(in, map[string]string{
					"version": h.Options.Version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
				})
			}
			return Outcome{}, in.printf("react-agent %s (%s, %s/%s)\n", h.Options.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}
