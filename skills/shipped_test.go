package skills_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"react-agent/kit/skill"
	"react-agent/skills"
)

// Everything that belongs to a skill is shipped, and nothing else.
func TestShippedFiles(t *testing.T) {
	shipped := map[string]bool{}
	if err := fs.WalkDir(skills.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			shipped[name] = true
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	no := regexp.MustCompile(`_test\.|(^|/)test|\.pyc$|__pycache__|AGENTS|\.go$`)
	for name := range shipped {
		if no.MatchString(name) {
			t.Errorf("%s is shipped", name)
		}
	}
	folders, err := fs.Glob(os.DirFS("."), "*/SKILL.md")
	if err != nil || len(folders) < 7 {
		t.Fatal(folders, err)
	}
	for _, f := range folders {
		err := fs.WalkDir(os.DirFS("."), path.Dir(f), func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !shipped[name] && !no.MatchString(name) {
				t.Errorf("%s is not shipped: add its kind to embed.go", name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func loaded(t *testing.T) []*skill.Skill {
	t.Helper()
	set, err := skill.Load(t.Context(), skill.Options{Roots: []skill.Root{{Path: fullPath(t, "."), Scope: skill.System}}, Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range set.Diagnostics() {
		if d.Code != skill.NameInvalid { // system_health and paper_search are called so
			t.Errorf("%s", d.String())
		}
	}
	return set.All()
}

// What holds for all skills of the house: found by people of both languages, short, without keys, without words of a
// program in the part that every program reads.
func TestShippedSkills(t *testing.T) {
	var names []string
	for _, k := range loaded(t) {
		names = append(names, k.Name)
		d := k.Description
		if !strings.ContainsFunc(d, func(r rune) bool { return unicode.Is(unicode.Han, r) }) || !regexp.MustCompile(`(?i)use (it )?(for|when|to)`).MatchString(d) || len([]rune(d)) > 600 {
			t.Errorf("%s: %s", k.Name, d)
		}
		text, err := os.ReadFile(k.File)
		if err != nil {
			t.Fatal(err)
		}
		if bad := regexp.MustCompile(`run_shell_command|skill_view|skills_list|get_skill|list_skills|run_script|spawn_subagent|run_[\w-]+_pipeline|(?i)react[-_]agent`).FindString(string(text)); bad != "" {
			t.Errorf("%s: SKILL.md names %s", k.Name, bad)
		}
		if strings.Count(string(text), "\n") > 200 {
			t.Errorf("%s: SKILL.md is long", k.Name)
		}
		if _, notes := k.Offline(); len(notes) > 0 {
			t.Errorf("%s: %s", k.Name, notes[0].String())
		}
	}
	for _, want := range []string{"hello", "now", "system_health", "weather", "translate", "summarize", "idea-spark"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is missing in %v", want, names)
		}
	}
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).Output()
	if err != nil {
		t.Fatalf("%s %q: %v", name, args, err)
	}
	return string(out)
}

type report struct {
	City, Temp, Condition, Humidity, Wind, Error string
	Known                                        []string
}

// Both scripts of the weather say the same, whatever they are asked.
func TestWeatherScripts(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("needs node")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs sh")
	}
	both := func(args ...string) (r report) {
		t.Helper()
		js := output(t, "node", append([]string{"weather/weather.js"}, args...)...)
		if sh := output(t, "sh", append([]string{"weather/weather.sh"}, args...)...); sh != js {
			t.Errorf("%q:\n%s%s", args, js, sh)
		}
		if err := json.Unmarshal([]byte(js), &r); err != nil || strings.Count(js, "\n") != 1 {
			t.Errorf("%q: %v %s", args, err, js)
		}
		return r
	}
	zh, en := both("火星").Known, both("Mars").Known
	if len(zh) < 20 || len(zh) != len(en) {
		t.Fatalf("%q %q", zh, en)
	}
	for _, city := range []string{"深圳市", " 深圳 ", "SHEN ZHEN", "Xi'an", "哈尔滨", "Moscow"} {
		r := both(city)
		if r.Error != "" || r.City == "" || r.Condition == "" || !regexp.MustCompile(`^-?\d+°C$`).MatchString(r.Temp) || !regexp.MustCompile(`^\d+%$`).MatchString(r.Humidity) || r.Wind == "" {
			t.Errorf("%s: %+v", city, r)
		}
		if han := regexp.MustCompile(`\p{Han}`); han.MatchString(city) != han.MatchString(r.City+r.Condition+r.Wind) {
			t.Errorf("%s: %+v is in another language", city, r)
		}
	}
	if r := both("深圳"); r.City+r.Temp+r.Condition+r.Humidity+r.Wind != "深圳28°C阵雨78%南风4级" {
		t.Errorf("%+v", r)
	}
	if r := both("New", "York"); r.City != "New York" {
		t.Errorf("%+v", r)
	}
	for _, odd := range [][]string{{}, {`a"b\c & \\`}, {"$(touch x)`y`"}, {"a\tb\nc"}, {"*"}, {"北京|x"}, {"'"}, {"市"}, {"Zürich"}, {"ひろしま"}} {
		if r := both(odd...); r.Error == "" || len(r.Known) == 0 || r.City != "" {
			t.Errorf("%q: %+v", odd, r)
		}
	}
}

func TestScriptsOfTheClockAndOfHealth(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs sh")
	}
	if now := output(t, "sh", "now/now.sh"); !regexp.MustCompile(`^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d \S+ \([A-Z][a-z]+day\)\n$`).MatchString(now) {
		t.Errorf("%q", now)
	}
	out := output(t, "sh", "system_health/scripts/health.sh")
	for line := range strings.Lines(out) {
		if !regexp.MustCompile(`^(load|cpus|memory|swap|disk|uptime|busy) \S`).MatchString(line) {
			t.Errorf("%q", line)
		}
	}
	if !strings.Contains(out, "disk ") {
		t.Error(out)
	}
}
