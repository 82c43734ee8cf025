package command

import (
	"context"
	"encoding/json"
	"io"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/kit/attach"
	"react-agent/kit/compact"
	"react-agent/kit/cost"
	"react-agent/kit/job"
	"react-agent/kit/memory"
	"react-agent/kit/plan"
	"react-agent/kit/policy"
	"react-agent/kit/profile"
	"react-agent/kit/reflect"
	"react-agent/kit/sandbox"
	"react-agent/kit/skill"
	"react-agent/kit/task"
	"react-agent/kit/team"
	"react-agent/kit/team/mates"
	"react-agent/store"
)

// Options is what the command line asked for, before any configuration is read.
type Options struct {
	// Flags are those that the person gave, by name without dashes: "max-steps": "5".
	Flags map[string]string
	// Env is the environment as os.Environ gives it.
	Env []string
	// Server is the address of a server elsewhere on which all goes on; "" = here.
	Server string
	// Demo runs the offline rule table: no key, no configuration, no question.
	Demo bool
	// Model says that the model will be called: then a missing key is an error of opening, not of the first run.
	Model bool
	// Works says that agents are to work in this program: then the person hears at the start what the project brings along
	// that is left out, and mail wakes a lead. A command that only looks does neither.
	Works bool
	// Attended says that somebody can answer questions.
	Attended bool
	// Debug writes a log file.
	Debug bool
	// Lenient opens as much as it can and puts what is wrong into Host.Problems (doctor).
	Lenient bool
	// Record writes every exchange with the model to this file.
	Record string
	// Schema is a file with the JSON Schema of the answer; relative ones are in the work directory.
	Schema string
	// Version is the program's version.
	Version string
	// Confirm puts a yes-or-no question before the product is open; nil: nobody can be asked.
	Confirm func(text string) Reply
	// Warn is told, in one line each, what the person should know.
	Warn func(line string)
}

// Reply is what came of a yes-or-no question.
type Reply int

// The replies: nothing was typed, which is a no for this time; no; yes; and a signal, the person wants to be gone.
const (
	Silent Reply = iota
	No
	Yes
	Gone
)

// Open makes a [Host]. It is app.Open; front ends get it as a value, so that they need not import the product.
type Open func(ctx context.Context, o Options) (*Host, error)

// Store is the part of the product's store that commands read.
type Store interface {
	store.Log
	store.KV
	store.Blobs
	store.Names
}

