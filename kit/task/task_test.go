package task

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"react-agent/agent"
	"react-agent/agent/agenttest"
	"react-agent/internal/msg"
	"react-agent/store"
	"react-agent/store/disk"
	"react-agent/store/mem"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("TASK_TEST_DIR"); dir != "" {
		os.Exit(worker(dir))
	}
	goleak.VerifyTestMain(m)
}

// onDisk is a board in the files of a directory, as the product has it.
func onDisk(t testing.TB, dir string) *Board {
	t.Helper()
	return New(openDisk(t, dir))
}

func openDisk(t testing.TB, dir string) *disk.Store {
	t.Helper()
	s, err := disk.Open(filepath.Join(dir, "state"), disk.Options{
		Durability: disk.Process, Docs: []disk.Place{{Kind: Kind, Dir: filepath.Join(dir, ".tasks"), Before: "task_", Within: dir}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// call runs a tool as the model does, through the kernel with its checks.
func call(t *testing.T, b *Board, owner, name, args string) string {
	t.Helper()
	a := &agent.Agent{
		Model: agenttest.NewModel(agenttest.CallTool(name, args), agenttest.Say("end")),
		Tools: b.Tools(func() string { return owner }), Hooks: []agent.Hook{Hook()},
	}
	events, err := agenttest.Collect(a.Run(t.Context(), agent.NewSession("s"), agent.Say("go")))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Message != nil && e.Message.Role == agent.ToolRole {
			r := e.Message.Result()
			if strings.HasPrefix(r.Text(), "Error: ") != r.Error {
				t.Errorf("%s %s: %q, error %v", name, args, r.Text(), r.Error)
			}
			return r.Text()
		}
	}
	t.Fatal("no result")
	return ""
}

// The words and the files are the source system's.
func TestToolsToTheLetter(t *testing.T) {
	dir := t.TempDir()
	b := onDisk(t, dir)
	steps := []struct{ tool, args, want string }{
		{"task_list", `{}`, "No tasks."},
		{"task_get", `{"task_id":1}`, "Error: Task 1 not found"},
		{"task_update", `{"task_id":1,"status":"completed"}`, "Error: Task 1 not found"},
		{"claim_task", `{"task_id":1}`, "Error: Task 1 not found"},
		{"task_create", `{"subject":"Write <tests> & docs","description":"a\nb"}`, "{\n  \"id\": 1,\n  \"subject\": \"Write <tests> & docs\",\n  \"description\": \"a\\nb\",\n  \"status\": \"pending\",\n  \"owner\": null,\n  \"blockedBy\": [],\n  \"blocks\": []\n}"},
		{"task_create", `{"subject":"Build"}`, "{\n  \"id\": 2,\n  \"subject\": \"Build\",\n  \"description\": \"\",\n  \"status\": \"pending\",\n  \"owner\": null,\n  \"blockedBy\": [],\n  \"blocks\": []\n}"},
		{"task_create", `{"subject":" "}`, "Error: A task needs a subject"},
		{"task_update", `{"task_id":2,"add_blocked_by":[1,1]}`, "{\n  \"id\": 2,\n  \"subject\": \"Build\",\n  \"description\": \"\",\n  \"status\": \"pending\",\n  \"owner\": null,\n  \"blockedBy\": [\n    1\n  ],\n  \"blocks\": []\n}"},
		{"task_list", `{}`, "[ ] #1: Write <tests> & docs\n[ ] #2: Build (blocked by: [1])"},
		{"claim_task", `{"task_id":2}`, "Error: Task 2 is blocked by [1]: complete that first"},
		{"claim_task", `{"task_id":1}`, "Claimed task #1 for lead"},
		{"claim_task", `{"task_id":1}`, "Claimed task #1 for lead"},
		{"task_list", `{}`, "[>] #1: Write <tests> & docs @lead\n[ ] #2: Build (blocked by: [1])"},
		{"task_update", `{"task_id":1,"add_blocked_by":[2]}`, "Error: Task 1 cannot wait for task 2: that would be a circle, 1 -> 2 -> 1"},
		{"task_update", `{"task_id":2,"add_blocks":[1]}`, "Error: Task 1 cannot wait for task 2: that would be a circle, 1 -> 2 -> 1"},
		{"task_update", `{"task_id":1,"add_blocks":[1]}`, "Error: Task 1 cannot wait for task 1: that would be a circle, 1 -> 1"},
		{"task_update", `{"task_id":1,"add_blocks":[7]}`, "Error: Task 7 not found"},
		{"task_update", `{"task_id":1,"status":"done"}`, "Error: Invalid status 'done'"},
		{"task_update", `{"task_id":1,"status":""}`, "Error: Invalid status ''"},
		{"task_update", `{"task_id":1,"status":"completed"}`, "{\n  \"id\": 1,\n  \"subject\": \"Write <tests> & docs\",\n  \"description\": \"a\\nb\",\n  \"status\": \"completed\",\n  \"owner\": \"lead\",\n  \"blockedBy\": [],\n  \"blocks\": []\n}"},
		{"task_list", `{}`, "[x] #1: Write <tests> & docs @lead\n[ ] #2: Build"},
		{"claim_task", `{"task_id":1}`, "Error: Task 1 is completed already"},
		{"task_update", `{"task_id":1,"status":"deleted"}`, "Task 1 deleted"},
		{"task_update", `{"task_id":1,"status":"deleted"}`, "Error: Task 1 not found"},
		{"task_list", `{}`, "[ ] #2: Build"},
	}
	for _, s := range steps {
		if got := call(t, b, Lead, s.tool, s.args); got != s.want {
			t.Errorf("%s %s:\n%s\nwant\n%s", s.tool, s.args, got, s.want)
		}
		if s.tool == "task_create" && strings.HasPrefix(s.want, "{") {
			id, _, _ := strings.Cut(s.want[len("{\n  \"id\": "):], ",")
			if raw, err := os.ReadFile(filepath.Join(dir, ".tasks", "task_"+id+".json")); err != nil || string(raw) != s.want {
				t.Errorf("the file is %q, %v", raw, err)
			}
		}
	}
	if got := call(t, b, "alice", "claim_task", `{"task_id":2}`); got != "Claimed task #2 for alice" {
		t.Error(got)
	}
	if got := call(t, b, "bob", "claim_task", `{"task_id":2}`); got != "Error: Task 2 is owned by alice" {
		t.Error(got)
	}
	if got := call(t, b, "bob", "task_update", `{"task_id":2,"status":"pending"}`); !strings.Contains(got, `"owner": null`) {
		t.Error(got)
	}
}

// The schemas are the source system's: names, what is required, the values of status.
func TestSchemas(t *testing.T) {
	var got []string
	for _, x := range New(mem.New()).Tools(func() string { return Lead }) {
		got = append(got, x.Name+" "+string(x.Schema))
	}
	for i, want := range []string{
		`task_create {"type":"object","properties":{"subject":{"type":"string","description":"what is to be done, in a few words"},"description":{"type":"string","description":"all that whoever does it has to know"}},"required":["subject"]}`,
		`task_get {"type":"object","properties":{"task_id":{"type":"integer"}},"required":["task_id"]}`,
		`task_update {"type":"object","properties":{"task_id":{"type":"integer"},"status":{"type":"string","enum":["pending","in_progress","completed","deleted"]},"add_blocked_by":{"type":"array","description":"ids of tasks that must be completed before this one","items":{"type":"integer"}},"add_blocks":{"type":"array","description":"ids of tasks that wait for this one","items":{"type":"integer"}}},"required":["task_id"]}`,
		`task_list {"type":"object","properties":{},"required":[]}`,
		`claim_task {"type":"object","properties":{"task_id":{"type":"integer"}},"required":["task_id"]}`,
	} {
		if got[i] != want {
			t.Errorf("%s\nwant %s", got[i], want)
		}
	}
}

func create(t testing.TB, b *Board, subjects ...string) {
	t.Helper()
	for _, s := range subjects {
		if _, err := b.Create(context.Background(), s, ""); err != nil {
			t.Fatal(err)
		}
	}
}

func update(t testing.TB, b *Board, id int, c Change) Task {
	t.Helper()
	x, err := b.Update(context.Background(), id, c)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func rendered(t testing.TB, b *Board) string {
	t.Helper()
	s, err := b.Render(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Ten comes behind nine; what blocks is put into the other task; a file of another program keeps what it has.
func TestOrderAndLinks(t *testing.T) {
	dir := t.TempDir()
	b := onDisk(t, dir)
	create(t, b, "1", "2", "3", "4", "5", "6", "7", "8", "9", "10\n[x] #11: forged", "11")
	if x := update(t, b, 10, Change{AddBlocks: []int{2, 11}, AddBlockedBy: []int{9}}); !slices.Equal(x.Blocks, []int{2, 11}) || !slices.Equal(x.BlockedBy, []int{9}) {
		t.Errorf("%s", x)
	}
	if x, _ := b.Get(t.Context(), 9); len(x.Blocks) != 0 {
		t.Errorf("blockedBy is put nowhere else: %s", x)
	}
	want := "[ ] #1: 1\n[ ] #2: 2 (blocked by: [10])\n[ ] #3: 3\n[ ] #4: 4\n[ ] #5: 5\n[ ] #6: 6\n[ ] #7: 7\n[ ] #8: 8\n[ ] #9: 9\n[ ] #10: 10 [x] #11: forged (blocked by: [9])\n[ ] #11: 11 (blocked by: [10])"
	if got := rendered(t, b); got != want {
		t.Errorf("%s", got)
	}
	update(t, b, 2, Change{AddBlockedBy: []int{1, 3}})
	update(t, b, 10, Change{Status: Deleted})
	for _, id := range []int{2, 9, 11} {
		if x, err := b.Get(t.Context(), id); err != nil || slices.Contains(append(x.BlockedBy, x.Blocks...), 10) {
			t.Errorf("%s %v", x, err)
		}
	}
	if x, err := b.Create(t.Context(), "next", ""); err != nil || x.ID != 12 {
		t.Errorf("%d %v", x.ID, err)
	}
	update(t, b, 12, Change{Status: Deleted})
	if x, err := b.Create(t.Context(), "after", ""); err != nil || x.ID != 13 {
		t.Errorf("an id is given twice: %d %v", x.ID, err)
	}
	update(t, b, 13, Change{Status: Completed})
	if x := update(t, b, 1, Change{AddBlockedBy: []int{13}}); len(x.BlockedBy) != 0 {
		t.Errorf("what is completed blocks nothing: %s", x)
	}
	if x := update(t, b, 13, Change{AddBlocks: []int{4}}); !slices.Equal(x.Blocks, []int{4}) {
		t.Errorf("%s", x)
	}
	if x, _ := b.Get(t.Context(), 4); len(x.BlockedBy) != 0 {
		t.Errorf("what is completed blocks nothing: %s", x)
	}
}

// Files that are no tasks are named, and nothing else suffers; fields of others stay; an unknown status is shown as such.
func TestFilesOfOthers(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"task_1.json":   `{"id":1,"subject":"ours","status":"pending","owner":null,"blockedBy":[7],"blocks":[],"priority":1.50,"tags":["<a>"]}`,
		"task_2.json":   `{"id":2,"subject":"tor`,
		"task_3.json":   `{"id":4,"subject":"liar"}`,
		"task_5.json":   `[]`,
		"task_6.json":   `{"id":6,"subject":7}`,
		"task_7.json":   `{"id":7,"subject":"odd","status":"paused","ID":9}`,
		"task_8.json":   `{"id":8,"blockedBy":["1"]}`,
		"task_9.json":   `{"id":9} {"id":9}`,
		"task_10.json":  strings.Repeat(" ", maxFile+1),
		"task_011.json": `{"id":11}`, "task_x.json": `{}`, "notes.txt": `x`, "task_12.json.tmp": `{`, "task_-3.json": `{}`,
		"task_13.json": "null",
	} {
		if err := os.MkdirAll(filepath.Join(dir, ".tasks", "task_99.json"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".tasks", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := onDisk(t, dir)
	want := []string{
		"[ ] #1: ours (blocked by: [7])", "[?] #7: odd",
		"(.tasks/task_011.json cannot be used: its name must be task_N.json with a number from 1 on)",
		"(.tasks/task_10.json cannot be used: it is longer than 256 KiB)",
		"(.tasks/task_13.json cannot be used: it is not one JSON object: something else is there)",
		"(.tasks/task_2.json cannot be used: it is not one JSON object: unexpected EOF)",
		"(.tasks/task_3.json cannot be used: its id is 4, which is not the one in its name)",
		"(.tasks/task_5.json cannot be used: it is not one JSON object: json: cannot unmarshal array into Go value of type map[string]json.RawMessage)",
		"(.tasks/task_6.json cannot be used: its field subject must be a text)",
		"(.tasks/task_8.json cannot be used: its field blockedBy must be a list of numbers)",
		"(.tasks/task_9.json cannot be used: it is not one JSON object: something else is there)",
		"(.tasks/task_99.json cannot be used: it is no regular file, and neither read nor written; move it away, or put a file of its own in its place)",
		"(.tasks/task_x.json cannot be used: its name must be task_N.json with a number from 1 on)",
	}
	if got := rendered(t, b); got != strings.Join(want, "\n") {
		t.Errorf("%s", got)
	}
	if got := call(t, b, Lead, "task_get", `{"task_id":2}`); got != "Error: The file of task 2 cannot be used (it is not one JSON object: unexpected EOF): mend or remove .tasks/task_2.json" {
		t.Error(got)
	}
	update(t, b, 7, Change{Status: Completed})
	raw, err := os.ReadFile(filepath.Join(dir, ".tasks", "task_1.json"))
	if want := "{\n  \"id\": 1,\n  \"subject\": \"ours\",\n  \"description\": \"\",\n  \"status\": \"pending\",\n  \"owner\": null,\n  \"blockedBy\": [],\n  \"blocks\": [],\n  \"priority\": 1.50,\n  \"tags\": [\n    \"<a>\"\n  ]\n}"; err != nil || string(raw) != want {
		t.Errorf("%s %v", raw, err)
	}
	if x, err := b.Create(t.Context(), "new", ""); err != nil || x.ID != 100 {
		t.Errorf("%d %v", x.ID, err)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, ".tasks", "task_2.json")); err != nil || string(raw) != `{"id":2,"subject":"tor` {
		t.Errorf("a broken file was touched: %q %v", raw, err)
	}
}

// What cannot be read may not be done: whoever waits for it waits. Only a file that is gone frees.
func TestWhatIsBrokenBlocks(t *testing.T) {
	dir := t.TempDir()
	b := onDisk(t, dir)
	create(t, b, "first", "second")
	update(t, b, 2, Change{AddBlockedBy: []int{1}})
	file := filepath.Join(dir, ".tasks", "task_1.json")
	if err := os.WriteFile(file, []byte("<<<<<<< HEAD"), 0o600); err != nil {
		t.Fatal(err)
	}
	if x, ok, err := b.Ready(t.Context(), nil); ok || err != nil {
		t.Errorf("%s is ready: %v", x, err)
	}
	if x, ok, err := b.Next(t.Context(), "bob", nil); ok || err != nil {
		t.Errorf("%s was claimed: %v", x, err)
	}
	if got := call(t, b, "bob", "claim_task", `{"task_id":2}`); got != "Error: Task 2 is blocked by [1]: complete that first" {
		t.Error(got)
	}
	if got := rendered(t, b); !strings.HasPrefix(got, "[ ] #2: second (blocked by: [1])\n(.tasks/task_1.json cannot be used") {
		t.Error(got)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := b.Next(t.Context(), "bob", nil); !ok || err != nil {
		t.Errorf("it waits for what is gone: %v", err)
	}
}

// A slip in a file does not decide which numbers come, and where none is left that is said.
func TestNumbersOfOthers(t *testing.T) {
	dir := t.TempDir()
	b := onDisk(t, dir)
	create(t, b, "first")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, ".tasks", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("task_2.json", `{"id":2,"subject":"x","status":"pending","blockedBy":[9223372036854775807,7],"blocks":[10000000000,-4]}`)
	if x, err := b.Create(t.Context(), "new", ""); err != nil || x.ID != 8 {
		t.Errorf("%d %v", x.ID, err)
	}
	write("task_9223372036854775807.json", `{"id":9223372036854775807,"subject":"the last","status":"pending"}`)
	if x, err := b.Create(t.Context(), "new", ""); !IsMistake(err) {
		t.Errorf("%d %v", x.ID, err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".tasks", "task_-9223372036854775808.json")); err == nil {
		t.Error("a number below zero was given")
	}
	if got := rendered(t, b); strings.Contains(got, "cannot be used") {
		t.Error(got)
	}
}

// Looking at what is not there makes nothing.
func TestNothingIsMadeBeforeItIsNeeded(t *testing.T) {
	dir := t.TempDir()
	b := onDisk(t, dir)
	ctx := t.Context()
	_, _, _ = b.List(ctx)
	_, _ = b.Claim(ctx, 1, "a")
	_, _ = b.Update(ctx, 1, Change{Status: Deleted})
	_, _ = b.Free(ctx, "a")
	_, _, _ = b.Next(ctx, "a", nil)
	_, _ = b.Create(ctx, "", "")
	if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
}

// Next takes the first that is ready, Free gives back all that one has.
func TestNextAndFree(t *testing.T) {
	b, ctx := New(mem.New()), t.Context()
	create(t, b, "a", "b", "c", "d")
	update(t, b, 1, Change{AddBlockedBy: []int{2}})
	for _, want := range []int{2, 3} {
		if x, ok, err := b.Ready(ctx, nil); err != nil || !ok || x.ID != want {
			t.Errorf("ready: %d %v %v", x.ID, ok, err)
		}
		if x, ok, err := b.Next(ctx, "alice", nil); err != nil || !ok || x.ID != want || x.Owner != "alice" || x.Status != InProgress {
			t.Errorf("%s %v %v", x, ok, err)
		}
	}
	update(t, b, 3, Change{Status: Completed})
	if x, ok, err := b.Next(ctx, "bob", nil); err != nil || !ok || x.ID != 4 {
		t.Errorf("%s %v %v", x, ok, err)
	}
	if _, ok, err := b.Next(ctx, "bob", nil); ok || err != nil {
		t.Errorf("there was none: %v %v", ok, err)
	}
	freed, err := b.Free(ctx, "alice")
	if err != nil || len(freed) != 1 || freed[0].ID != 2 || freed[0].Owner != "" || freed[0].Status != Pending {
		t.Errorf("%v %v", freed, err)
	}
	if got := rendered(t, b); got != "[ ] #1: a (blocked by: [2])\n[ ] #2: b\n[x] #3: c @alice\n[>] #4: d @bob" {
		t.Error(got)
	}
	for _, fn := range []func() error{
		func() error { _, err := b.Claim(ctx, 1, ""); return err },
		func() error { _, _, err := b.Next(ctx, "", nil); return err },
		func() error { s := " "; _, err := b.Update(ctx, 1, Change{Subject: &s}); return err },
		func() error { _, err := b.Create(ctx, "x", strings.Repeat("y", maxFile)); return err },
	} {
		if err := fn(); err == nil || !IsMistake(err) || msg.For(msg.Zh).Err(err) == err.Error() {
			t.Errorf("%v", err)
		}
	}
	if freed, err := b.Free(ctx, ""); err != nil || freed != nil {
		t.Errorf("%v %v", freed, err)
	}
	subject, about := "A", "about"
	if x := update(t, b, 1, Change{Subject: &subject, Description: &about}); x.Subject != "A" || x.Description != "about" {
		t.Errorf("%s", x)
	}
}

// A change with anything wrong in it changes nothing.
func TestAllOrNothing(t *testing.T) {
	b, ctx := New(mem.New()), t.Context()
	create(t, b, "a", "b", "c")
	was := rendered(t, b)
	for _, c := range []Change{
		{Status: Completed, AddBlocks: []int{2, 9}},
		{Status: InProgress, AddBlockedBy: []int{2}, AddBlocks: []int{3, 2}},
		{AddBlocks: []int{2}, AddBlockedBy: []int{2}},
		{Status: "x", AddBlocks: []int{2}},
	} {
		if _, err := b.Update(ctx, 1, c); !IsMistake(err) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if got := rendered(t, b); got != was {
		t.Error(got)
	}
}

// sick is a store that fails after some puts.
type sick struct {
	*mem.Store
	left int
}

type sickKV struct {
	store.KV
	s *sick
}

var errSick = errors.New("sick")

func (s *sick) Lock(ctx context.Context, prefix string, fn func(store.KV) error) error {
	return s.Store.Lock(ctx, prefix, func(kv store.KV) error { return fn(sickKV{kv, s}) })
}

func (k sickKV) Put(ctx context.Context, d store.Doc) (int64, error) {
	if k.s.left--; k.s.left < 0 {
		return 0, errSick
	}
	return k.KV.Put(ctx, d)
}

// Whatever of a change was stored when the process died, what may begin is as it was, or as it should be; and the change
// can be made again.
func TestDyingInTheMiddle(t *testing.T) {
	build := func(s *sick) *Board {
		b := New(s)
		s.left = 100
		create(t, b, "a", "b", "c", "d")
		update(t, b, 2, Change{AddBlockedBy: []int{1}})
		update(t, b, 3, Change{AddBlockedBy: []int{1, 2}})
		return b
	}
	blocked := func(b *Board) string {
		list, faults, err := b.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, x := range list {
			out = append(out, ids(Blockers(x, list, faults)))
		}
		return strings.Join(out, " ")
	}
	for name, c := range map[string]struct {
		id     int
		change Change
		steps  []string // what blocks after so many puts
	}{
		"completed": {1, Change{Status: Completed}, []string{"[] [1] [1, 2] []", "[] [] [2] []", "[] [] [2] []", "[] [] [2] []"}},
		"deleted":   {1, Change{Status: Deleted}, []string{"[] [1] [1, 2] []", "[] [] [1, 2] []", "[] [] [2] []", "[] [2] []"}},
		"linked":    {4, Change{AddBlocks: []int{1, 2}}, []string{"[] [1] [1, 2] []", "[4] [1] [1, 2] []", "[4] [1, 4] [1, 2] []", "[4] [1, 4] [1, 2] []"}},
	} {
		for puts, want := range c.steps {
			s := &sick{Store: mem.New()}
			b := build(s)
			s.left = puts
			_, err := b.Update(t.Context(), c.id, c.change)
			if (err != nil) != (puts < len(c.steps)-1) || err != nil && !errors.Is(err, errSick) {
				t.Fatalf("%s after %d: %v", name, puts, err)
			}
			if got := blocked(b); got != want {
				t.Errorf("%s after %d: %s, want %s", name, puts, got, want)
			}
			if err == nil {
				continue
			}
			s.left = 100
			if _, err := New(s).Update(t.Context(), c.id, c.change); err != nil || blocked(b) != c.steps[len(c.steps)-1] {
				t.Errorf("%s after %d, again: %v %s", name, puts, err, blocked(b))
			}
		}
	}
}

// No file makes the reader stumble, and what it takes it gives back.
func FuzzFile(f *testing.F) {
	f.Add([]byte(`{"id":1,"subject":"a","description":"","status":"pending","owner":null,"blockedBy":[2],"blocks":[]}`))
	f.Add([]byte(`{"id":1,"owner":"x","more":{"a":[1,2.50]},"blocks":null}`))
	f.Add([]byte(`{"id":1`))
	f.Add([]byte("\xef\xbb\xbf{\"id\":1,\"subject\":\"\xff\\u0000\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := parse(1, data)
		if err != nil {
			if !IsMistake(err) {
				t.Fatal(err)
			}
			return
		}
		again, err := parse(1, []byte(x.String()))
		if err != nil || again.String() != x.String() {
			t.Fatalf("%s\n%v %s", x, err, again)
		}
		if strings.ContainsAny(Line(x, []Task{x}, nil), "\n\r") {
			t.Fatalf("%q", Line(x, nil, nil))
		}
	})
}
