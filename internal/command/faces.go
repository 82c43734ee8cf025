package command

import (
	"strings"

	"react-agent/kit/profile"
)

// Profiles lists the names of the faces, the usual one first.
func Profiles() []string { return profile.Names() }

// profilesWith are the profiles that show a tool.
func profilesWith(tool string) string {
	var names []string
	for _, name := range profile.Names() {
		if p, err := profile.Load(name); err == nil && p.Shown(tool) != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
