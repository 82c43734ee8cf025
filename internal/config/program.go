package config

import (
	"path/filepath"
	"slices"
	"strings"

	"react-agent/internal/msg"
)

const (
	// agentCLI is the variable that names the program to ask, by a preset's name, a program's name, or a path.
	agentCLI = "AGENT_CLI"
	// usualProgram is asked when a program is wanted and nobody says which.
	usualProgram = "codebuddy"
	// programsChoice stands for the model that a program takes by itself.
	programsChoice = "default"
)

// program finds the program that is asked, if one is wanted: by the wire, by AGENT_CLI, or by the profile.
func (l *loader) program(table []Vendor) (v Vendor, wanted, ok bool) {
	c := l.c
	named, set := l.lookup(agentCLI)
	address := c.origins["api_base"]
	by, wanted := l.programWanted(set && named.origin.Layer >= address.Layer)
	if !wanted {
		return v, false, false
	}
	if c.APIBase != "" && address.Name != "OPENAI_BASE_URL" {
		l.ignore("api_base", address, msg.Errorf(msg.ConfigProgramBase))
	}
	c.APIBase = ""
	delete(c.origins, "api_base")
	if !set {
		v, ok = find(table, usualProgram)
		c.Provider, c.origins["provider"] = v.Name, by
		return v, true, ok
	}
	name := ""
	l.set(field{key: "agent_cli", to: &name, guard: always}, "agent_cli", text(named.value, named.origin))
	if name == "" {
		return v, true, false // it waits for the person's trust
	}
	if v, ok = programNamed(table, name); !ok {
		l.fail(noProgram(table, named.origin, name))
		return v, true, false
	}
	if strings.ContainsAny(name, `/\`) {
		c.Program = name
	}
	c.Provider, c.origins["provider"] = v.Name, named.origin
	return v, true, true
}

// noProgram is the error that nobody knows a program, with all that are known and how others are made known.
func noProgram(table []Vendor, o Origin, name string) error {
	var known []string
	for _, v := range table {
		if v.wire() == apiCommand {
			known = append(append(known, v.Name), v.Programs...)
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	err := msg.Errorf(msg.ConfigNoProgram, o, agentCLI, name, strings.Join(known, ", "))
	if near := Nearest(filepath.Base(name), known); near != "" {
		return msg.Errorf(msg.ConfigNear, err, near)
	}
	return err
}

// programWanted reports whether a program is asked, and which setting wants it. named: AGENT_CLI does, and no stronger layer
// names an address.
func (l *loader) programWanted(named bool) (by Origin, wanted bool) {
	c := l.c
	by = c.origins["api"]
	switch {
	case c.API != "":
		return by, c.API == apiCommand
	case named:
		return by, true
	case c.APIBase != "":
		return by, false
	}
	by = c.origins["profile"]
	if l.src.AsksProgram == nil || !l.src.AsksProgram(c.Profile) {
		return by, false
	}
	return by, !by.inWorkDir() || l.admit(field{}, "profile", text(c.Profile, by)) // it says who is sent what is said
}

// programNamed finds a vendor by its name or by its program's, which may be a path.
func programNamed(table []Vendor, name string) (Vendor, bool) {
	if v, ok := find(table, name); ok && v.wire() == apiCommand {
		return v, true
	}
	base := filepath.Base(filepath.FromSlash(strings.ReplaceAll(name, `\`, "/")))
	for _, suffix := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		base = strings.TrimSuffix(base, suffix)
	}
	for _, v := range table {
		if slices.Contains(v.Programs, base) {
			return v, true
		}
	}
	return Vendor{}, false
}
