//go:build linux

package sandbox

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// servers of this process that commands must not reach.
type servers struct {
	tcp, udp int
	abstract string
	file     string
	got      chan string
}

func serve(t *testing.T, dir string) *servers {
	t.Helper()
	s := &servers{got: make(chan string, 10), abstract: fmt.Sprintf("sandbox-test-%d", os.Getpid()), file: filepath.Join(dir, "socket")}
	accept := func(network, address string) net.Addr {
		l, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				s.got <- network + " " + address
				_, _ = c.Write([]byte("hello\n"))
				_ = c.Close()
			}
		}()
		return l.Addr()
	}
	s.tcp = accept("tcp4", "127.0.0.1:0").(*net.TCPAddr).Port
	accept("unix", "@"+s.abstract)
	u, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = u.Close() })
	s.udp = u.LocalAddr().(*net.UDPAddr).Port
	go func() {
		b := make([]byte, 100)
		for {
			n, _, err := u.ReadFrom(b)
			if err != nil {
				return
			}
			s.got <- "udp " + string(b[:n])
		}
	}()
	return s
}

// nothing checks that no server was reached; a datagram of our own comes after any that was sent before.
func (s *servers) nothing(t *testing.T) {
	t.Helper()
	c, err := net.Dial("udp4", fmt.Sprintf("127.0.0.1:%d", s.udp))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := c.Write([]byte("end")); err != nil {
		t.Fatal(err)
	}
	for {
		got := <-s.got
		if got == "udp end" {
			return
		}
		t.Error("reached: ", got)
	}
}

func (s *servers) connectTCP() string {
	return fmt.Sprintf("exec 3<>/dev/tcp/127.0.0.1/%d && cat <&3", s.tcp)
}

func (s *servers) sendUDP() string { return fmt.Sprintf("echo -n in >/dev/udp/127.0.0.1/%d", s.udp) }

func (s *servers) connectAbstract(t *testing.T) string {
	t.Helper()
	return python(t, `import socket; s=socket.socket(socket.AF_UNIX); s.connect("\0`+s.abstract+`"); print(s.recv(9))`)
}

// python is a command that runs a program of one line.
func python(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath("/usr/bin/python3")
	if err != nil {
		if path, err = exec.LookPath("python3"); err != nil {
			t.Skip("needs python3")
		}
	}
	return path + " -c '" + program + "'"
}

func TestNoNetwork(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, w way) {
		s := serve(t, t.TempDir())
		out := r.fails(t, s.connectTCP())
		r.fails(t, s.connectAbstract(t))
		if w.bare {
			if !strings.Contains(r.Warning(), "UDP") {
				t.Errorf("UDP is open and the warning does not say so: %q", r.Warning())
			}
		} else {
			out, res := r.sh(t, s.sendUDP())
			_ = res // to send into the void is no error
			r.works(t, python(t, `import socket; l=socket.create_server(("127.0.0.1",0)); c=socket.create_connection(l.getsockname()); print("own loopback")`))
			if strings.Contains(out, "hello") {
				t.Error(out)
			}
			if r.Warning() != "" {
				t.Errorf("warning %q", r.Warning())
			}
		}
		s.nothing(t)
		if strings.Contains(out, "hello") {
			t.Error(out)
		}
	})
}

func TestNetworkAllowed(t *testing.T) {
	each(t, Options{Network: true}, func(t *testing.T, r *rig, _ way) {
		s := serve(t, t.TempDir())
		if got := r.works(t, s.connectTCP()); got != "hello" {
			t.Errorf("TCP: %q", got)
		}
		r.works(t, s.sendUDP())
		if got := <-s.got; got != "tcp4 127.0.0.1:0" {
			t.Error(got)
		}
		if got := <-s.got; got != "udp in" {
			t.Error(got)
		}
		r.works(t, python(t, `import socket; l=socket.create_server(("127.0.0.1",0))`))
	})
}

