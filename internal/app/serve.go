package app

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strings"

	"react-agent/internal/command"
	"react-agent/internal/msg"
	"react-agent/server"
)

// usualListen is where the server listens when nobody says otherwise.
const usualListen = "127.0.0.1:8080"

// serve answers over HTTP until ctx ends.
func (p *product) serve(ctx context.Context, o command.ServeOptions) error {
	c := p.host.Msg
	listen := or(p.c.ListenAddress(), usualListen)
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return configError{msg.Errorf(msg.ServerTaken, listen, listenFault(err))}
	}
	token, path := p.c.Server.Token, ""
	if token == "" && !server.Loopback(l.Addr()) {
		if token, path, err = p.serverToken(); err != nil {
			return errors.Join(configError{err}, l.Close())
		}
	}
	s, err := server.New(p.serverOptions(token, listen))
	if err != nil {
		return errors.Join(err, l.Close())
	}
	if err := p.c.Ready(); err != nil && !p.o.Demo {
		o.Say(c.Text(msg.ServerNoModel, err))
	}
	made := "" // a token of the person's own stands in no terminal and no journal
	switch {
	case path != "":
		made = token
		o.Say(c.Text(msg.ServerKept, path))
	case token != "":
		o.Say(c.Text(msg.ServerOwn))
	}
	if !server.Loopback(l.Addr()) {
		o.Say(c.Text(msg.ServerPlain))
	}
	_, _ = p.host.Agent(ctx, "") // what is wrong with skills and the like is told before anybody asks; errors are met again
	o.Say(c.Text(msg.ServerListens, address(l.Addr(), made), p.face.Name, p.modelOf(ctx, ""), p.mode()))
	defer p.beSparing()()
	going, stop := context.WithCancel(ctx)
	p.waking.Go(func() { p.goOn(going, o) })
	p.waking.Go(func() { p.giveBack(going) })
	defer stop()
	return s.Serve(ctx, l)
}

func (p *product) serverOptions(token, listen string) server.Options {
	s := p.c.Server
	hosts := s.Hosts
	if host, _, err := net.SplitHostPort(listen); err == nil && host != "" {
		hosts = append([]string{host}, hosts...) // the name to listen at is one to be asked for
	}
	return server.Options{
		Native: p.native(), Chat: p.chat(), Token: token, Hosts: hosts, Origins: s.Origins,
		Limits: server.Limits{Sessions: s.Limits.Sessions, Streams: s.Limits.Streams, Requests: s.Limits.Requests, Each: s.Limits.Each},
		Load:   p.engine.Load, Ready: p.serves, Drain: p.engine.Close,
		Version: p.o.Version, Msg: p.host.Msg, Logger: p.log.logger,
	}
}

// serves says why no message can be worked on.
func (p *product) serves(context.Context) error {
	if err := p.c.Ready(); err != nil && !p.o.Demo {
		return err
	}
	if f := p.stateFact(); f.Bad {
		return errors.New(f.Value + ": " + f.Fix)
	}
	return nil
}

// goOn goes on with the sessions that were at work when the program ended. A sub-agent's parent goes on with it.
func (p *product) goOn(ctx context.Context, o command.ServeOptions) {
	if err := p.mates.Resume(ctx); err != nil && ctx.Err() == nil { // first: who is driven is not taken for left behind
		p.warn(p.host.Msg.Err(err))
	}
	n := 0
	for id, err := range p.engine.Left(ctx) {
		if err == nil && strings.Contains(id, ".") {
			continue
		}
		if err == nil {
			err = p.engine.Resume(ctx, id)
		}
		if err != nil {
			if ctx.Err() == nil {
				p.warn(p.host.Msg.Err(err))
			}
			continue
		}
		if _, here := p.engine.Load(id); here {
			n++
		}
	}
	if n > 0 {
		o.Say(p.host.Msg.Text(msg.ServerGoesOn, n))
	}
}

// serverFacts say where the server would listen, and who could come in.
func (p *product) serverFacts() []command.Fact {
	c := p.host.Msg
	listen := or(p.c.ListenAddress(), usualListen)
	facts := []command.Fact{{Group: "server", Name: "address", Value: "http://" + listen, Origin: p.c.Origin("listen").In(c)}}
	token := command.Fact{Group: "server", Name: "token", Value: c.Text(msg.ServerNoToken)}
	path, err := p.tokenPath()
	switch {
	case p.c.Server.Token != "":
		token.Value, token.Origin = c.Text(msg.ServerOwnToken), p.c.Origin("server.token").In(c)
	case p.c.ListensHere() || err != nil:
	default:
		token.Value = c.Text(msg.ServerKept, path)
		_, _, err := keptToken(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			token.Value += " (" + c.Text(msg.DoctorNotYet) + ")"
		case err != nil:
			token.Value, token.Bad = c.Err(err), true
		}
	}
	return append(facts, token)
}

// address is where a browser on this machine finds the page, with the token that lets it in.
func address(at net.Addr, token string) string {
	host, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return at.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	u := url.URL{Scheme: "http", Host: net.JoinHostPort(host, port), Path: "/"}
	if token != "" {
		u.RawQuery = url.Values{"token": {token}}.Encode()
	}
	return u.String()
}

// listenFault is the last cause of a fault, without the address that is told anyway.
func listenFault(err error) error {
	if e, ok := errors.AsType[*os.SyscallError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e.Err
	}
	return err
}
