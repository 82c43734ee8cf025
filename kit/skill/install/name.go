package install

import (
	"strings"
	"unicode"

	"react-agent/kit/skill"
)

// sameName compares names as the loader does.
func sameName(a, b string) bool { return skill.NormalizeSkillName(a) == skill.NormalizeSkillName(b) }

// maxFolder is the longest name of a folder, in bytes.
const maxFolder = 255

// npmFolder is the folder that the npm program makes for a name: lower case, a hyphen for every run of other characters,
// no dots and hyphens at the ends. Empty: nothing is left of the name.
func npmFolder(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '_' {
			if gap {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
			continue
		}
		gap = true
	}
	out := strings.Trim(b.String(), ".-")
	if len(out) > maxFolder {
		out = out[:maxFolder]
	}
	return out
}

// Folder is the name of the folder that a skill is installed in: as the npm program makes it, and for a name without any
// Latin letter or digit the name itself, made harmless. Empty: nothing can be made of the name.
func Folder(name string) string {
	if f := npmFolder(name); f != "" {
		return harmless(f)
	}
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			b.WriteRune(r)
		} else if s := b.String(); s != "" && !strings.HasSuffix(s, "-") {
			b.WriteByte('-')
		}
	}
	out := strings.TrimRight(b.String(), "-")
	for len(out) > maxFolder {
		out = string([]rune(out)[:len([]rune(out))-1])
	}
	return out
}

// harmless keeps names away that are devices elsewhere.
func harmless(name string) string {
	stem, _, _ := strings.Cut(name, ".")
	if reserved(stem) {
		return name + "-skill"
	}
	return name
}

// reserved are names of devices on Windows.
func reserved(stem string) bool {
	switch s := strings.ToLower(strings.TrimRight(stem, " ")); s {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	default:
		return len(s) == 4 && (strings.HasPrefix(s, "com") || strings.HasPrefix(s, "lpt")) && s[3] >= '0' && s[3] <= '9'
	}
}

// folderNames are the folders that an entry of this name may stand for: ours and the npm program's.
func folderNames(name string) []string {
	ours, theirs := Folder(name), npmFolder(name)
	if theirs == "" {
		theirs = "unnamed-skill"
	}
	if ours == theirs || ours == "" {
		return []string{theirs}
	}
	return []string{ours, theirs}
}
