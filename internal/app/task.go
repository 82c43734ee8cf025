package app

import (
	"path/filepath"
	"strings"

	"react-agent/kit/task"
	"react-agent/store/disk"
)

// taskDir is where the board of tasks is: one for all who work here, in whatever worktree.
func (p *product) taskDir() string { return filepath.Join(p.c.WorkDir, ".tasks") }

// docPlaces are the documents that are kept outside of the state directory, so that people and other programs find them.
func (p *product) docPlaces() []disk.Place {
	docs, _ := p.matePlaces()
	return append(docs, disk.Place{Kind: task.Kind, Dir: p.taskDir(), Before: "task_", Within: p.c.WorkDir})
}

// logPlaces are the logs that are kept there.
func (p *product) logPlaces() []disk.Place {
	_, logs := p.matePlaces()
	return logs
}

// claimant is in whose name an agent claims tasks: the main agent is the lead, a teammate has the name under which its tasks
// are found again, another sub-agent its own.
func claimant(k *cast) func() string {
	name := k.mates.Owner()
	if k.child != nil && !k.mates.IsMate() {
		name = strings.ToLower(k.child.Path[strings.LastIndex(k.child.Path, "/")+1:])
	}
	return func() string { return name }
}
