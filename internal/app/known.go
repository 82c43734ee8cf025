package app

import (
	"context"
	"slices"

	"react-agent/internal/config"
	"react-agent/internal/msg"
	"react-agent/kit/profile"
	"react-agent/kit/skill"
	"react-agent/skills"
)

// knownSkills are all skills that could load in the work directory, for those who only look: also those that come with the
// program where this profile does not use them, and with trusted also those of a project that is not.
func (p *product) knownSkills(ctx context.Context, trusted bool) (*skill.Set, error) {
	w, err := p.world(ctx, "")
	if err != nil {
		return nil, err
	}
	roots := p.skillRoots(w.root)
	if !p.usesShipped() {
		roots = append(roots, p.unpackedRoot()...)
	}
	strict := p.face.Skills.Strict
	if p.c.Skills.Strict != nil {
		strict = *p.c.Skills.Strict
	}
	return skill.Load(ctx, skill.Options{
		Roots: roots, Untrusted: !trusted && !p.content.Trusted(), Strict: strict, Loose: p.face.Skills.Loose, Installed: p.installed(w.root),
	})
}

// shippedUsers names the profiles that use the skills that come with the program; nil: this one does.
func (p *product) shippedUsers() (names []string) {
	if p.usesShipped() {
		return nil
	}
	for _, name := range profile.Names() {
		if face, err := profile.Load(name); err == nil && face.Skills.Shipped {
			names = append(names, name)
		}
	}
	return names
}

// shippedNames are the folders of the skills that come with the program. For these nothing is unpacked.
func shippedNames() (names []string) {
	list, err := skills.Files.ReadDir(".")
	if err != nil {
		return nil
	}
	for _, d := range list {
		if f, err := skills.Files.Open(d.Name() + "/SKILL.md"); err == nil {
			_ = f.Close()
			names = append(names, d.Name())
		}
	}
	return names
}

// trustSkill records that the person has seen the files of a skill that are new in a folder: its programs run without a
// question until they change. What is there and was neither shown nor trusted before is asked about as ever.
func (p *product) trustSkill(dir string, shown map[string]string) error {
	now, err := config.HashContent(dir)
	if err != nil {
		return nil //nolint:nilerr // it is asked about, and the reason told, when it is to run
	}
	changed, _ := p.content.file.Changed(now)
	if slices.ContainsFunc(changed, func(name string) bool { return shown[name] != now.Files[name] }) {
		return nil
	}
	return p.content.file.AddContent(now)
}

// untrustedHere says why what this project brings is not used; "" if it is.
func (p *product) untrustedHere() string {
	switch {
	case p.content.Trusted():
		return ""
	case p.content.refused:
		return p.host.Msg.Text(msg.ContentRefused, p.content.file.Path) + "; " + p.host.Msg.Text(msg.ContentFixRefused)
	}
	return p.host.Msg.Text(msg.InstallHeld)
}
