// Package browser has the test of the page in a real browser: the real binary with a scripted model, driven by a script for
// Playwright. It needs chromium, node, and playwright-core in a folder that NODE_PATH or PLAYWRIGHT names.
package browser

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"react-agent/provider/providertest"
)

// rig is the real binary with a scripted model, and what the script in the browser may do to both.
type rig struct {
	t     *testing.T
	bin   string
	dir   string
	model *providertest.Server
	// url is where the page is; it stays the same when the program is started again.
	url string

	mu  sync.Mutex
	cmd *exec.Cmd
}

func newRig(t *testing.T, script string) *rig {
	t.Helper()
	parsed, err := providertest.Parse(script, "")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := &rig{t: t, dir: dir, bin: filepath.Join(dir, "react-agent"), model: providertest.New(t.Context(), parsed)}
	t.Cleanup(r.model.Close)
	for _, name := range []string{"home", "work"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(dir, "home", ".config", "react-agent")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "config.yaml"), []byte("models: {test-model: {vision: true}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"state/log/session/" + longID + ".jsonl": long()}
	for name, text := range team() {
		files["work/"+name] = text
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", r.bin, "react-agent/cmd/react-agent")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	r.cmd, r.url = r.start("127.0.0.1:0")
	t.Cleanup(func() { end(r.cmd) })
	return r
}

// team is what a team has left in the work directory: somebody who has ended, with a task and a message; a task in a state of
// another program, behind one that is gone, and a file that is no task.
func team() map[string]string {
	return map[string]string{
		".team/config.json":      `{"team_name":"crew","members":[{"name":"bob","role":"coder","status":"shutdown"}]}`,
		".team/inbox/lead.jsonl": `{"type":"message","from":"bob","content":"half of it is done","timestamp":1.5}` + "\n",
		".tasks/task_2.json":     `{"id":2,"subject":"Look at it","description":"","status":"review","owner":"","blockedBy":[1,99],"blocks":[]}`,
		".tasks/task_3.json":     `{"id":3,`,
		".tasks/task_1.json":     `{"id":1,"subject":"Write it","description":"","status":"in_progress","owner":"bob","blockedBy":[],"blocks":[]}`,
	}
}

// longID is the session of long.
const longID = "20250102-030405-longa"

// long is the log of a session of 5000 events, with notes at its end.
func long() string {
	var b strings.Builder
	seq := 0
	put := func(format string, args ...any) {
		seq++
		fmt.Fprintf(&b, `{"seq":%d,"time":"2025-01-02T03:04:05Z","session":"`+longID+`","agent":"main",`+format+"}\n", append([]any{seq}, args...)...)
	}
	note := `"type":"message","message":{"role":"%s","from":"%s","parts":[{"kind":"text","text":"%s"}]}`
	for seq < 4995 {
		put(`"type":"message","message":{"role":"user","parts":[{"kind":"text","text":"question %d"}]}`, seq)
		put(`"type":"message","message":{"role":"assistant","stop":"end","parts":[{"kind":"text","text":"Some **words** for %d.\n\n%s"}]}`, seq, strings.Repeat("More. ", 100))
	}
	put(note, "user", "until", "it does not hold yet")
	put(note, "user", "memory", strings.Repeat("long", 200))
	put(note, "system", "", "be kind")
	put(note, "user", "scout-7", "from an agent")
	return b.String()
}

var listens = regexp.MustCompile(`http://127\.0\.0\.1:\d+/`)

// start starts a server and waits until it says where it listens.
func (r *rig) start(listen string, env ...string) (cmd *exec.Cmd, url string) {
	r.t.Helper()
	cmd = exec.CommandContext(r.t.Context(), r.bin, "serve", "--listen", listen, "--profile", "full")
	cmd.Dir = filepath.Join(r.dir, "work")
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(r.dir, "home"), "LANG=C.UTF-8",
		"REACT_AGENT_STATE_DIR=" + filepath.Join(r.dir, "state"),
	}, append(r.model.Env(), env...)...)
	out, err := cmd.StderrPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	said := make(chan string, 1)
	go func() {
		var all strings.Builder
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			all.WriteString(lines.Text() + "\n")
			if url := listens.FindString(lines.Text()); url != "" {
				said <- url
			}
		}
		said <- "the server ended: " + all.String()
	}()
	url = <-said
	if !strings.HasPrefix(url, "http") {
		r.t.Fatal(url)
	}
	return cmd, url
}

// end ends a server as a crash does.
func end(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// control is what the script may ask for: GET /holding waits until the model stands at a WAIT, /release lets one go on,
// /crash kills the server, /restart starts it again at the same address, /locked starts another one that wants a token, /file?name= reads a file of the work directory.
func (r *rig) control() *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/holding", func(w http.ResponseWriter, q *http.Request) { answer(w, r.model.Holding(q.Context())) })
	mux.HandleFunc("/release", func(w http.ResponseWriter, _ *http.Request) { r.model.Release(); answer(w, nil) })
	mux.HandleFunc("/crash", func(w http.ResponseWriter, _ *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		end(r.cmd)
		answer(w, nil)
	})
	mux.HandleFunc("/restart", func(w http.ResponseWriter, _ *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.cmd, r.url = r.start(strings.TrimSuffix(strings.TrimPrefix(r.url, "http://"), "/"))
		answer(w, nil)
	})
	mux.HandleFunc("/locked", func(w http.ResponseWriter, _ *http.Request) {
		cmd, url := r.start("127.0.0.1:0", "REACT_AGENT_SERVER_TOKEN=a-token-made-up-for-the-test")
		r.t.Cleanup(func() { end(cmd) })
		_, _ = fmt.Fprintln(w, url)
	})
	mux.HandleFunc("/file", func(w http.ResponseWriter, q *http.Request) {
		http.ServeFile(w, q, filepath.Join(r.dir, "work", filepath.Base(q.URL.Query().Get("name"))))
	})
	mux.HandleFunc("/bodies", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, strings.Join(r.model.Bodies(), "\n"))
	})
	s := httptest.NewUnstartedServer(mux)
	s.Config.BaseContext = func(net.Listener) context.Context { return r.t.Context() }
	s.Start()
	r.t.Cleanup(s.Close)
	return s
}

func answer(w http.ResponseWriter, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = fmt.Fprintln(w, "ok")
}

// browser finds Chromium and the folder that has playwright-core, or skips.
func browser(t *testing.T) (chromium, modules string) {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			chromium = path
			break
		}
	}
	if chromium == "" {
		t.Skip("needs chromium")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("needs node")
	}
	places := append([]string{os.Getenv("PLAYWRIGHT")}, filepath.SplitList(os.Getenv("NODE_PATH"))...)
	for _, dir := range append(places, "/usr/lib/node_modules", "/usr/local/lib/node_modules") {
		if dir == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, "playwright-core", "package.json")); err == nil {
			return chromium, dir
		}
	}
	t.Skip("needs playwright-core in a folder that NODE_PATH names")
	return "", ""
}
