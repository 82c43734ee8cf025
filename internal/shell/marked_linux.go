package shell

import (
	"os"
	"os/exec"
	"time"
)

// EndMarked ends every process that has mark, as "NAME=value", in its environment, with its descendants: they are asked,
// and killed if they do not go. It returns when that is done, and says how many there were. Only Linux tells the
// environment of other processes; elsewhere there are none.
func EndMarked(mark string) int {
	j := &job{mark: mark, pipeFD: -1, cmd: &exec.Cmd{Process: &os.Process{Pid: nobody}}}
	j.tree = j.family()
	n := len(j.tree.members)
	if n == 0 {
		return 0
	}
	_ = j.tree.terminate(j) // what does not go is killed
	waitDeadFor(j.tree.members, termGrace)
	j.tree.kill(j)
	return n
}

// nobody is a number that no process, session or group has. Those of the system have 0.
const nobody = -1

// waitDeadFor waits until all of list are dead, or for d.
func waitDeadFor(list []proc, d time.Duration) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	end := time.Now().Add(d)
	for _, p := range list {
		for time.Now().Before(end) {
			now, ok := readProc(p.pid)
			if !ok || now.dead() || now.start != p.start {
				break
			}
			<-tick.C
		}
	}
}
