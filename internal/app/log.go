package app

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"react-agent/agent"
	"react-agent/internal/command"
	"react-agent/internal/config"
)

// logFile is the log of the product: one file, made when the first line is written.
type logFile struct {
	logger *slog.Logger // nil: nothing is logged
	path   string
	hide   *strings.Replacer

	mu    sync.Mutex
	file  *os.File
	fault error
}

// openLog prepares the log; an empty path is no log.
func openLog(o command.Options, c *config.Config, path string) *logFile {
	l := &logFile{path: path, hide: secrets(c)}
	if path == "" {
		return l
	}
	level := slog.LevelInfo
	_ = level.UnmarshalText([]byte(c.Log.Level)) // the configuration has checked it
	if o.Debug {
		level = slog.LevelDebug
	}
	opts := &slog.HandlerOptions{Level: level}
	var h slog.Handler = slog.NewJSONHandler(l, opts)
	if c.Log.Format == "text" && !o.Debug {
		h = slog.NewTextHandler(l, opts)
	}
	l.logger = slog.New(h)
	return l
}

// Write writes one line, with the values of secrets replaced. A log that cannot be written stops nothing.
func (l *logFile) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil && l.fault == nil {
		l.fault = os.MkdirAll(filepath.Dir(l.path), 0o700)
		if l.fault == nil {
			l.file, l.fault = os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		}
	}
	if l.fault != nil {
		return 0, l.fault
	}
	if _, err := io.WriteString(l.file, l.hide.Replace(string(line))); err != nil {
		return 0, err
	}
	return len(line), nil
}

func (l *logFile) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// logged cuts what is logged of arguments and results.
const logged = 2000

// hook logs events under the names of the GenAI conventions of OpenTelemetry.
func (l *logFile) hook() agent.Hook {
	if l.logger == nil {
		return agent.Hook{Name: "log"}
	}
	return agent.Hook{Name: "log", OnEvent: l.event, BeforeModel: func(ctx context.Context, s *agent.Session, req *agent.Request) error {
		l.logger.DebugContext(ctx, "request", "session.id", s.ID, "gen_ai.operation.name", "chat",
			"messages", len(req.Messages), "tools", len(req.Tools))
		return nil
	}}
}

func (l *logFile) event(ctx context.Context, e agent.Event) {
	attrs := []slog.Attr{
		slog.String("session.id", e.Session), slog.String("gen_ai.agent.name", e.Agent),
		slog.Int64("seq", e.Seq), slog.String("run", e.Run),
	}
	level := slog.LevelDebug
	switch e.Type {
	case agent.EvChunk, agent.EvProgress:
		return
	case agent.EvMessage:
		attrs = append(attrs, messageAttrs(e.Message)...)
	case agent.EvCall:
		if e.Call != nil {
			attrs = append(attrs, slog.String("gen_ai.tool.name", e.Call.Name), slog.String("gen_ai.tool.call.id", e.Call.ID),
				slog.String("gen_ai.tool.call.arguments", clip(string(e.Call.Args))))
		}
	case agent.EvEnd:
		level = slog.LevelInfo
		attrs = append(attrs, slog.String("stop", string(e.Stop)), slog.Int("steps", e.Steps))
		attrs = append(attrs, usageAttrs(e.Usage)...)
		if e.Error != nil {
			level = slog.LevelError
			attrs = append(attrs, slog.String("error.type", string(e.Error.Kind)), slog.String("error.message", clip(e.Error.Message)))
		}
	case agent.EvRetry, agent.EvNotice:
		level = slog.LevelWarn
		attrs = append(attrs, slog.String("text", clip(e.Text)))
	default:
		if e.Text != "" {
			attrs = append(attrs, slog.String("text", clip(e.Text)))
		}
	}
	l.logger.LogAttrs(ctx, level, string(e.Type), attrs...)
}

// messageAttrs describes a message without what a person or model said in it.
func messageAttrs(m *agent.Message) []slog.Attr {
	if m == nil {
		return nil
	}
	attrs := []slog.Attr{slog.String("role", string(m.Role))}
	if m.Role == agent.Assistant {
		attrs = append(attrs, slog.String("gen_ai.response.model", m.Model), slog.String("gen_ai.response.finish_reason", string(m.Stop)))
		attrs = append(attrs, usageAttrs(m.Usage)...)
	}
	for _, p := range m.Parts {
		if p.Kind == agent.ResultOf && p.Result != nil {
			var text strings.Builder
			for _, part := range p.Result.Parts {
				text.WriteString(part.Text)
			}
			attrs = append(attrs, slog.String("gen_ai.tool.call.id", p.Result.CallID), slog.Bool("failed", p.Result.Error),
				slog.String("gen_ai.tool.call.result", clip(text.String())))
		}
	}
	return attrs
}

func usageAttrs(u *agent.Usage) []slog.Attr {
	if u == nil {
		return nil
	}
	var attrs []slog.Attr
	for _, n := range []struct {
		name  string
		value *int64
	}{
		{"gen_ai.usage.input_tokens", u.Input},
		{"gen_ai.usage.output_tokens", u.Output},
		{"gen_ai.usage.cache_read.input_tokens", u.Cached},
	} {
		if n.value != nil {
			attrs = append(attrs, slog.Int64(n.name, *n.value))
		}
	}
	return attrs
}

func clip(s string) string {
	if len(s) <= logged {
		return s
	}
	return strings.ToValidUTF8(s[:logged], "") + "…"
}
