package app

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"react-agent/agent"
	"react-agent/client"
	"react-agent/internal/command"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/internal/text"
	"react-agent/kit/attach"
	"react-agent/kit/mention"
	"react-agent/kit/policy"
	"react-agent/kit/profile"
)

// openRemote gives a front end the engine of a server elsewhere. Nothing of this machine takes part but the files that the
// person attaches: no settings, no state directory, no model. A server that does not answer as ours is a fault of how the
// program was called.
func openRemote(ctx context.Context, o command.Options) (*command.Host, error) {
	c := msg.For(config.Language(config.Source{Flags: o.Flags, Environ: o.Env}))
	url, token := config.Remote(o.Server, o.Env)
	engine, err := client.New(client.Options{
		URL: url, Token: token, Lost: c.Text(msg.ClientLost), Back: c.Text(msg.ClientBack),
		Trying: func() {
			if o.Warn != nil {
				o.Warn(c.Text(msg.ClientLost))
			}
		},
	})
	if err != nil {
		return nil, configError{err}
	}
	about, err := engine.About(ctx, "")
	if err != nil {
		engine.Close()
		return nil, configError{err}
	}
	_, dir, err := config.Environment()
	if err != nil {
		engine.Close()
		return nil, fmt.Errorf("current directory: %w", err)
	}
	o.Attended = true // there, questions wait for somebody: where nobody is here, the front end has to say so
	return &command.Host{
		Engine: engine, BlobFile: engine.BlobURL, Msg: c, Options: o, Look: remoteLook(about.Profile), StateDir: engine.URL(), WorkDir: dir,
		Attach: func(ctx context.Context, _, path string) (attach.Item, error) {
			return attachHere(ctx, o, c, dir, path)
		},
		Sendable: func(context.Context, string, *agent.Message) error { return nil }, // the server knows its models
		Remote: &command.Remote{Blobs: engine, Banner: func(ctx context.Context, session string) string {
			return remoteBanner(ctx, c, engine, session)
		}},
		Close: func(context.Context) error {
			engine.Close()
			return nil
		},
	}, nil
}

// attachHere reads a file of this machine, in the form in which the server's own would enter a message.
func attachHere(ctx context.Context, o command.Options, c msg.Catalogue, dir, path string) (attach.Item, error) {
	item, err := attach.Options{Dir: dir, Home: config.Getenv(o.Env, "HOME"), Msg: c}.Load(ctx, path)
	for _, p := range item.Parts {
		if p.Kind == agent.Text && err == nil {
			item.Parts = mention.Block(filepath.ToSlash(path), []agent.Part{p})
			break
		}
	}
	return item, err
}

// remoteBanner says where and with what the conversation goes on.
func remoteBanner(ctx context.Context, c msg.Catalogue, engine *client.Client, session string) string {
	a, err := engine.About(ctx, session)
	if err != nil {
		return c.Err(err)
	}
	mode := ""
	if a.Mode != string(policy.Ask) {
		mode = c.Text(msg.ReplMode, a.Mode)
	}
	return fitted(a.Model, func(s string) string { return c.Text(msg.RemoteHello, engine.URL(), s, a.Profile, mode) }) + "\n" +
		fitted(a.WorkDir, func(s string) string { return c.Text(msg.RemoteWhere, s) })
}

// remoteLook is how the face looks in which the server works: as it looks there, or like any other if it is unknown here.
func remoteLook(name string) profile.Look {
	face, err := profile.Load(name)
	if err != nil {
		return profile.Look{}
	}
	look := face.Look
	if strings.Contains(look.Steps, "%d") { // the limit is a setting of the server
		look.Steps = ""
	}
	return look
}

// bannerColumns is how wide a line of the banner is at most, unless what has to stand in it is wider.
const bannerColumns = 80

// fitted is a line with a text in it, of which the beginning gives way where the line would be too wide.
func fitted(s string, line func(string) string) string {
	whole := line(s)
	for rest := []rune(s); text.Columns(whole) > bannerColumns && len(rest) > 8; {
		rest = rest[1:]
		whole = line("…" + string(rest))
	}
	return whole
}
