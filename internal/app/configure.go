package app

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

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
	p.tellModel()
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
	// Whoever only looks goes on without files and flags, then without the environment, if that is at fault.
	problems = append(problems, err)
	src.NoFiles, src.SkipUntrusted, src.Flags = true, true, map[string]string{}
	if p.c, err = config.Load(src); err != nil {
		problems = append(problems, err)
		home := config.Getenv(p.o.Env, "HOME")
		src.Environ = []string{"HOME=" + home, "USERPROFILE=" + config.Getenv(p.o.Env, "USERPROFILE")}
		p.c, err = config.Load(src)
	}
	return problems, err
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

// tellModel shows a model that was chosen for the person.
func (p *product) tellModel() {
	if p.o.Model && p.o.Warn != nil && p.c.Model != "" && p.c.Origin("model").Layer == config.LayerVendor {
		p.o.Warn(msg.For(p.c.Language).Text(msg.ModelChosen, p.c.Model, p.c.Provider))
	}
}

// resumes reports whether the person goes on with a session.
func (p *product) resumes() bool {
	return slices.ContainsFunc([]string{"continue", "resume", "session"}, func(name string) bool { return p.o.Flags[name] != "" })
}

// canRun says why nothing can run, unless the session that the person goes on with has a model of its own. Which one is the
// latest is found out later, and so is what it lacks.
func (p *product) canRun(ctx context.Context) error {
	err := p.c.Ready()
	if err == nil || !p.o.Model || p.o.Demo || p.o.Flags["continue"] != "" {
		return nil
	}
	id, bad := store.CleanID(or(p.o.Flags["resume"], p.o.Flags["session"]))
	c := choice{}
	if bad == nil {
		c, bad = p.choiceOf(ctx, id)
	}
	if bad != nil || c == (choice{}) { // what is wrong with an id is not the first thing to mend
		return configError{err}
	}
	return nil
}
