package arch

import (
	"reflect"
	"slices"
	"strings"

	"react-agent/agent"
)

// module is the path that go.mod gives this repository, whatever its name becomes.
func module() string { return strings.TrimSuffix(reflect.TypeFor[agent.Event]().PkgPath(), "/agent") }

// A row says what the packages of one place may import from this module and link from others. A pattern "x/*" is
// everything below x; "self" is the package's own tree.
type row struct {
	pkgs []string
	may  []string
	link []string // module paths
}

// The layers of ARCHITECTURE.md. The first row that names a package rules.
func table() []row {
	layer1 := []string{"store", "internal/sse", "internal/httpx", "internal/shell", "internal/filelock", "internal/text", "internal/ordinary", "internal/media", "internal/toolname", "internal/msg", "internal/weigh"}
	with := func(more ...string) []string { return slices.Concat(layer1, more) }
	front := with("agent", "engine", "internal/command", "self")
	everything := []string{"*"}
	return []row{
		// 0: the kernel
		{pkgs: []string{"agent"}},
		{pkgs: []string{"agent/agenttest"}, may: []string{"agent"}},
		// 1: what has no idea of agents
		{pkgs: []string{"store"}},
		{pkgs: []string{"store/storetest"}, may: []string{"store"}},
		{pkgs: []string{"internal/shell"}, link: []string{"github.com/creack/pty", "golang.org/x/sys"}},
		{pkgs: []string{"internal/filelock"}, link: []string{"golang.org/x/sys"}},
		{pkgs: []string{"internal/yaml"}, link: []string{"go.yaml.in/yaml/v4"}},
		{pkgs: []string{"internal/media"}, link: []string{"golang.org/x/image"}},
		{pkgs: []string{"internal/sse", "internal/httpx", "internal/text", "internal/ordinary", "internal/toolname", "internal/msg"}},
		{pkgs: []string{"internal/weigh"}, may: []string{"agent", "internal/text"}},
		{pkgs: []string{"skills"}}, // files, for internal/app alone
		// 2: the parts; none knows its neighbour
		{pkgs: []string{"provider"}, may: with("agent", "provider/*"), link: []string{"github.com/tidwall/gjson"}},
		{pkgs: []string{"provider/*"}, may: with("agent", "provider/wire", "self"), link: []string{"github.com/tidwall/gjson"}},
		{
			pkgs: []string{"tool"}, may: with("agent"),
			link: []string{
				"github.com/bmatcuk/doublestar/v4", "github.com/sabhiram/go-gitignore", "github.com/charlievieth/fastwalk",
				"github.com/aymanbagabas/go-udiff", "github.com/JohannesKaufmann/html-to-markdown/v2",
				"codeberg.org/readeck/go-readability/v2", "golang.org/x/net",
			},
		},
		{pkgs: []string{"kit/policy"}, may: with("agent"), link: []string{"mvdan.cc/sh/v3"}},
		{pkgs: []string{"kit/team/mates"}, may: with("agent", "kit/team")}, // teammates are children that it drives
		{pkgs: []string{"kit/sandbox"}, may: with("agent"), link: []string{"golang.org/x/sys"}},
		{pkgs: []string{"kit/skill", "kit/profile", "kit/pipeline", "kit/team"}, may: with("agent", "internal/yaml", "self")},
		{
			pkgs: []string{"kit/skill/install"}, may: with("agent", "kit/skill"), // it reads what it installs with its parent's loader
			link: []string{"golang.org/x/sys", "golang.org/x/text"},
		},
		{pkgs: []string{"kit/memory"}, may: with("agent"), link: []string{"modernc.org/sqlite", "golang.org/x/text"}},
		{pkgs: []string{"kit/trace"}, may: with("agent"), link: []string{"go.opentelemetry.io/otel"}},
		{pkgs: []string{"kit/mcp"}, may: with("agent"), link: []string{"github.com/modelcontextprotocol/go-sdk"}},
		{pkgs: []string{"kit/*"}, may: with("agent", "self")},
		{pkgs: []string{"store/disk"}, may: []string{"store", "internal/filelock", "internal/ordinary"}, link: []string{"golang.org/x/sys"}},
		{pkgs: []string{"store/postgres"}, may: []string{"store"}, link: []string{"github.com/jackc/pgx/v5"}},
		{pkgs: []string{"store/nats"}, may: []string{"store"}, link: []string{"github.com/nats-io/nats.go"}},
		{pkgs: []string{"store/*"}, may: []string{"store"}},
		{pkgs: []string{"internal/config"}, may: with("agent", "internal/yaml")},
		// 3: sessions
		{pkgs: []string{"engine"}, may: []string{"agent", "store"}},
		{pkgs: []string{"engine/enginetest"}, may: []string{"agent", "agent/agenttest", "engine", "store"}},
		// 4: what a person or a program sees
		{pkgs: []string{"server"}, may: append(front, "server/*"), link: []string{"github.com/gin-gonic/gin"}},
		{pkgs: []string{"internal/tui"}, may: front, link: []string{"charm.land/bubbletea/v2", "charm.land/bubbles/v2", "charm.land/lipgloss/v2"}},
		{
			pkgs: []string{"internal/cli"}, may: front,
			link: []string{
				"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/reeflective/readline", "github.com/yuin/goldmark",
				"github.com/alecthomas/chroma/v2", "golang.org/x/term",
			},
		},
		{pkgs: []string{"server/native", "server/chat"}, may: with("agent", "engine", "internal/command", "server/refusal")},
		{pkgs: []string{"client", "server/*", "internal/acp"}, may: front},
		{
			pkgs: []string{"internal/command"},
			may:  with("agent", "provider", "provider/*", "tool", "kit/*", "store/*", "engine", "internal/config"),
		},
		// 5: where everything meets
		{pkgs: []string{"internal/app", "cmd/react-agent"}, may: everything},
		{pkgs: []string{"internal/arch"}},
	}
}

// neverLinked are packages whose init functions are felt in every start, even of --version.
func neverLinked() map[string]string {
	return map[string]string{
		"github.com/alecthomas/chroma/v2/lexers": "parses all its XML at start; embed the few lexers and load them on first use",
		"github.com/alecthomas/chroma/v2/styles": "parses all its XML at start",
		"charm.land/glamour":                     "imports chroma's lexers and styles",
		"github.com/charmbracelet/glamour":       "imports chroma's lexers and styles",
		"github.com/santhosh-tekuri/jsonschema":  "compiles its metaschemas at start",
		"github.com/bytedance/sonic":             "compiles at run time, slows the first reply",
		"github.com/mozillazg/go-pinyin":         "builds its map at start; generate a table instead",
		"github.com/openai/openai-go":            "19 MiB; the wires are our own",
		"github.com/anthropics/anthropic-sdk-go": "9 MiB; the wires are our own",
		"google.golang.org/genai":                "5 MiB; the wires are our own",
	}
}

// matches reports whether a package is meant by a pattern, seen from the package self.
func matches(pattern, pkg, self string) bool {
	if pattern == "self" {
		pattern = self + "/*"
	}
	if pattern == "*" || pattern == pkg {
		return true
	}
	tree, ok := strings.CutSuffix(pattern, "/*")
	return ok && strings.HasPrefix(pkg, tree+"/")
}

func under(path, tree string) bool {
	return path == tree || strings.HasPrefix(path, tree+"/")
}
