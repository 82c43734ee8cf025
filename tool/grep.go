package tool

import (
	"context"
	_ "embed"
	"errors"
	"strings"

	"react-agent/agent"
)

//go:embed grep.md
var grepDoc string

type grepArgs struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path,omitempty" doc:"file or directory, default ."`
	Glob       string `json:"glob,omitempty" doc:"only such files: *.go, src/**/*.{ts,tsx}, !*_test.go"`
	Mode       string `json:"mode,omitempty" enum:"content,files,count" doc:"default content"`
	Context    int    `json:"context,omitempty" doc:"lines around each match"`
	IgnoreCase bool   `json:"ignore_case,omitempty"`
	Literal    bool   `json:"literal,omitempty" doc:"pattern is plain text"`
	All        bool   `json:"all,omitempty" doc:"also ignored files"`
	Limit      int    `json:"limit,omitempty" doc:"most results, default 200"`
}

// Grep makes the tool that searches the contents of files.
func Grep(e Env) agent.Tool {
	e = e.withDefaults()
	return agent.NewTool("grep", strings.TrimSpace(grepDoc), agent.Reads,
		func(_ context.Context, _ grepArgs) (agent.Result, error) {
			return e.readFailed(errors.ErrUnsupported), nil
		})
}