// Host is the opened product, as commands and front ends see it.
type Host struct {
	Engine engine.Engine
	Store  Store
	// Remote is set where all goes on on a server elsewhere: of the other fields only Engine, BlobFile, Msg, Attach, Sendable,
	// Tray, Waiting, Options, StateDir (the server's address) and Close are there then, and commands are sent as lines.
	Remote *Remote
	// BlobFile is the file of a blob of the store, or where else it can be looked at.
	BlobFile func(sha string) string
	Config   *config.Config
	Msg      msg.Catalogue
	// Agent makes the agent that the next run of a session would use.
	Agent func(ctx context.Context, session string) (*agent.Agent, error)
	// Request gives the body of what the next run would send first if the person said m; without parts, as things are.
	Request func(ctx context.Context, session string, m agent.Message) (Next, error)
	// Fill says what fills the window of a session's model now; "" is a session that has nothing in it.
	Fill func(ctx context.Context, session string) (Fill, error)
	// Desk is where the agent of a session reflects on how it has worked.
	Desk func(ctx context.Context, session string) *reflect.Desk
	// UseModel makes runs of a session from now on use another model: Model may be VENDOR/MODEL, see [config.Config.Choose].
	// What cannot be opened is an error, and the session stays as it is.
	UseModel func(ctx context.Context, session string, w config.Want) error
	// ModelOf names the model that the next run of a session will use, "" when none can be reached.
	ModelOf func(ctx context.Context, session string) string
	// Absent says why a session's model cannot be asked as far as that shows before anybody asks it: it is a program, and
	// that is not there. nil: nothing is known against it, and nobody looks if Absent itself is nil.
	Absent func(ctx context.Context, session string) error
	// Models lists what a session could use.
	Models func(ctx context.Context, session string) (ModelList, error)
	// Mode gives the session's mode after setting it to want, unless that is empty. It waits for the end of a run.
	Mode func(ctx context.Context, session string, want policy.Mode) (policy.Mode, error)
	// Planner leads sessions in plan mode.
	Planner *plan.Planner
	// Session is a session as it is stored, for a look. Change stores what fn gives as a change of its state, between its
	// runs; nil changes nothing.
	Session func(ctx context.Context, session string) (*agent.Session, error)
	Change  func(ctx context.Context, session string, fn func(s *agent.Session) map[string]json.RawMessage) error
	// Do runs fn on a session between its runs: engine.Local.Do. Compact measures and judges an agent's history, for a look.
	Do      func(ctx context.Context, session string, fn onSession) error
	Compact func(a *agent.Agent) *compact.Compact
	// Jobs are the background commands of where the session works.
	Jobs func(ctx context.Context, session string) (*job.Jobs, error)
	// Skills are the session's, as its agent has them.
	Skills func(ctx context.Context, session string) (*skill.Set, error)
	// KnownSkills are all that could load in the work directory, for a look: also those that come with the program where the
	// profile does not use them, and with trusted also those of a project that is not trusted.
	KnownSkills func(ctx context.Context, trusted bool) (*skill.Set, error)
	// ShippedUsers names the profiles that use the skills that come with the program; nil: the one at hand does.
	ShippedUsers func() []string
	// TrustSkill records that the person has seen the new files of a skill's folder, given by hash, and lets its programs run
	// without a question until they change. Untrusted says why what the project brings is not used, "" if it is.
	TrustSkill func(dir string, shown map[string]string) error
	Untrusted  func() string
	// Forget drops what is kept of a session and its children beside their logs, after they were removed.
	Forget func(session string) error
	// Meter knows what all sessions have spent, and the prices.
	Meter *cost.Meter
	// Memory is what is kept over conversations; nil: it is switched off.
	Memory *memory.Store
	// Team has the sub-agents of all sessions.
	Team *team.Team
	// Mates are the teammates of the work directory, with their inboxes.
	Mates *mates.Mates
	// Tasks is the board of the work directory.
	Tasks *task.Board
	// Rules are the configuration's; Always keeps what the person allowed for good.
	Rules  policy.Rules
	Always *policy.Always
	// Worktree is the session's own, nil when it works in the plain folder. LeaveWorktree makes it work there.
	Worktree      func(ctx context.Context, session string) (*sandbox.Worktree, error)
	LeaveWorktree func(ctx context.Context, session string) error
	// Rewind brings chat and files of a session back; nil: nothing is kept. What it gives may be nil too, for this session.
	Rewind func(ctx context.Context, session string) (*Rewinder, error)
	// LintSkills checks the skills that are named, by name or by path relative to WorkDir; without names all of the project.
	// Skipped counts installed skills that nobody named.
	LintSkills func(ctx context.Context, names []string) (list []skill.Linted, skipped int, err error)
	// Data is the JSON that --schema has asked for in the text of an answer, nil when there is none that fits.
	Data func(text string) json.RawMessage
	// Attach reads a file that shall go with a message of a session. Sendable says what of a message the session's model is
	// not known to take, and what to do about it; nil: nothing is checked. Tray has what waits for the next messages.
	Attach   func(ctx context.Context, session, path string) (attach.Item, error)
	Sendable func(ctx context.Context, session string, m *agent.Message) error
	Tray     attach.Tray
	// Btw answers a question beside a session, which stays as it is, and says what that has used, also where it fails.
	Btw func(ctx context.Context, session, question string) (answer string, used *agent.Usage, err error)
	// Waiting numbers what waits in the queues of sessions.
	Waiting Numbers
	// Facts are lines for doctor that only the assembly knows.
	Facts func(ctx context.Context) []Fact
	// Problems are what a lenient opening met.
	Problems []error
	Options  Options
	StateDir string
	WorkDir  string
	// Profile is the face.
	Profile string
	Look    Look
	// Serve answers over HTTP until ctx ends; runs have then come to what can be stored.
	Serve func(ctx context.Context, o ServeOptions) error
	// Close lets go of everything: runs are cancelled and brought to their end first. It may be called once.
	Close func(ctx context.Context) error
}

