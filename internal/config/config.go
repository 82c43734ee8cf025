package config

import (
	"time"

	"react-agent/internal/msg"
)

// Config is every setting. A zero value means that nobody set the key and the profile or the part that uses it
// decides; [Config.IsSet] tells a chosen zero from that. After [Load] it does not change and may be shared.
type Config struct {
	Profile string
	// Provider is the vendor's name in the preset table; Load fills it in when a key or address makes it clear.
	Provider string
	// API is the wire: chat, responses, anthropic, gemini, command, offline.
	API     string
	APIBase string
	APIKey  string
	Model   string
	// Models describes models by id, Presets vendors by name; both add to the built-in tables.
	Models        map[string]Model
	Presets       map[string]Preset
	Agents        map[string]Agent // that the model may call, by name
	Fallback      []string
	ContextWindow int // tokens
	MaxSteps      int
	MaxCost       float64 // US dollars, of a conversation with all its sub-agents
	// MaxTotalTokens bounds what a conversation reads and writes, all its sub-agents included.
	MaxTotalTokens int
	// Timeout bounds a whole run, RequestTimeout one model call. 0 = none, or the profile's.
	Timeout        time.Duration
	RequestTimeout time.Duration
	Parallel       int
	// Mode is what the configuration says; [Config.ModeFor] is what counts.
	Mode string
	// Plan is true when --plan was given: a new session begins in mode plan, and Mode is what follows.
	Plan        bool
	Permissions Permissions
	Hooks       any // as written; kit/shellhook reads it
	MCPServers  map[string]MCPServer
	Skills      Skills
	Shell       Shell
	RateLimit   RateLimit
	Memory      Memory
	Compact     Compact
	Rewind      Rewind
	Sandbox     string // words that kit/sandbox reads
	Durability  string // disk, process
	StateDir    string // absolute; "" = the default, see [Config.State]
	ToolMode    string // native, tags
	AskUser     *bool  // the model may ask the person; nil: as the profile has it
	Log         Log
	Listen      string // host:port, :port or a port
	Server      Server
	Lang        string // as configured; [Config.Language] is what counts

	// Program is the path of the provider's program, when AGENT_CLI gives one; "" = it is found by its name.
	Program string

	// WorkDir is the absolute work directory: --cwd, WORKDIR, or where the process was started.
	WorkDir string
	// Language is the language to speak, from lang and the locale.
	Language msg.Lang
	// Trust is true when --trust was given: every file of the work directory counts as trusted.
	Trust bool
	// Ignored lists what was found and has no effect, with the reason.
	Ignored []Ignored

	origins map[string]Origin
	rest    rest
}

// Model describes one model.
type Model struct {
	ContextWindow, MaxOutput int // tokens
	Vision, Files, Audio     *bool
	Tools, Reasoning         *bool
	Effort                   string
	Price                    Price
	Extra                    map[string]any // merged into the request's body
}

// Price is in US dollars for a million tokens; nil is unknown.
type Price struct{ Input, Output, Cached, CacheWrite *float64 }

// Preset is a vendor the user describes. Like names a preset to start from. The fields that the table of vendors has
// are called the same there.
type Preset struct {
	Like, API, BaseURL       string
	KeyEnv                   []string
	KeyHeader                string
	Headers                  map[string]string
	DefaultModel             string
	ContextWindow, MaxOutput int
	ReasoningField           string
	ReasoningAlways          *bool
	ThinkInContent           *bool
	EmptyContent             *string
	MaxTokensField           string
	NoStreamUsage            *bool
	IDs                      string
	// Command is the program and its arguments, of the api command, see wire.CLI.
	Command []string
	Extra   map[string]any
}

// Agent is one that the model may call: another program's with URL and Token, or one of this program with Prompt. An entry
// comes from one layer, so the token goes to no address but the one that stands beside it.
type Agent struct {
	About, URL, Token string
	// Prompt is the system prompt; Tools are the names of its tools, nil: all but those that start others.
	Prompt string
	Tools  []string
	Model  string
	Steps  int // 0 = the usual limit
}

// Permissions are rules in the order they count: those of stronger layers first.
type Permissions struct{ Allow, Ask, Deny []Rule }

// Rule is one permission rule and the place it was written at.
type Rule struct {
	Text   string
	Origin Origin
}

// MCPServer is one server of the Model Context Protocol, started by a command or reached at a URL.
type MCPServer struct {
	Type, Command string
	Args          []string
	Env           map[string]string
	Cwd, URL      string
	Headers       map[string]string
	Timeout       time.Duration
	Disabled      bool
	DisabledTools []string
}

// Skills says where skills are looked for and how strictly they are read, and what picks one before each answer: vectors,
// a model call more, or nothing (off, "").
type Skills struct {
	Paths  []string
	Strict *bool
	Router string
}

// Shell has the limits of the shell tool.
type Shell struct{ Timeout time.Duration }

// Rewind says what is kept so that files can be brought back. Enabled: nil is yes. Ignored: also what git ignores.
type Rewind struct {
	Enabled *bool
	MaxMB   int // all checkpoints together; 0 = the built-in bound
	Ignored *bool
}

// Memory says what is remembered over conversations. Enabled: nil is yes. Tools: nil leaves them to the profile. Tokens
// bounds what enters at the start of a turn; 0 = the usual. Embeddings names the model of vectors, "" is the default.
type Memory struct {
	Enabled    *bool
	Tools      *bool
	Tokens     int
	Embeddings string
}

// Compact says when and how a history is made smaller. Enabled: nil is yes; false leaves it to the person and to overflows.
// At is a size in tokens, Share of the window a number up to 1, Keep the tokens of the newest messages that stay, Results
// how many results are never cleared, Cleared what stands for one that is; 0 and "" leave it to the profile. Micro clears
// before each call, KeepReads leaves files that were read alone; nil leaves it to the profile.
type Compact struct {
	Enabled   *bool
	At        int
	Share     float64
	Keep      int
	Micro     *bool
	Results   int
	Cleared   string
	KeepReads *bool
}

// RateLimit bounds what is sent to a provider; 0 = no bound.
type RateLimit struct{ RequestsPerMinute, TokensPerMinute int }

// Log says what is logged where. File is absolute or "".
type Log struct{ Level, Format, File string }

// Server says who may ask the HTTP server, and how much at once. Hosts are further names of this machine, Origins pages of
// other sites; a limit of 0 is the server's own.
type Server struct {
	Token          string
	Hosts, Origins []string
	Limits         ServerLimits
}

// ServerLimits bound what is asked for at once: sessions at work, event streams, requests, and both of these for one session.
type ServerLimits struct{ Sessions, Streams, Requests, Each int }

// rest is what Load keeps for the methods of Config.
type rest struct {
	notReady       error
	vendors        []Vendor
	vars, dot      map[string]envVar
	openAIBase     candidate
	userFile       string
	secrets        []Secret
	environ        []string
	profileTrusted bool
}
