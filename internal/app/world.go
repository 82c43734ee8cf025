package app

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/internal/shell"
	"react-agent/kit/job"
	"react-agent/kit/memory"
	"react-agent/kit/peer"
	"react-agent/kit/pipeline"
	"react-agent/kit/policy"
	"react-agent/kit/rewind"
	"react-agent/kit/sandbox"
	"react-agent/kit/skill"
	"react-agent/kit/task"
	"react-agent/tool"
)

// world is a directory in which sessions work, and what watches over it.
type world struct {
	root   string
	tree   *sandbox.Worktree // nil: the plain folder
	box    *sandbox.Sandbox  // nil: nothing holds commands
	rewind *rewind.Rewind    // nil: nothing is kept
	policy *policy.Policy
	jobs   *job.Jobs
	lines  *pipeline.Pipelines // of these skills; nil: there are none; guarded by product.places
	skills *skill.Set          // as they were last read; nil before that; guarded by product.places
	lore   *lore               // of the session that was opened last; nil before that; guarded by product.places
	env    tool.Env
	tools  map[sight][]agent.Tool // guarded by product.places
	over   atomic.Bool            // it is closed
}

// world finds the world of a session. All sessions share the work directory's, unless each family has a worktree.
func (p *product) world(ctx context.Context, session string) (*world, error) {
	family, _, _ := strings.Cut(session, ".")
	if !p.held.Worktree {
		family = ""
	}
	p.places.Lock()
	defer p.places.Unlock()
	if w := p.worlds[family]; w != nil {
		return w, nil
	}
	if p.worlds == nil {
		return nil, engine.ErrClosed
	}
	root, tree := p.c.WorkDir, (*sandbox.Worktree)(nil)
	if family != "" {
		var warning string
		var err error
		tree, warning, err = sandbox.OpenWorktree(ctx, sandbox.WorktreeOptions{
			Root: root, Session: family, Vars: p.o.Env, Lang: string(p.c.Language),
		})
		if err != nil {
			return nil, err
		}
		p.warn(warning)
		if tree != nil {
			root = tree.Root()
		}
	}
	w, err := p.openWorld(root)
	if err != nil {
		return nil, err
	}
	w.tree = tree
	p.worlds[family] = w
	return w, nil
}

// sight is what of a file a model can take.
type sight struct{ vision, files bool }

// worldTools are the tools of package tool in an environment of this world. They hold nothing of a session, and looking for
// the shell and the like takes longer than all else in the making of an agent: so they are made once.
func (p *product) worldTools(w *world, env tool.Env) []agent.Tool {
	p.places.Lock()
	defer p.places.Unlock()
	can := sight{env.Vision, env.Files}
	if w.tools[can] == nil {
		if w.tools == nil {
			w.tools = map[sight][]agent.Tool{}
		}
		w.tools[can] = tool.All(env)
	}
	return w.tools[can]
}

// leaveWorktree makes a session work in the plain folder from its next run on.
func (p *product) leaveWorktree(ctx context.Context, session string) error {
	family, _, _ := strings.Cut(session, ".")
	w, err := p.openWorld(p.c.WorkDir)
	if err != nil {
		return err
	}
	p.places.Lock()
	old := p.worlds[family]
	if p.worlds == nil {
		old = w
	} else {
		p.worlds[family] = w
	}
	p.places.Unlock()
	p.engine.Refresh(session)
	return old.close(ctx)
}

// giveUp ends what was started in the world of a family that is gone, if it has one of its own.
func (p *product) giveUp(ctx context.Context, family string) error {
	p.places.Lock()
	w := p.worlds[family]
	delete(p.worlds, family)
	p.places.Unlock()
	return w.close(ctx)
}

// closeWorlds ends what was started in all of them. None is made afterwards.
func (p *product) closeWorlds(ctx context.Context) (err error) {
	p.places.Lock()
	all := p.worlds
	p.worlds = nil
	p.places.Unlock()
	for _, w := range all {
		err = errors.Join(err, w.close(ctx))
	}
	return err
}

func (p *product) worktree(ctx context.Context, session string) (*sandbox.Worktree, error) {
	w, err := p.world(ctx, session)
	if err != nil {
		return nil, err
	}
	return w.tree, nil
}

