package policy

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"react-agent/agent"
)

// FuzzJudge: no text makes the analyser fall over, and a deny rule that surely matches is never lost for an allow rule.
func FuzzJudge(f *testing.F) {
	for _, c := range append(attacks(f), good()...) {
		f.Add(c)
	}
	for _, c := range []string{" ", "<0", "bash(", "=)", "a)", ">.", ">./", ">../x", ">'[a]'", ">'*'", ">a/.", ">/"} {
		f.Add(c)
	}
	rules := usual(f)
	free := Options{Rules: Rules{Allow: append(rule(f, "bash", "*"), rules.Allow...), Deny: rules.Deny}, Root: f.TempDir()}
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, c string) {
		if c == "" {
			return
		}
		only := command(t, Options{Mode: Yolo, Rules: Rules{Deny: rules.Deny}, Root: root}, c)
		all := command(t, free, c)
		if only.Verdict != agent.Pass && all.Verdict == agent.Pass {
			t.Errorf("an allow rule lifted a deny rule: %q", c)
		}
		asked := command(t, Options{Root: root}, c)
		if asked.Verdict != agent.AskFirst || asked.Reason == "" {
			t.Errorf("%q without rules: %+v", c, asked)
		}
		for _, r := range asked.Rules {
			if _, err := ParseRule(r); err != nil {
				t.Errorf("offered a rule that cannot be read: %v", err)
			}
		}
		if again := command(t, Options{Root: root, Rules: Rules{Allow: rule(t, asked.Rules...)}}, c); len(asked.Rules) > 0 && again.Verdict != agent.Pass {
			t.Errorf("%q is asked again after %q: %s", c, asked.Rules, again.Reason)
		}
	})
}

// fragments are what scripts are made of. None of them can define a function, so no script calls itself.
func fragments() []string {
	return strings.Split("rm|keep.txt| |  |\n|;|&&|||&|(|)|{ |; }|$(|`|'|\"|\\|$|${x:-|${x#|}|$x|\"$x\"|x=rm|x='rm keep.txt'|<<E\n|\nE\n|<<'E'\n|<<-E\n|"+
		"<|>|/dev/null|echo|git|ls|cat|find| . | -exec | \\;|[[ | ]]|((|))|$((|$[|]|eval |bash -c |sh -c |env |timeout 5 |xargs |nice |if |; then |; fi|for x in |"+
		"; do |; done|case x in x) |;; esac|$'|\\x72m|~|*|?|[r]m|{rm,x}|#|!|-c |@(|<(|>(|<<<|%|=|trap |'rm keep.txt'|\"rm keep.txt\"|time |coproc |command |exec |&>|2>&1|x|\t|"+
		"a[|1|+|-v |\\\n|\"$(|)\"|\"${x:-|}\"|-n1 |a=b |LC_ALL=C |;;|read x|unset |export |local |test |[ |status|log|.|/|-|:|,|^|declare |printf |set |else |elif |while |until |0<&1 |3>&- ", "|")
}

func scriptOf(data []byte) string {
	parts := fragments()
	parts = append(parts, "||", "|")
	var b strings.Builder
	for _, d := range data {
		b.WriteString(parts[int(d)%len(parts)])
	}
	return b.String()
}

// FuzzOnlyAllowedRuns makes scripts of fragments. What is let through is run where every program is a stub that writes
// down its name: none but the allowed ones may be there.
func FuzzOnlyAllowedRuns(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(randomScript(rand.New(rand.NewPCG(seed, 1))))
	}
	w := newWorld(f)
	o := Options{Rules: usual(f), Root: w.dir}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 60 {
			return
		}
		w.check(t, o, scriptOf(data))
	})
}

func (w world) check(t *testing.T, o Options, c string) (passed bool) {
	t.Helper()
	if c == "" || command(t, o, c).Verdict != agent.Pass {
		return false
	}
	for name := range w.runs(t, c) {
		if !strings.Contains(" git ls cat find ", " "+name+" ") {
			t.Errorf("%s ran: %q", name, c)
		}
	}
	return true
}

// randomScript begins with something allowed and goes on with anything.
func randomScript(r *rand.Rand) []byte {
	data := make([]byte, 3+r.IntN(14))
	for i := range data {
		data[i] = byte(r.UintN(256))
	}
	return data
}

// TestOnlyAllowedRuns does the same for scripts from a fixed seed, most of which can be read: they are good commands with
// fragments put in. A plain sh must not run more than bash either, when it is told of.
func TestOnlyAllowedRuns(t *testing.T) {
	for _, shell := range []string{"bash", "sh"} {
		t.Run(shell, func(t *testing.T) {
			w := newWorld(t)
			if sh, err := exec.LookPath(shell); err == nil {
				w.bash = sh
			}
			w.mutate(t, Options{Rules: usual(t), Root: w.dir, Shell: shell}, 100)
		})
	}
}

// mutate runs so many scripts that are let through.
func (w world) mutate(t *testing.T, o Options, want int) {
	r := rand.New(rand.NewPCG(7, 7))
	parts, start := fragments(), good()
	passed := 0
	for range 400 * want {
		c := start[r.IntN(len(start))]
		if strings.HasPrefix(c, "until") { // it goes on for ever
			continue
		}
		for range 1 + r.IntN(4) {
			at := r.IntN(len(c) + 1)
			c = c[:at] + parts[r.IntN(len(parts))] + c[at:]
		}
		if w.check(t, o, c) {
			passed++
		}
		if passed == want {
			return
		}
	}
	t.Errorf("only %d scripts were let through", passed)
}