// ServeOptions are what a server needs of the front end that starts it.
type ServeOptions struct {
	// Say is told, a line each, where the server is and what happens to it.
	Say func(line string)
}

// Next is what would be sent next.
type Next struct {
	Body []byte
	// Before says that it is not the conversation's own request, but one that comes before it: for the summary of a
	// compaction, say.
	Before bool
}

// Look is how a face shows a conversation by lines.
type Look = profile.Look

// Fact is one line of doctor: a thing, what is the case, where that comes from, and what to do about it.
type Fact struct {
	Group  string `json:"group"`
	Name   string `json:"name"`
	Value  string `json:"value"`
	Origin string `json:"origin,omitempty"`
	Bad    bool   `json:"bad,omitempty"`
	Fix    string `json:"fix,omitempty"`
}

// Input is what a command was called with.
type Input struct {
	// Session is the conversation in which a slash command was typed; "" on the command line.
	Session string
	Args    []string
	// Rest is what was typed behind the command's name in a conversation, as it was typed.
	Rest string
	// Flags has the values of the command's own flags, by name.
	Flags map[string]string
	// JSON asks for JSON instead of text.
	JSON bool
	// In is the standard input of a subcommand; nil in a conversation.
	In  io.Reader
	Out io.Writer
}

// Remote is a server elsewhere.
type Remote struct {
	// Blobs are the server's.
	Blobs store.Blobs
	// Banner is the first line of a conversation; session is "" for a new one.
	Banner func(ctx context.Context, session string) string
}

// Outcome is what a slash command wants of the front end that called it.
type Outcome struct {
	// Leave ends the conversation.
	Leave bool
	// Fresh begins a new session.
	Fresh bool
	// Input is to be handed in to the session, as what the person said with the line; nil: nothing.
	Input *engine.Input
}

// Command is one command. Its fields are read only.
type Command struct {
	// Name is what is typed: "help", or "session list" for a subcommand of a group.
	Name string
	// Args describes the arguments, for the help text.
	Args string
	Help msg.Key
	// Min and Max bound the number of arguments; Max -1 is no bound.
	Min, Max int
	Flags    []Flag
	// Slash: it can be typed in a conversation. Shell: it is a subcommand.
	Slash, Shell bool
	// Lenient: a faulty configuration is no reason not to run it. Bare: it needs nothing opened; only Msg and Options of
	// the host are set.
	Lenient, Bare bool
	// Beside: it takes its time, so in a conversation it runs beside what goes on; what it changes in a session goes through
	// [Host.Do], which waits for its turn. Quick are the first arguments with which it is done at once.
	Beside bool
	Quick  []string
	// Front: with a server elsewhere a conversation runs it here, as it is about this front end or needs no more than an
	// engine. Remote: as a subcommand it can do with a server elsewhere.
	Front, Remote bool
	// Prose: what it prints is to be read, not to be copied; its lines may be broken to fit a screen.
	Prose bool
	Run   func(ctx context.Context, h *Host, in Input) (Outcome, error)
}

// Flag is a flag of a subcommand. A Default of "false" makes it a switch. Short is its one letter, if it has one.
type Flag struct {
	Name, Short, Default string
	Help                 msg.Key
}