// Whoever listens in the usual places for such sockets is not to be talked to: that would be a way out.
func TestSocketsInTemp(t *testing.T) {
	each(t, Options{Network: true}, func(t *testing.T, r *rig, w way) {
		if w.bare {
			t.Skip("not here: Landlock alone does not know sockets in the file system, as the warning says")
		}
		s := serve(t, t.TempDir())
		dir, err := os.MkdirTemp("/tmp", "socket-") //nolint:usetesting // it has to be there
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		l, err := net.Listen("unix", filepath.Join(dir, "s"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		r.fails(t, python(t, `import socket; s=socket.socket(socket.AF_UNIX); s.connect("`+dir+`/s")`))
		s.nothing(t)
	})
}

func TestOtherProcesses(t *testing.T) {
	victim := exec.Command("sleep", "1000")
	victim.Env = []string{"TOKEN=of-the-victim"}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- victim.Wait() }()
	t.Cleanup(func() {
		_ = victim.Process.Kill()
		<-ended
	})
	pid := victim.Process.Pid
	each(t, Options{}, func(t *testing.T, r *rig, _ way) {
		for _, command := range []string{
			fmt.Sprintf("kill -9 %d", pid),
			fmt.Sprintf("kill -STOP %d", pid),
			fmt.Sprintf("cat /proc/%d/environ", pid),
			fmt.Sprintf("head -c 1 /proc/%d/mem", pid),
			fmt.Sprintf("cat /proc/%d/maps | grep .", pid),
			fmt.Sprintf("cd -P /proc/%d/root && ls", pid),
			fmt.Sprintf("ls -l /proc/%d/fd/0", pid),
			fmt.Sprintf("echo 500 >/proc/%d/oom_score_adj", pid),
			fmt.Sprintf("renice 5 %d && false", pid),
			python(t, fmt.Sprintf(`import ctypes,sys; sys.exit(ctypes.CDLL(None).ptrace(16,%d,0,0) != 0)`, pid)),
			python(t, fmt.Sprintf(`import os; os.pidfd_open(%d); os.kill(%d,9)`, pid, pid)),
		} {
			if out := r.fails(t, command); strings.Contains(out, "of-the-victim") {
				t.Errorf("%s: %s", command, out)
			}
		}
		select {
		case err := <-ended:
			t.Fatal("the other process has ended: ", err)
		default:
		}
		if got := r.works(t, "sleep 100 & kill $! && wait $!; echo $?"); got != "143" {
			t.Errorf("kill of a child: %q", got)
		}
	})
}

func TestNoPowers(t *testing.T) {
	each(t, Options{}, func(t *testing.T, r *rig, w way) {
		status := r.works(t, "cat /proc/self/status")
		for line := range strings.Lines(status) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ":\t")
			switch name {
			case "CapEff", "CapPrm", "CapInh", "CapAmb", "CapBnd":
				if name == "CapBnd" && (w.kind == Bwrap || os.Geteuid() != 0) {
					continue // without new privileges this bound gives nothing
				}
				if strings.Trim(value, "0") != "" && value != "000000000000001b" {
					t.Error(line)
				}
			case "NoNewPrivs":
				if value != "1" {
					t.Error(line)
				}
			}
		}
		secret := filepath.Join(r.home, ".ssh", "id_x")
		for _, command := range []string{
			"mount -o remount,rw /", "mount -o remount,bind,rw /", "umount '" + filepath.Join(r.home, ".ssh") + "'", "umount -l /tmp", "mount -t tmpfs x .",
			"mount --bind . /mnt", "mknod disk b 8 0", "mknod mem c 1 1", "chroot . /bin/sh", "nsenter -t 1 -m cat '" + secret + "'", "pivot_root . .",
			"unshare -m true", "unshare -n true", "unshare -p -f true", "swapon x", "date -s 2001-01-01", "hostname x", "sysctl -w kernel.panic=1",
			"unshare -Ur sh -c 'mount -o remount,rw /'", "unshare -Urm umount '" + filepath.Join(r.home, ".ssh") + "'",
			"unshare -Urm sh -c 'mount -o remount,bind,rw / && touch /usr/x'", "unshare -Urm cat '" + secret + "'",
			"unshare -Ur chroot /proc/1/root cat '" + secret + "'", "cat /dev/mem", "cat /dev/sd* /dev/vd* /dev/nvme*", "setpriv --reuid 0 --bounding-set +all true && false",
			python(t, `import ctypes,os; l=ctypes.CDLL(None,use_errno=True); os._exit(l.unshare(0x00020000)!=0)`),
		} {
			if out := r.fails(t, command); strings.Contains(out, "secret") {
				t.Errorf("%s: %s", command, out)
			}
		}
	})
}
