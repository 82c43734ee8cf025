package app

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/command"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/kit/answer"
	"react-agent/kit/compact"
	"react-agent/kit/cost"
	"react-agent/kit/guard"
	"react-agent/kit/memory"
	"react-agent/kit/peer"
	"react-agent/kit/policy"
	"react-agent/kit/profile"
	"react-agent/kit/sandbox"
	"react-agent/kit/secret"
	"react-agent/kit/shellhook"
	"react-agent/kit/task"
	"react-agent/kit/team"
	"react-agent/kit/team/mates"
	"react-agent/kit/todo"
	"react-agent/store/disk"
	"react-agent/tool"
)

// product is what was opened.
type product struct {
	ctx    context.Context //nolint:containedctx // of what happens by itself: a job that has ended
	o      command.Options
	c      *config.Config
	face   profile.Profile
	dir    string // state
	store  *disk.Store
	engine *engine.Local
	team   *team.Team
	tasks  *task.Board
	peers  *peer.Peers
	mates  *mates.Mates
	meter  *cost.Meter
	memory *memory.Store  // nil: switched off
	embeds *vectors       // the embeddings model of the settings; nil: none
	routes routes         // to skills, by vectors
	schema *answer.Schema // of --schema
	host   *command.Host
	log    *logFile

	rules   policy.Rules
	always  *policy.Always
	secrets *secret.Keeper
	exposed error // why keys can still be seen in this process's environment
	hooks   shellhook.Config
	held    sandbox.Options // what the setting says
	content *content        // what the project brings along, and whether it may be used

	hidden func() []string // namesToHide, which never change

	waking sync.WaitGroup    // none is added once it is closed
	places sync.Mutex        // held while a world is made
	worlds map[string]*world // by session, "" is the work directory's

	toldAgents, toldSkills, toldPipelines bool // guarded by places

	shipped string // where the shipped skills are; "-": nowhere; guarded by places

	mu      sync.Mutex
	closed  bool
	http    *http.Client      // of model calls; nil until the first
	models  map[choice]opened // made at the first use
	choices map[string]choice // by session, of those that were open
	turning map[string]choice // by session, of those that take another model right now
	applied map[string]bool   // sessions that have taken over what flags chose
	offline agent.Model       // with the rules of skills; nil until they are read

	record *os.File // of --record
}

func open(ctx context.Context, o command.Options, parts Parts) (*command.Host, error) {
	p := &product{ctx: context.WithoutCancel(ctx), o: o, worlds: map[string]*world{}, models: map[choice]opened{}, choices: map[string]choice{}, turning: map[string]choice{}, applied: map[string]bool{}}
	p.hidden = sync.OnceValue(p.namesToHide)
	problems, err := p.configure()
	if err != nil {
		return nil, err
	}
	if err := p.openSchema(); err != nil {
		return nil, err
	}
	more, err := p.guardians()
	if err != nil {
		return nil, err
	}
	problems = append(problems, more...)
	if p.store, err = disk.Open(p.dir, disk.Options{Durability: disk.Durability(p.c.Durability), Docs: p.docPlaces(), Logs: p.logPlaces()}); err != nil {
		return nil, configError{err}
	}
	p.tasks = task.New(p.store)
	p.log = openLog(o, p.c, p.logPath())
	p.openCost()
	if err := p.openPeers(); err != nil {
		if !o.Lenient {
			return nil, err
		}
		problems = append(problems, err)
	}
	p.embeds = p.openVectors()
	p.memory = p.openMemory()
	p.engine, err = engine.New(engine.Config{
		Log: parts.log(p.store), KV: p.store, Blobs: p.store,
		Beat: parts.Beat, Dead: parts.Dead,
		Factory:  p.agent,
		Commands: command.Commands(func() *command.Host { return p.host }),
		Logger:   p.log.logger,
		Receive:  p.receive,
		Timeout:  p.c.Timeout,
		NoSync:   p.noSync(),
		Texts:    engineTexts(msg.For(p.c.Language)),
	})
	if err != nil {
		return nil, err
	}
	p.openTeam()
	p.openMates(ctx)
	p.host = &command.Host{
		Engine: p.engine, Store: p.store, Config: p.c, Msg: msg.For(p.c.Language), Options: o, Problems: problems,
		Agent: p.forSession, Request: p.request, Fill: p.fill, Desk: p.desk, UseModel: p.useModel, Forget: p.forget, ModelOf: p.modelOf, Absent: p.absent, Models: p.modelList, Facts: p.facts, Close: p.close,
		Mode: p.sessionMode, Planner: p.planner(nil), Session: p.fold, Change: p.change, Jobs: p.jobsOf, Rewind: p.rewinder, Skills: p.skillsOf, KnownSkills: p.knownSkills, ShippedUsers: p.shippedUsers, TrustSkill: p.trustSkill, Untrusted: p.untrustedHere, LintSkills: p.lintSkills, Team: p.team, Tasks: p.tasks, Mates: p.mates, Meter: p.meter, Attach: p.attach, Data: p.data, Btw: p.btw, Sendable: p.sendable, Rules: p.rules, Always: p.always, Worktree: p.worktree, LeaveWorktree: p.leaveWorktree,
		Do: p.engine.Do, Compact: p.compactOf, Serve: p.serve,
		Memory:   p.memory,
		BlobFile: p.store.BlobFile, StateDir: p.dir, WorkDir: p.c.WorkDir, Profile: p.face.Name, Look: p.look(),
	}
	if err := p.canRun(ctx); err != nil {
		if other := p.close(ctx); other != nil {
			err = errors.Join(err, other)
		}
		return nil, err
	}
	return p.host, nil
}

