package app

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"react-agent/agent"
	"react-agent/engine"
	"react-agent/internal/config"
	"react-agent/internal/httpx"
	"react-agent/internal/msg"
	"react-agent/kit/peer"
	"react-agent/kit/team"
)

// openPeers looks at the agents of the configuration; nothing is reached.
func (p *product) openPeers() error {
	p.peers = peer.New(peer.Options{
		HTTP: p.pool, KV: p.store, Closing: func(cause error) bool { return errors.Is(cause, engine.ErrClosed) },
		Warn: func(err error) { p.warn(msg.For(p.c.Language).Err(err)) },
	})
	name := regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)
	for _, n := range slices.Sorted(maps.Keys(p.c.Agents)) {
		a, at := p.c.Agents[n], p.c.Origin("agents."+n)
		own := []struct {
			key string
			set bool
		}{{"prompt", a.Prompt != ""}, {"tools", a.Tools != nil}, {"model", a.Model != ""}, {"steps", a.Steps != 0}}
		both := slices.IndexFunc(own, func(f struct {
			key string
			set bool
		},
		) bool {
			return a.URL != "" && f.set
		})
		switch {
		case !name.MatchString(n):
			return configError{msg.Errorf(msg.PeerName, at, n)}
		case both >= 0:
			return configError{msg.Errorf(msg.PeerBoth, at, n, own[both].key)}
		case strings.ContainsAny(a.URL, "?#"):
			return configError{msg.Errorf(msg.PeerQuery, at, n)}
		case a.URL == "" && strings.TrimSpace(a.Prompt) == "":
			return configError{msg.Errorf(msg.PeerNothing, at, n)}
		case a.URL == "" && a.Token != "":
			return configError{msg.Errorf(msg.PeerToken, at, n)}
		case a.Model != "" && !p.knowsModel(a.Model):
			return configError{msg.Errorf(msg.PeerModel, at, n, a.Model)}
		}
	}
	return nil
}

// pool is the HTTP client of all requests that the program makes of itself, with its connections.
func (p *product) pool() (*http.Client, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pooled()
}

// pooled is pool for who holds the lock.
func (p *product) pooled() (*http.Client, error) {
	if p.http == nil {
		client, err := httpx.NewClient(httpx.Options{})
		if err != nil {
			return nil, configError{err}
		}
		p.http = client
	}
	return p.http, nil
}

// ownTypes are the agents of this program that the configuration describes, and those from files that have other names.
func (p *product) ownTypes(files []team.Type) []team.Type {
	var list []team.Type
	for _, n := range slices.Sorted(maps.Keys(p.c.Agents)) {
		if a := p.c.Agents[n]; a.URL == "" {
			list = append(list, team.Type{
				Name: n, Description: a.About, System: a.Prompt, Tools: a.Tools, All: a.Tools == nil, Model: a.Model, Steps: a.Steps,
				File: p.c.Origin("agents." + n).File,
			})
		}
	}
	if list == nil {
		return files
	}
	return append(list, slices.DeleteFunc(slices.Clone(files), func(f team.Type) bool {
		return slices.ContainsFunc(list, func(x team.Type) bool { return strings.EqualFold(x.Name, f.Name) })
	})...)
}

// callTools is call_agent, where the configuration names agents.
func (p *product) callTools(k *cast) []agent.Tool {
	if len(p.c.Agents) == 0 {
		return nil
	}
	var list []peer.Agent
	for _, n := range slices.Sorted(maps.Keys(p.c.Agents)) {
		a := p.c.Agents[n]
		list = append(list, peer.Agent{Name: n, About: a.About, URL: a.URL, Token: a.Token})
	}
	for _, x := range k.types {
		if _, ok := p.c.Agents[x.Name]; !ok {
			list = append(list, peer.Agent{Name: x.Name, About: x.Description})
		}
	}
	return []agent.Tool{p.peers.Tool(list, func(ctx context.Context, c agent.Call, name, prompt string) (agent.Result, error) {
		args, err := agent.EncodeJSON(map[string]string{"prompt": prompt, "agent_type": name})
		if err != nil {
			return agent.Result{}, err
		}
		for _, t := range k.seat.SpawnTools() {
			if t.Name == "task" { // an agent of this program is a sub-agent of that type
				return t.Run(ctx, agent.Call{ID: c.ID, Key: c.Key, Name: t.Name, Args: args})
			}
		}
		return agent.ErrorResult("there are no sub-agents here"), nil
	})}
}

// peerHook keeps count of calls, where there can be any.
func (p *product) peerHook() agent.Hook {
	if !slices.ContainsFunc(slices.Collect(maps.Values(p.c.Agents)), func(a config.Agent) bool { return a.URL != "" }) {
		return agent.Hook{}
	}
	return p.peers.Hook()
}
