package app

import (
	"fmt"
	"slices"
	"strings"

	"react-agent/internal/config"
	"react-agent/kit/profile"
	"react-agent/kit/skill"
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
