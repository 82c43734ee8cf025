//go:build linux

package sandbox

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// confined runs check in a thread of this process that the helper's own code has confined. The thread ends with it.
func confined(t *testing.T, spaces bool, sp spec, check func()) error {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: nobody else may get this thread
		var err error
		if spaces {
			err = unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS | unix.CLONE_NEWNET)
		} else {
			err = unix.Unshare(unix.CLONE_FS)
		}
		if err == nil {
			text, jerr := json.Marshal(sp)
			err = errors.Join(jerr, enter(string(text), []string{"/no/such/program"}))
		}
		if errors.Is(err, os.ErrNotExist) { // all went well, up to the program
			check()
			err = nil
		}
		done <- err
	}()
	return <-done
}

func TestTheHelperConfinesItsThread(t *testing.T) {
	for _, w := range ways()[1:] {
		t.Run(w.name, func(t *testing.T) {
			if !w.bare && os.Geteuid() != 0 {
				t.Skip("not here: only root can give a thread namespaces")
			}
			r := open(t, w, Options{})
			put(t, filepath.Join(r.home, ".aws", "config", "deep"), "secret")
			r.o.Show = []string{filepath.Join(r.home, ".aws", "config")}
			m, err := r.places(!w.bare)
			if err != nil {
				t.Fatal(err)
			}
			sp := spec{Places: m.sorted(), Dir: r.root, Mounts: !w.bare, Net: !w.bare, NoNet: w.bare, Keep: os.Geteuid() == 0}
			if !w.bare {
				sp.Scratch = filepath.Dir(r.store.file(noneName))
				sp.Script = filepath.Join(r.out, "file")
			}
			err = confined(t, !w.bare, sp, func() {
				if b, err := os.ReadFile(filepath.Join(r.home, ".ssh", "id_x")); err == nil {
					t.Errorf("the key was read: %q", b)
				}
				if b, err := os.ReadFile(filepath.Join(r.home, ".aws", "config", "deep")); err != nil || string(b) != "secret" {
					t.Errorf("what is shown: %q %v", b, err)
				}
				if err := os.WriteFile(filepath.Join(r.out, "file"), nil, 0o600); err == nil {
					t.Error("outside was written")
				}
				if err := os.WriteFile(filepath.Join(r.root, "here"), []byte("x"), 0o600); err != nil {
					t.Error(err)
				}
				if c, err := net.Dial("tcp4", "127.0.0.1:1"); err == nil {
					t.Error("connected to ", c.RemoteAddr())
				}
				if !w.bare {
					if b, err := os.ReadFile(scriptIn(sp.Script)); err != nil || string(b) != "old" {
						t.Errorf("the script: %q %v", b, err)
					}
				}
				if err := unix.Kill(1, 0); err == nil && os.Geteuid() != 0 {
					t.Error("the first process can be signalled")
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := content(t, filepath.Join(r.root, "here")); got != "x" {
				t.Errorf("%q", got)
			}
		})
	}
}

// A helper that cannot do as it is told runs nothing and says why.
func TestTheHelperRefuses(t *testing.T) {
	if done, _ := Main([]string{"react-agent", "{}", "/bin/true"}); done {
		t.Error("somebody else was taken for a helper")
	}
	if done, _ := Main([]string{helperName}); done {
		t.Error("no program")
	}
	for text, want := range map[string]string{"": "JSON", `{"places":1}`: "places"} {
		if err := confined(t, false, spec{}, func() {}); err != nil && !strings.Contains(err.Error(), "landlock") {
			t.Errorf("an empty spec: %v", err)
		}
		err := enter(text, []string{"/bin/true"})
		runtime.UnlockOSThread()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	done, code := Main([]string{helperName, "no spec", "/bin/true"})
	runtime.UnlockOSThread()
	if !done || code != cannotEnter {
		t.Error(done, code)
	}
}

func TestPartsOfKernelInterface(t *testing.T) {
	if handled(1)&unix.LANDLOCK_ACCESS_FS_REFER != 0 || handled(2)&unix.LANDLOCK_ACCESS_FS_TRUNCATE != 0 || handled(4)&unix.LANDLOCK_ACCESS_FS_IOCTL_DEV != 0 ||
		handled(8)&fsUnix != 0 || handled(9) != fsAll {
		t.Error("rights of versions")
	}
	if netRights(3) != 0 || netRights(4) != netTCP || netRights(10) != netTCP|netUDP {
		t.Error("rights of the network")
	}
}
