//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"react-agent/provider/providertest"
)

// project makes a work directory with what a project may bring along.
func project(t *testing.T) string {
	t.Helper()
	work := filepath.Join(t.TempDir(), "work")
	for name, text := range map[string]string{
		".git/HEAD":                    "ref: refs/heads/main\n",
		"AGENTS.md":                    "ROOT RULE\n",
		"skills/deploy/SKILL.md":       "---\nname: deploy\ndescription: deploys\n---\nDeploy.\n",
		"skills/deploy/scripts/run.sh": "echo hi\n",
		"skills/plain/SKILL.md":        "---\nname: plain\ndescription: plain\n---\nPlain.\n",
	} {
		path := filepath.Join(work, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return work
}

// says has one turn of a conversation, and gives what the model was sent.
func says(t *testing.T, c *terminal, srv *providertest.Server, n int) string {
	t.Helper()
	c.until("> ")
	c.keys("hi\n")
	c.until("fine")
	c.until("> ")
	c.keys("exit\n")
	c.ends(0)
	bodies := srv.Bodies()
	if len(bodies) != n {
		t.Fatalf("%d requests, wanted %d", len(bodies), n)
	}
	return bodies[n-1]
}

func model(t *testing.T) *providertest.Server {
	t.Helper()
	srv := providertest.New(t.Context(), providertest.MustParse("* SAY fine"))
	t.Cleanup(srv.Close)
	return srv
}

const trustQuestion = "Use all this?"

func TestWhatAProjectBringsIsAskedAboutOnce(t *testing.T) {
	work, srv := project(t), model(t)
	c := startAt(t, work, srv.Env())
	c.until("brings what an agent follows, once you trust it:")
	c.until("instructions (1): AGENTS.md")
	c.until("skills (2): deploy, plain")
	c.until("programs they may run (as they are now) (1): skills/deploy/scripts/run.sh")
	c.until(trustQuestion)
	c.keys("y\n")
	if body := says(t, c, srv, 1); !strings.Contains(body, "ROOT RULE") {
		t.Errorf("the instructions were not used: %s", body)
	}
	c = startAt(t, filepath.Join(work, "skills"), append(srv.Env(), "HOME="+filepath.Dir(work)))
	if body := says(t, c, srv, 2); !strings.Contains(body, "ROOT RULE") {
		t.Errorf("the answer was not kept for the project: %s", body)
	}
	if strings.Contains(c.all(), trustQuestion) {
		t.Error("asked twice")
	}
}

// TestTheDemoKnowsWhatWasDecided: it asks nothing by itself.
func TestTheDemoKnowsWhatWasDecided(t *testing.T) {
	work, srv := project(t), model(t)
	c := startAt(t, work, srv.Env(), "demo", "/plain")
	c.until("/plain is in this project")
	c.ends(2)
	said := strings.Join(strings.Fields(c.all()), " ") // wherever the lines end
	if want := "left out, as this project is not trusted: instructions (1): AGENTS.md; skills (2): deploy, plain"; !strings.Contains(said, want) {
		t.Errorf("%q is not in %q", want, said)
	}
	if strings.Contains(c.all(), trustQuestion) {
		t.Error("the demo asked")
	}
	c = startAt(t, work, srv.Env())
	c.until(trustQuestion)
	c.keys("y\n")
	says(t, c, srv, 1)
	c = startAt(t, work, srv.Env(), "demo", "/plain")
	c.until("plain")
	c.ends(0)
	if strings.Contains(c.all(), "left out") {
		t.Error("trust that was given does not count")
	}
	c = startAt(t, t.TempDir(), srv.Env(), "demo")
	c.until("to converse with the table of rules: react-agent --api offline")
	c.until("no question was given, so it answers this one: What time is it?")
	c.until("It is 20")
	c.ends(0)
}

func TestANoIsKeptToo(t *testing.T) {
	work, srv := project(t), model(t)
	c := startAt(t, work, srv.Env())
	c.until(trustQuestion)
	c.keys("n\n")
	c.until("left out, as you decided: instructions (1): AGENTS.md; skills (2): deploy, plain")
	if body := says(t, c, srv, 1); strings.Contains(body, "ROOT RULE") {
		t.Errorf("the instructions were used: %s", body)
	}
	c = startAt(t, work, srv.Env())
	c.until("left out, as you decided")
	if body := says(t, c, srv, 2); strings.Contains(body, "ROOT RULE") || strings.Contains(c.all(), trustQuestion) {
		t.Errorf("asked again, or the instructions were used: %s", body)
	}
	// The line that it names can be taken out.
	record := filepath.Join(filepath.Dir(work), ".local", "state", "react-agent", "user", "trust")
	if err := os.Remove(record); err != nil {
		t.Fatal(err)
	}
	c = startAt(t, work, srv.Env())
	c.until(trustQuestion)
	c.keys("\n")
	c.until("left out, as this project is not trusted")
	if body := says(t, c, srv, 3); strings.Contains(body, "ROOT RULE") {
		t.Errorf("the instructions were used: %s", body)
	}
	c = startAt(t, work, srv.Env()) // nothing was typed: that was for once
	c.until(trustQuestion)
	c.keys(ctrlC)
	c.ends(130)
	if _, err := os.Stat(record); !os.IsNotExist(err) {
		t.Errorf("something was recorded: %v", err)
	}
}

func TestTheQuestionInChinese(t *testing.T) {
	work, srv := project(t), model(t)
	c := startAt(t, work, srv.Env(), "--lang", "zh")
	c.until("信任之后智能体才会照做")
	c.until("会运行的程序（按现在的内容） (1): skills/deploy/scripts/run.sh")
	c.keys("是\n")
	if body := says(t, c, srv, 1); !strings.Contains(body, "ROOT RULE") {
		t.Errorf("the instructions were not used: %s", body)
	}
}

func TestChangedProgramsAreAskedAboutAgain(t *testing.T) {
	work, srv := project(t), model(t)
	own := filepath.Join(work, "skills", "own", "SKILL.md")
	write := func(word string) {
		t.Helper()
		text := "---\nname: own\ndescription: says what it does\n---\nToday: !`echo made by " + word + "`\n"
		if err := os.MkdirAll(filepath.Dir(own), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(own, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	turn := func(c *terminal, want string) {
		t.Helper()
		c.until("fine")
		c.until("> ")
		bodies := srv.Bodies()
		if body := bodies[len(bodies)-1]; !strings.Contains(body, want) {
			t.Errorf("%q is not in %s", want, body)
		}
	}
	write("one")
	c := startAt(t, work, srv.Env(), "--yolo")
	c.until("programs they may run (as they are now) (2): skills/deploy/scripts/run.sh, skills/own/SKILL.md")
	c.until(trustQuestion)
	c.keys("y\n")
	c.until("> ")
	c.keys("/own\n")
	turn(c, "Today: made by one")
	write("two")
	c.keys("/clear\n") // a new session, which loads anew
	c.until("> ")
	c.keys("/own\n")
	c.until("has changed since you trusted it (SKILL.md). Run its programs, and remember them as they are now?")
	c.keys("n\n")
	turn(c, "not run: the programs in ")
	c.keys("/clear\n")
	c.until("> ")
	c.keys("/own\n")
	c.until("has changed since you trusted it")
	c.keys("y\n")
	turn(c, "Today: made by two")
	c.keys("/clear\n")
	c.until("> ")
	c.keys("/own\n")
	turn(c, "Today: made by two")
	c.keys("exit\n")
	c.ends(0)
	c.sound(srv)
}
