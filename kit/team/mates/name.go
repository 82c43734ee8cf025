package mates

import (
	"strings"

	"react-agent/internal/msg"
	"react-agent/store"
)

// Lead is the name of the lead in its team.
const Lead = "lead"

// system is who writes about a teammate that cannot write any more.
const system = "team"

// Clean checks a name and gives the spelling that files have: names are compared without case. What leads out of the folder,
// hides, or is a device somewhere is refused.
func Clean(name string) (string, error) {
	key, err := store.CleanID(strings.TrimSpace(name))
	if err != nil || strings.Contains(key, ".") {
		return "", msg.Errorf(msg.MateName, name)
	}
	return key, nil
}

// member is [Clean] for somebody who may be spawned.
func member(name string) (string, error) {
	key, err := Clean(name)
	if err == nil && (key == Lead || key == system) {
		return "", msg.Errorf(msg.MateReserved, name)
	}
	return key, err
}
