package app

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"react-agent/internal/command"
	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/kit/profile"
	"react-agent/store"
)

// Environ is the environment of the process.
func Environ() []string {
	environ, _, err := config.Environment()
	if err != nil {
		return environ // the work directory is asked for again, and reported, when it is needed
	}
	return environ
}

// configError marks a fault as one of configuration, without changing its text.
type configError struct{ error }

// Is reports that the error is one of configuration.
func (e configError) Is(target error) bool { return target == command.ErrConfig }

// Unwrap gives the fault.
func (e configError) Unwrap() error { return e.error }

// configure loads the configuration and the face. With Lenient what is wrong is returned as problems.
func (p *product) configure() (problems []error, err error) {
	if p.o.Demo {
		p.o.Confirm = nil // it asks nothing
	}
	if problems, err = p.load(); err != nil {
		return nil, configError{err}
	}
	face := or(p.c.Profile, profile.Default)
	if !slices.Contains(profile.Names(), face) {
		err := p.c.Unknown("profile", face, profile.Names())
		if !p.o.Lenient {
			return nil, configError{err}
		}
		problems, face = append(problems, err), profile.Default
	}
	if p.face, err = profile.Load(face); err != nil {
		return nil, configError{err}
	}
	if p.o.Model && !p.o.Demo && !p.resumes() { // a session may have a model of its own
		if err := p.c.Ready(); err != nil {
			return nil, configError{err}
		}
	}
	if p.dir, err = p.c.State(); err != nil {
		return nil, configError{err}
	}
	return problems, nil
}