func (p *product) jobsOf(ctx context.Context, session string) (*job.Jobs, error) {
	w, err := p.world(ctx, session)
	if err != nil {
		return nil, err
	}
	return w.jobs, nil
}

func (p *product) rewinder(ctx context.Context, session string) (*command.Rewinder, error) {
	w, err := p.world(ctx, session)
	if err != nil || w.rewind == nil {
		return nil, err
	}
	return &command.Rewinder{Files: w.rewind, Do: p.engine.Do}, nil
}

func (p *product) openWorld(root string) (*world, error) {
	w := &world{root: root}
	var err error
	if w.box, err = sandbox.Open(p.boxOptions(root)); err != nil {
		return nil, configError{err}
	}
	p.warn(w.box.Warning())
	if p.held.Kind == sandbox.Auto && w.box.Kind() == sandbox.Off {
		w.box = nil
	}
	w.env = p.env(w)
	w.policy = policy.NewPolicy(p.permissions(w))
	w.env.Outside = w.policy.Outside
	if w.jobs, err = p.openJobs(w); err != nil {
		return nil, err
	}
	if e := p.c.Rewind.Enabled; e == nil || *e {
		w.rewind, err = rewind.New(rewind.Options{
			Root: root, Dir: filepath.Join(p.dir, "checkpoint"), Paths: w.changes, Background: w.jobs.Of, Parent: p.parentCall, MaxBytes: int64(p.c.Rewind.MaxMB) << 20,
			Skip:    slices.DeleteFunc([]string{p.dir, p.logPath(), p.taskDir(), p.teamDir()}, func(s string) bool { return s == "" }),
			Ignored: p.c.Rewind.Ignored != nil && *p.c.Rewind.Ignored, NoSync: p.noSync(), Notice: p.warn,
			Lang: string(p.c.Language),
		})
	}
	return w, err
}

func (p *product) openJobs(w *world) (*job.Jobs, error) {
	o := job.Options{
		Log: p.store, Dir: filepath.Join(p.dir, "jobs"), Root: w.root, Vars: p.o.Env, HideEnv: p.secretNames(),
		Mask: p.secrets.Mask, Texts: job.Named(p.face.Name), Notify: func(session string) { p.wake(w, session) }, Others: p.team,
		WaitAtEnd: p.face.WaitForJobs,
	}
	if w.box != nil {
		o.Prepare, o.Explain = w.box.Prepare, w.box.Explain
	}
	return job.New(o)
}

// wake tells an idle session what has ended in the background, and lets the model go on with it. What ends because its world
// does is no reason to go on, and its session may be gone.
func (p *product) wake(w *world, session string) {
	if !w.over.Load() {
		p.wakeWith(session, w.jobs.Pull)
	}
}