// agent makes the agent of a session: this is what the product consists of.
func (p *product) agent(ctx context.Context, s engine.Spec) (*agent.Agent, error) {
	model, err := p.modelFor(ctx, s)
	if err != nil {
		return nil, inWords(msg.For(p.c.Language), err)
	}
	if s.Ask != nil { // the engine asks for it, for a run
		prepare(ctx, model.current().first)
	}
	return p.with(ctx, model, s)
}

// cast is what the agent of a session is put together from.
type cast struct {
	engine.Spec
	*lore
	w     *world
	model agent.Model // the session's own
	asked agent.Model // the same, as everybody calls it: it counts what that costs, and no secret goes out
	child *team.Spec  // nil: it is nobody's sub-agent
	seat  *team.Seat
	mates *mates.Seat
	env   tool.Env
	// learnt is the section of the system prompt that the person has approved.
	learnt string
}

func (p *product) cast(ctx context.Context, model agent.Model, s engine.Spec) (k *cast, err error) {
	k = &cast{Spec: s, model: model, asked: p.secrets.Model(p.worded(p.meter.In(s.Session, model)))}
	if k.w, err = p.world(ctx, s.Session); err != nil {
		return nil, err
	}
	if k.lore, err = p.loreOf(ctx, k.w, s.Session); err != nil {
		return nil, err
	}
	if k.child, err = p.team.Spec(ctx, s.Session); err != nil {
		return nil, err
	}
	k.env = k.w.env
	k.env.Vision, k.env.Files = model.Info().Vision, model.Info().Files
	k.seat = p.seat(s, k.child, k.env, k.types)
	k.mates = p.mateSeat(s, k.child)
	k.learnt = p.learnt(ctx, k)
	return k, nil
}

func (p *product) with(ctx context.Context, model agent.Model, s engine.Spec) (*agent.Agent, error) {
	k, err := p.cast(ctx, model, s)
	if err != nil {
		return nil, err
	}
	return p.assemble(k)
}

func (p *product) assemble(k *cast) (*agent.Agent, error) {
	lines, pipelines := p.pipelineParts(k.w)
	tools, err := p.tools(k, lines)
	if err != nil {
		return nil, err
	}
	shell := p.shellHooks(k.w)
	settings := p.said(k.model.Info())
	a := &agent.Agent{
		System:   joined(p.prompt(k)),
		Model:    k.asked,
		Tools:    tools,
		Hooks:    p.hookList(k, shell, pipelines),
		MaxSteps: p.maxSteps(),

		UnknownTool: p.face.Texts["unknown_tool"], InvalidArgs: p.face.Texts["invalid_args"],
		Parallel: or(p.c.Parallel, p.face.Limits.Parallel),
		Effort:   settings.Effort,
		MaxOut:   or(settings.MaxOutput, p.face.Limits.Output),
	}
	a.Ask = unattended(k.Answered)
	if p.o.Attended {
		a.Ask = shell.Asker(k.Ask)
	}
	if err := p.asChild(a, k.child, k.Spec, k.orders.System()); err != nil {
		return nil, err
	}
	p.compacting(a, k, shell)
	p.asMate(a, k)
	return a, nil
}

