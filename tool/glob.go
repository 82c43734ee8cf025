package tool

import (
	"context"
	_ "embed"
	"errors"
	"strings"

	"react-agent/agent"
)

//go:embed glob.md
var globDoc string

type globArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path,omitempty" doc:"directory to start in, default ."`
	All     bool   `json:"all,omitempty" doc:"also ignored files"`
	Limit   int    `json:"limit,omitempty" doc:"most results, default 200"`
}

// Glob makes the tool that finds files and directories by name.
func Glob(e Env) agent.Tool {
	e = e.withDefaults()
	return agent.NewTool("glob", strings.TrimSpace(globDoc), agent.Reads,
		func(_ context.Context, _ globArgs) (agent.Result, error) {
			return e.readFailed(errors.ErrUnsupported), nil
		})
}