// wakeWith is wake for whoever can pull something into a session. A sub-agent that is idle has done its work: what ends
// after that is for /jobs.
func (p *product) wakeWith(session string, pull func(context.Context, *agent.Session) ([]*agent.Event, error)) {
	if strings.Contains(session, ".") {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.waking.Go(func() {
		told := false
		err := p.engine.Do(p.ctx, session, func(ctx context.Context, a *agent.Agent, s *agent.Session, _ func(agent.Event)) error {
			if s.Open { // it is told by itself when somebody goes on with it
				return nil
			}
			list, err := pull(ctx, s)
			for _, e := range list {
				if err == nil {
					told = true
					err = a.Append(ctx, s, e)
				}
			}
			return err
		})
		if err == nil && told {
			_, err = p.engine.Submit(p.ctx, session, engine.Input{Quiet: true})
		}
		if err != nil && !errors.Is(err, engine.ErrClosed) {
			p.warn(msg.For(p.c.Language).Err(err))
		}
	})
}

// close ends what the world has started; nil has started nothing.
func (w *world) close(ctx context.Context) error {
	if w == nil {
		return nil
	}
	w.over.Store(true)
	return errors.Join(w.jobs.Close(ctx), w.box.Close())
}

// boxOptions is what the setting sandbox says, with what the product knows: its own files are hidden, the project's
// settings cannot be changed.
func (p *product) boxOptions(root string) sandbox.Options {
	o := p.held
	home := config.Getenv(p.o.Env, "HOME")
	o.Root, o.Home, o.Lang = root, home, string(p.c.Language)
	o.Hide = append(o.Hide, p.dir)
	if dirs, err := config.FindDirs(p.o.Env); err == nil {
		o.Hide = append(o.Hide, dirs.State, dirs.Config)
		o.Show = append(o.Show, filepath.Join(dirs.Config, "skills")) // the person's own have scripts
	}
	o.Show = append(o.Show, p.outputs(), filepath.Join(p.dir, "jobs"), p.shippedBase())
	o.Protect = append(o.Protect, filepath.Join(root, "config.yaml"), filepath.Join(root, ".env"))
	o.Cache = filepath.Join(p.dir, "cache")
	o.Self, _ = os.Executable() // without it Landlock says what is missing
	return o
}

// outputs is the directory for what is too long for the model.
func (p *product) outputs() string { return filepath.Join(p.dir, "outputs") }

// env is the world of the tools.
func (p *product) env(w *world) tool.Env {
	texts, _ := tool.Named(p.face.Words)
	e := tool.Env{
		Root:    w.root,
		Logs:    p.outputs(),
		Vars:    p.o.Env,
		HideEnv: p.secretNames(),
		Texts:   texts,
		Timeout: or(p.c.Shell.Timeout, p.face.Tools["bash"].Timeout),
		Lang:    string(p.c.Language),
		Secrets: p.secrets,
		Confine: p.face.Confine, EditFirst: p.face.EditFirst,
	}
	if w.box != nil {
		e.Sandbox = w.box
	}
	if p.usual() == policy.Yolo {
		e.Private = func(string, netip.Addr) bool { return true }
	}
	return e
}

// paths tells the policy which files a call touches.
func (w *world) paths(t agent.Tool, c agent.Call) ([]policy.Path, bool) {
	list, ok := w.toolPaths(t, c)
	out := make([]policy.Path, 0, len(list))
	for _, p := range list {
		out = append(out, policy.Path(p))
	}
	return out, ok
}

// changes tells what a call may change, for the checkpoint before it.
func (w *world) changes(t agent.Tool, c agent.Call) (files []string, ok bool) {
	switch t.Name {
	case "http_request", "web_fetch", "memory_save", "memory_delete", task.ToolCreate, task.ToolUpdate, task.ToolClaim, peer.ToolName:
		return nil, true // elsewhere, if anything
	case "run_script":
		return nil, false
	}
	list, ok := w.toolPaths(t, c)
	for _, p := range list {
		if p.Writes {
			files = append(files, p.Real)
		}
	}
	return files, ok
}

// permissions say what may run unasked.
func (p *product) permissions(w *world) policy.Options {
	sh, _ := shell.Find(w.env.Shell) // without one no command runs
	o := policy.Options{
		Mode: p.mode(), Rules: p.rules, Always: p.always, Root: w.root, Home: config.Getenv(p.o.Env, "HOME"),
		Shell: sh, Paths: w.paths, Lang: string(p.c.Language),
		Sandboxed: w.box != nil, SkillName: skillName, Whole: append(append(memory.Writers(), task.Writers()...), peer.ToolName),
		Warn: func(err error) { p.warn(msg.For(p.c.Language).Err(err)) },
	}
	if p.face.Blocklist {
		o.Blocklist = policy.SourceBlocklist()
	}
	return o
}

// mode is the mode of sessions that have none of their own.
func (p *product) mode() policy.Mode {
	if p.c.Plan {
		return policy.Plan
	}
	if p.o.Demo && !p.c.IsSet("mode") {
		return policy.Yolo // the table runs nothing but its own commands
	}
	return policy.Mode(p.c.ModeFor(p.face.Mode))
}

// usual is the same, and behind plan mode what follows it.
func (p *product) usual() policy.Mode {
	if p.o.Demo && !p.c.IsSet("mode") {
		return policy.Yolo
	}
	return policy.Mode(p.c.ModeAfterPlan(p.face.Mode))
}

// warn tells the person a line; "" is nothing.
func (p *product) warn(line string) {
	if line != "" && p.o.Warn != nil {
		p.o.Warn(line)
	}
}