// tools are all there are, as the face shows them and as far as a sub-agent may have them.
func (p *product) tools(k *cast, pipelines []agent.Tool) ([]agent.Tool, error) {
	tools, err := p.face.Apply(slices.Concat(
		p.worldTools(k.w, k.env),
		[]agent.Tool{compact.Tool()},
		k.w.jobs.Tools(k.Waiting),
		k.skills.Tools(),
		k.seat.SpawnTools(),
		[]agent.Tool{todo.Tool()},
		p.callTools(k),
		p.tasks.Tools(claimant(k)),
		k.mates.Tools(),
		pipelines,
	))
	if err != nil {
		return nil, err
	}
	tools = k.seat.Take(k.child, p.remembering(p.asking(k, tools)))
	k.mates.Take(tools)
	if k.w.rewind != nil {
		tools = k.w.rewind.Wrap(tools)
	}
	return tools, nil
}

// hookList has every feature that takes part in a run, in the order in which they are asked.
func (p *product) hookList(k *cast, shell *shellhook.Hooks, pipelines agent.Hook) []agent.Hook {
	return []agent.Hook{
		p.choosing(k.model, k.Session),
		p.meter.Hook(), // first, so that no other spends what is not there
		shell.Hook(),
		p.mentions(k.w, k.env, k.Session),
		k.w.policy.Hook(),
		todo.Hook(), // in the order of the source system: what concerns the round that has ended, then what comes from outside
		k.w.jobs.Hook(k.Waiting),
		k.mates.Hook(),
		k.skills.Hook(),
		onBehalfOf(k.Session, p.router(k.w, k.skills, k.asked, k.child)),
		p.recalling(k),
		k.orders.Hook(),
		k.seat.Hook(),
		p.peerHook(),
		pipelines,
		task.Hook(),
		p.planner(k).Hook(),
		p.until(k.w, k.child),
		p.unplanned(p.answers(k.child)), // behind those that let a run go on
		p.guard(),
		p.log.hook(),
		p.secrets.Hook(), // last, so that it sees what the others have added
	}
}

// system joins the parts of the system prompt that are not empty.
func system(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" }), "\n\n")
}

// guard stops an agent that goes round in circles, in the face's own way.
func (p *product) guard() agent.Hook {
	if p.face.Limits.Unguarded {
		return agent.Hook{}
	}
	if n := p.face.Limits.Repeat; n > 0 {
		return guard.Classic(n, p.face.Texts["loop"])
	}
	return guard.New(guard.Options{Lang: string(p.c.Language)})
}

// secretNames are the variables that no child may see. Nobody changes the list; who adds to it gets a copy.
func (p *product) secretNames() []string { return slices.Clip(p.hidden()) }

func (p *product) namesToHide() []string {
	names := keyNames()
	for _, s := range p.c.SecretEnv() {
		if s.Name != "" {
			names = append(names, s.Name)
		}
	}
	return names
}

// forSession gives the agent for those who only look at it: that needs no key.
func (p *product) forSession(ctx context.Context, session string) (*agent.Agent, error) {
	s := engine.Spec{Session: session}
	model, err := p.modelFor(ctx, s)
	if err != nil {
		return p.with(ctx, noModel{err}, s)
	}
	return p.with(ctx, model, s)
}

func (p *product) logPath() string {
	switch {
	case p.c.Log.File != "":
		return p.c.Log.File
	case !p.o.Debug:
		return ""
	case p.face.Name == "classic":
		return filepath.Join(p.c.WorkDir, "logs", "agent.log")
	}
	return filepath.Join(p.dir, "logs", "agent.log")
}

// noSync reports whether nothing waits for the disk.
func (p *product) noSync() bool { return p.c.Durability == string(disk.Process) }

func (p *product) close(ctx context.Context) error {
	err := p.engine.Close(ctx)
	p.team.Close()
	p.mates.Close()
	err = errors.Join(err, p.closeWorlds(ctx))
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.waking.Wait()
	err = errors.Join(err, p.memory.Close())
	if closeErr := p.store.Close(); err == nil {
		err = closeErr
	}
	if closeErr := p.log.close(); err == nil {
		err = closeErr
	}
	if p.record != nil {
		if closeErr := p.record.Close(); err == nil {
			err = closeErr
		}
	}
	return err
}

func engineTexts(c msg.Catalogue) engine.Texts {
	return engine.Texts{
		TailRepaired: c.Text(msg.TailRepaired), BodyLost: c.Text(msg.BodyLost), DiskFull: c.Text(msg.DiskFull),
		StoreFailed: c.Text(msg.StoreFailed), LeaseLost: c.Text(msg.LeaseLost), Fault: c.Text(msg.EngineFault),
	}
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// secrets are the values that must not stand in a log.
func secrets(c *config.Config) *strings.Replacer {
	var pairs []string
	for _, s := range c.SecretEnv() {
		if len(s.Value) >= 8 {
			pairs = append(pairs, s.Value, "[secret]")
		}
	}
	return strings.NewReplacer(pairs...)
}