// load reads the configuration; the person may be asked to trust it.
func (p *product) load() (problems []error, err error) {
	src, trust, err := p.source()
	if err != nil {
		return nil, err
	}
	p.c, err = config.Load(src)
	if ask, ok := errors.AsType[*config.UntrustedError](err); ok && p.confirmed(ask) {
		for path, hash := range ask.Files() {
			if err := trust.Add(path, hash); err != nil {
				return nil, err
			}
		}
		p.c, err = config.Load(src)
	}
	if err == nil || !p.o.Lenient {
		return nil, err
	}
	// Whoever only looks goes on without files and flags, then without the environment, if that is at fault; where the state is
	// kept and the language stay as they were said.
	problems = append(problems, err)
	src.NoFiles, src.SkipUntrusted, src.Flags = true, true, map[string]string{}
	for _, name := range []string{"state-dir", "lang"} {
		if value := p.o.Flags[name]; value != "" {
			src.Flags[name] = value
		}
	}
	home := only(p.o.Env, "HOME", "USERPROFILE")
	places := append(only(p.o.Env, "REACT_AGENT_STATE_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "REACT_AGENT_LANG", "LC_ALL", "LC_MESSAGES", "LANG"), home...)
	for i, environ := range [][]string{p.o.Env, places, home} {
		if src.Environ = environ; i == 2 {
			src.Flags = map[string]string{}
		}
		if p.c, err = config.Load(src); err == nil {
			break
		}
		if err.Error() != problems[len(problems)-1].Error() { // one fault is one problem
			problems = append(problems, err)
		}
	}
	return problems, err
}

// only is what an environment says of some variables.
func only(environ []string, names ...string) (out []string) {
	for _, name := range names {
		if value := config.Getenv(environ, name); value != "" {
			out = append(out, name+"="+value)
		}
	}
	return out
}

// source is everything the configuration is made of.
func (p *product) source() (config.Source, config.TrustFile, error) {
	_, wd, err := config.Environment()
	if err != nil {
		return config.Source{}, config.TrustFile{}, err
	}
	src := config.Source{Flags: p.o.Flags, Environ: p.o.Env, WorkDir: wd, Vendors: vendors(p.o.Env), NoFiles: p.o.Demo, AsksProgram: asksProgram}
	if p.o.Demo {
		src.Flags = map[string]string{"api": "offline"}
		for name, value := range p.o.Flags {
			if name != "api" && name != "provider" && name != "base-url" && name != "model" {
				src.Flags[name] = value
			}
		}
	}
	var trust config.TrustFile
	if dirs, err := config.FindDirs(p.o.Env); err == nil {
		trust.Path = filepath.Join(dirs.State, "user", "trust")
		src.Trusted = trust.Trusted
	}
	return src, trust, nil
}

// confirmed asks the person whether files of the work directory may be trusted.
func (p *product) confirmed(e *config.UntrustedError) bool {
	if p.o.Confirm == nil {
		return false
	}
	c := msg.For(config.Language(config.Source{Flags: p.o.Flags, Environ: p.o.Env}))
	return p.o.Confirm(c.Err(e)+"\n"+c.Text(msg.TrustQuestion)) == command.Yes
}

// resumes reports whether the person goes on with a session.
func (p *product) resumes() bool {
	return slices.ContainsFunc([]string{"continue", "resume", "session"}, func(name string) bool { return p.o.Flags[name] != "" })
}

// canRun says why nothing can run, before anything is said: the settings' model, or what flags choose for a session, cannot be
// used. What a session chose itself may have become of no use; that is said when it is asked, and /model takes another.
func (p *product) canRun(ctx context.Context) error {
	if !p.o.Model || p.o.Demo {
		return nil
	}
	id, stored, err := p.goesOn(ctx)
	if err != nil { // what is wrong with an id is not the first thing to mend
		if err := p.c.Ready(); err != nil {
			return configError{err}
		}
		return nil
	}
	now := stored
	flagged := p.flagged(id)
	if flagged {
		if now, err = p.byFlags(stored); err != nil {
			return err
		}
	}
	if flagged || stored == (choice{}) {
		if _, err := p.openChoice(now); err != nil {
			return err
		}
	}
	if p.o.Warn != nil {
		p.tellModel(stored, now)
		p.tellDoubts(now)
	}
	return nil
}

// goesOn finds the session that the person goes on with, "" = a new one, and what it chose.
func (p *product) goesOn(ctx context.Context) (id string, c choice, err error) {
	switch f := p.o.Flags; {
	case f["continue"] != "":
		for info, err := range p.engine.List(ctx, "") {
			if err != nil {
				return "", c, err
			}
			if !strings.Contains(info.ID, ".") {
				id = info.ID
				break
			}
		}
	case or(f["resume"], f["session"]) == "":
		return "", c, nil
	default:
		if id, err = store.CleanID(or(f["resume"], f["session"])); err != nil {
			return "", c, err
		}
	}
	c, err = p.choiceOf(ctx, id)
	return id, c, err
}

// tellModel shows a model that was chosen for the person, who named none: now, where the session had stored.
func (p *product) tellModel(stored, now choice) {
	model, vendor := or(now.Model, p.c.Model), or(now.Provider, p.c.Provider)
	chosen := p.c.Origin("model").Layer == config.LayerVendor && !strings.Contains(p.o.Flags["model"], "/")
	if stored != (choice{}) {
		chosen = p.o.Flags["model"] == "" && stored.Provider != now.Provider && model == p.preset(vendor).DefaultModel
	}
	if chosen && model != "" && (or(now.API, p.c.API) != commandAPI || model != "default") && p.c.Presets[vendor].DefaultModel == "" {
		p.o.Warn(msg.For(p.c.Language).Text(msg.ModelChosen, model, vendor))
	}
}

// tellDoubts shows what looks like a vendor's name with a slip in it, and is asked of the vendor in use.
func (p *product) tellDoubts(now choice) {
	if p.o.Flags["model"] != "" && p.o.Flags["provider"] == "" && p.o.Flags["base-url"] == "" {
		if doubt := p.doubt(or(now.Provider, p.c.Provider), or(now.Model, p.c.Model)); doubt != "" {
			p.o.Warn(doubt)
		}
	}
	for _, name := range p.c.Fallback {
		t, err := p.namedTarget(name)
		if doubt := p.doubt(t.Provider, t.Model); err == nil && doubt != "" {
			p.o.Warn(doubt)
		}
	}
}

// doubt says of a model's id that it may be another vendor's name with a slip in it; "" = it is surely none.
func (p *product) doubt(vendor, model string) string {
	head, near := p.c.TakenForID(vendor, model)
	if head == "" || p.knows(vendor, model) {
		return ""
	}
	c := msg.For(p.c.Language)
	text := c.Text(msg.ConfigTakenForID, head, vendor, model)
	if near != "" {
		text = c.Text(msg.ConfigNear, text, near)
	}
	return text
}
