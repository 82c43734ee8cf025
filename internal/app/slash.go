package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/internal/config"
	"react-agent/kit/pipeline"
	"react-agent/kit/profile"
	"react-agent/kit/skill"
	"react-agent/tool"
)

// usualRoots are where agents keep skills, and then where they keep a person's own commands.
func (p *product) usualRoots(root, settings string) []skill.Root {
	top, home := p.c.Project(), config.Getenv(p.o.Env, "HOME")
	return slices.Concat(skill.Places(root, top, home, settings), skill.CommandPlaces(root, top, home, settings))
}

// look is how a conversation by lines looks, with the face's own numbers in it.
func (p *product) look() profile.Look {
	look := p.face.Look
	if strings.Contains(look.Steps, "%d") {
		look.Steps = fmt.Sprintf(look.Steps, or(p.c.MaxSteps, p.face.Limits.Steps))
	}
	return look
}

// readsFor reads the files that a person's commands ask for, by the same rules as what is mentioned in a message.
func (w *world) readsFor(ctx context.Context, s *agent.Session, path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.root, path)
	}
	if err := w.mayRead(ctx, s, path); err != nil {
		return "", err
	}
	env := w.env
	env.Cut = mentionCut
	t := tool.ReadFile(env)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		t = tool.ListDir(env)
	}
	text, err := said(ctx, t, map[string]string{"path": path})
	if err != nil {
		err = errors.New(strings.TrimPrefix(err.Error(), "Error: "))
	}
	return text, err
}

// attachedTo are the files that a text names with an at-sign, as if the person had typed it.
func (p *product) attachedTo(ctx context.Context, w *world, s *agent.Session, text string) []agent.Part {
	m := agent.TextMessage(agent.User, text)
	if err := p.mentions(w, w.env, s.ID).OnInput(ctx, s, &m); err != nil {
		return nil // the run is ending
	}
	return m.Parts[1:]
}

// pipelineOf tells how a skill is driven through its phases: by which tool, as the face shows it, and how a person's call
// of it enters.
func (p *product) pipelineOf(w *world, k *skill.Skill) (tool string, entry skill.Entry, ok bool) {
	lines, tool := p.lineOf(w, k)
	if tool == "" {
		return "", "", false
	}
	return p.face.Shown(tool), skill.Entry(lines.SlashMode(k.Name)), true
}

// needsOf names the tool of a pipeline that the face does not show.
func (p *product) needsOf(w *world, k *skill.Skill) string {
	if _, tool := p.lineOf(w, k); tool != "" && p.face.Shown(tool) == "" {
		return tool
	}
	return ""
}

// lineOf finds the pipelines of a place, and the tool of a skill among them, "" if it has none.
func (p *product) lineOf(w *world, k *skill.Skill) (*pipeline.Pipelines, string) {
	p.places.Lock()
	lines := w.lines
	p.places.Unlock()
	if lines == nil {
		return nil, ""
	}
	return lines, lines.Tool(k.Name)
}
