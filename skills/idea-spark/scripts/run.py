#!/usr/bin/env python3
"""The next-loop of idea-spark: says what the next step is, and does the steps that need no thinking.

    run.py next --dir RUNDIR --query TEXT     prints the next step as one block; only reads

The other commands do one step each: retrieve, partition, tags, gate, reject, archive, restore, revised, brief, conclude,
check, render. All of them may be run again; a file appears whole or not at all. State is nothing but the files in
RUNDIR, so a run that was ended in any way goes on where it was. Exit codes: 0 done, 1 something is missing or wrong in
the run folder, 2 a bad argument.
"""
import argparse
import json
import os
import re
import sys
import tempfile

BAR = "━" * 72
SKILL = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLACEHOLDER = "q1|q2|q3|q4"
TITLES = "Title A|Title B"
HITS = 8          # notes that a run works with
RETRIES = 2       # further attempts at a reply that cannot be used
AUDITS = 3        # looks at an idea before the run gives up

BRIEF = "phase0/brief.md"
FOUND = "phase0/hits.json"
PARTS = "phase0/partition.json"
TAG_INPUT = "phase0/tag_input.md"
TAGS = "phase0/tags.json"
BOTTLENECK = "phase1/phase1_output.json"
CANDIDATES = "phase2/candidates.json"
GATE = "phase2/gate.json"
IDEA = "phase3/idea.json"
AUDIT_INPUT = "phase3/audit_input.md"
AUDIT = "phase3/audit.json"
CARDS = "phase4/cards.json"
PAGES = ["phase4/card_1_idea.md", "phase4/card_2_method.md", "phase4/card_3_first_experiment.md"]
REFUSED = "do_not_generate.md"
REVISED = ".revised"  # in attempt_N: the idea was worked on after that audit


# --- files ---------------------------------------------------------------------------------------------------------

class Run:
    """The run folder, the query, and how commands name them."""

    def __init__(self, folder, query=""):
        self.folder = folder
        self.query = clean(query)

    def path(self, name):
        return os.path.join(self.folder, *name.split("/"))

    def there(self, name):
        return os.path.isfile(self.path(name))

    def text(self, name):
        with open(self.path(name), encoding="utf-8", errors="replace") as f:
            return f.read()

    def data(self, name):
        """The JSON of a file, also when it stands in a code fence; None if there is none."""
        if not self.there(name):
            return None
        text = re.sub(r"^\s*```\w*\s*\n|\n\s*```\s*$", "", self.text(name).strip())
        try:
            return json.loads(text)
        except ValueError:
            return None

    def write(self, name, text):
        target = self.path(name)
        os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
        handle, part = tempfile.mkstemp(dir=os.path.dirname(target) or ".", prefix=".part-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as f:
                f.write(text)
            os.replace(part, target)
        except BaseException:
            os.unlink(part)
            raise

    def save(self, name, value):
        self.write(name, json.dumps(value, ensure_ascii=False, indent=1) + "\n")

    def move(self, name, target):
        """Renames a file, in one step; one that was moved before stays where it is."""
        if self.there(name):
            os.makedirs(os.path.dirname(self.path(target)), exist_ok=True)
            os.replace(self.path(name), self.path(target))

    def command(self, name, rest=""):
        return 'python3 "%s" %s --dir "%s"%s' % (quoted(os.path.join(SKILL, "scripts", "run.py")), name, quoted(self.folder), rest)

    def count(self, pattern):
        """How many files there are of a name with a number in it, from 1 on."""
        n = 0
        while self.there(pattern % (n + 1)):
            n += 1
        return n

    def attempts(self, phase):
        """How many attempts of a phase were judged and put away."""
        return self.count("phase%d/attempt_%%d/%s" % (phase, {2: "candidates.json", 3: "audit.json"}[phase]))

    def rejected(self, name):
        """How many replies for a file could not be used."""
        return self.count(name.replace(".json", "_rejected_%d.json"))

    def topic(self):
        """The query of the run: that of its brief, so a later call cannot change it."""
        if self.there(BRIEF):
            found = re.search(r"^QUERY: (.+)$", self.text(BRIEF), re.M)
            if found:
                return found.group(1)
        return self.query


def clean(query):
    """A query that can stand between double quotes."""
    return " ".join(re.sub(r'["$`\\━\x00-\x1f\x7f]', " ", query or "").split()).lstrip("- ")


def quoted(path):
    """A path that can stand between double quotes of a shell."""
    return re.sub(r'(["$`\\\\])', r"\\\1", path)


def chinese(text):
    return re.search(r"[\u3400-\u9fff]", text) is not None


def fail(message, code=1):
    sys.stderr.write("run.py: %s\n" % message)
    raise SystemExit(code)


# --- what replies must be ------------------------------------------------------------------------------------------

def is_text(value):
    return isinstance(value, str) and value.strip() != ""


def texts(value, least=1):
    return isinstance(value, list) and len(value) >= least and all(is_text(v) for v in value)


def check_tags(run, value):
    if not isinstance(value, list) or not value:
        return "a list of notes with tags is wanted"
    known = {n["id"] for n in run.data(FOUND) or []}
    for entry in value:
        if not isinstance(entry, dict) or entry.get("id") not in known or not texts(entry.get("tags")):
            return "each entry needs the id of a note that was found, and tags"
    return None


def check_bottleneck(run, value):
    if not isinstance(value, dict):
        return "an object is wanted"
    if value.get("state") == "do_not_generate":
        return None if value.get("ood_reasons") else "ood_reasons is missing"
    if value.get("state") != "proceed":
        return "state must be proceed or do_not_generate"
    return None if is_text(value.get("bottleneck")) else "bottleneck is missing"


def check_idea(run, value):
    if not isinstance(value, dict):
        return "an object is wanted"
    for field in ("title", "idea", "test"):
        if not is_text(value.get(field)):
            return field + " is missing"
    return None if texts(value.get("cites")) else "cites must list the notes that it builds on"


def check_candidates(run, value):
    if not isinstance(value, list) or len(value) < 2:
        return "a list of at least two candidates is wanted"
    for candidate in value:
        wrong = check_idea(run, candidate)
        if wrong:
            return wrong
    return None


def check_audit(run, value):
    if not isinstance(value, dict) or value.get("verdict") not in ("advance", "revise", "abandon"):
        return "verdict must be advance, revise or abandon"
    if not texts(value.get("reasons")):
        return "reasons is missing"
    if value["verdict"] == "revise" and not texts(value.get("demands")):
        return "demands is missing: without them nothing can be revised"
    return None


def check_cards(run, value):
    if not isinstance(value, dict):
        return "an object is wanted"
    for card in ("idea", "method", "first_experiment"):
        part = value.get(card)
        if not isinstance(part, dict) or not is_text(part.get("title")) or not texts(part.get("points"), 2):
            return "%s needs a title and at least two points" % card
    return None


CHECKS = {TAGS: check_tags, BOTTLENECK: check_bottleneck, CANDIDATES: check_candidates, IDEA: check_idea, AUDIT: check_audit, CARDS: check_cards}


def wrong(run, name):
    """What is wrong with a reply; None if it can be used."""
    value = run.data(name)
    if value is None:
        return "it is no JSON"
    return CHECKS[name](run, value)


# --- the block -----------------------------------------------------------------------------------------------------

def block(state, step, kind, **fields):
    lines = [BAR, "STATE  : " + state, "STEP   : " + step, "TYPE   : " + kind]
    for label in ("DO", "PROMPT", "INPUT", "OUTPUT", "RUN", "NOTES", "THEN"):
        value = fields.get(label.lower())
        if not value:
            continue
        value = value if isinstance(value, list) else [value]
        lines.append("%-7s: %s" % (label, value[0]))
        lines.extend(" " * 9 + more for more in value[1:])
    lines.append(BAR)
    return "\n".join(lines)


DO = "Work alone and only with what is given here. Reply with the content of the output and nothing else: no greeting, no code fence."


def thinking(run, phase, state, step, prompt, inputs, output, before=None, notes=""):
    """A step of a sub-agent. A reply that cannot be used is put away before the next attempt, so often and no more."""
    if run.there(output):
        fault = wrong(run, output)
        if run.rejected(output) >= RETRIES:
            return failed(run, phase, "%s could not be used: %s" % (output, fault))
        before = run.command("reject", ' --file "%s"' % output)
        notes = "The reply before this one could not be used: %s. Run the RUN command first; it puts that reply away." % fault
    return block(state, step, "llm_subagent", do=DO, prompt=os.path.join(SKILL, "prompts", prompt),
                 input=[run.path(i) for i in inputs], output=run.path(output), run=before, notes=notes, then=then(run))


def then(run):
    return run.command("next", ' --query "%s"' % run.topic())


def failed(run, phase, why):
    """Ends a run that cannot go on; the reason is written down first."""
    name = "phase_%d_failed" % phase
    if not run.there(name + ".md"):
        return block("Phase %d — cannot go on" % phase, "write down why", "bash",
                     run=run.command("conclude", ' --phase %d --why "%s"' % (phase, clean(why))), then=then(run))
    return block("TERMINAL — Phase %d ended the run: %s" % (phase, clean(why)[:400]), name, "terminal",
                 notes="Return the whole of %s to the user. No idea is made up instead." % run.path(name + ".md"))


# --- the graph -----------------------------------------------------------------------------------------------------

def next_step(run):
    output = run.data(BOTTLENECK)
    if isinstance(output, dict) and output.get("state") == "do_not_generate" and not wrong(run, BOTTLENECK):
        return refused(run)
    for phase in (phase0, phase1, phase2, phase3):
        step = phase(run)
        if step:
            return step
    return phase4(run)


def phase0(run):
    state = "Phase 0 — what is known"
    if not run.there(FOUND) or not run.there(BRIEF):
        return block(state, "search queries and retrieval", "llm_subagent", do=DO, prompt=os.path.join(SKILL, "prompts", "queries.md"),
                     input="the user query: " + run.query, output="search queries as JSON, for the RUN command",
                     run=run.command("retrieve", ' --query "%s" --queries "%s" --named-papers "%s"' % (run.query, PLACEHOLDER, TITLES)),
                     notes="The queries go into the place of %s, named works into that of %s." % (PLACEHOLDER, TITLES), then=then(run))
    if not run.there(PARTS):
        return block(state, "divide what was found", "bash", run=run.command("partition"), then=then(run))
    if wrong(run, TAGS):
        return thinking(run, 0, state, "tag the notes", "tagger.md", [TAG_INPUT], TAGS, before=run.command("tags"),
                        notes="Run the RUN command first: it writes the input.")
    return None


def phase1(run):
    if not wrong(run, BOTTLENECK):
        return None
    return thinking(run, 1, "Phase 1 — the bottleneck", "find the bottleneck", "bottleneck.md", [BRIEF, FOUND, TAGS], BOTTLENECK)


def refused(run):
    if not run.there(REFUSED):
        return block("Phase 1 — no ground to stand on", "write down why", "bash", run=run.command("conclude", " --phase 1"), then=then(run))
    return block("TERMINAL — Phase 1 routed to do_not_generate.", "do_not_generate", "terminal",
                 notes="Return the whole of %s to the user. No idea is made up instead." % run.path(REFUSED))


def phase2(run):
    state = "Phase 2 — candidates"
    if wrong(run, CANDIDATES):
        return thinking(run, 2, state, "write candidates", "generator.md", [BRIEF, BOTTLENECK, FOUND], CANDIDATES)
    gate = run.data(GATE)
    if not isinstance(gate, dict):
        return block(state, "citation gate", "bash", run=run.command("gate"), then=then(run))
    if gate.get("picked") is None:
        if run.attempts(2) >= RETRIES:
            return failed(run, 2, "no candidate cites a note that was found")
        return block(state, "put the rejected candidates away", "bash", run=run.command("archive", " --phase 2"), then=then(run))
    return None


def phase3(run):
    state = "Phase 3 — audit"
    done = run.attempts(3)
    last = "phase3/attempt_%d/" % done
    fault = wrong(run, IDEA)
    if fault:
        if not done or run.rejected(IDEA) >= RETRIES:
            return failed(run, 3, "%s could not be used: %s" % (IDEA, fault))
        return block(state, "take the idea before its revision", "bash", run=run.command("restore"), then=then(run),
                     notes="The revision could not be used: %s." % fault)
    if not run.there(AUDIT):
        if done and not run.there(last + REVISED):
            return block("Phase 3 — revision", "revise the idea", "llm_subagent", do=DO, prompt=os.path.join(SKILL, "prompts", "reviser.md"),
                         input=[run.path(last + "audit.json"), run.path(FOUND)], output=run.path(IDEA) + " (edited in place)",
                         run=run.command("revised"), notes="The RUN command follows the revision: it notes that there was one.", then=then(run))
        return thinking(run, 3, state, "audit the idea", "auditor.md", [AUDIT_INPUT], AUDIT, before=run.command("brief"),
                        notes="Run the RUN command first: it writes the input. The auditor must not see how the idea came about.")
    if wrong(run, AUDIT):
        return thinking(run, 3, state, "audit the idea", "auditor.md", [AUDIT_INPUT], AUDIT)
    audit = run.data(AUDIT)
    why = "; ".join(audit["reasons"])
    if audit["verdict"] == "advance":
        return None
    if audit["verdict"] == "abandon":
        return failed(run, 3, "the audit abandoned the idea: " + why)
    if done + 1 >= AUDITS:
        return failed(run, 3, "after %d audits the idea still needs a revision: %s" % (AUDITS, why))
    return block(state, "put the audit away", "bash", run=run.command("archive", " --phase 3"), then=then(run))


def phase4(run):
    state = "Phase 4 — cards"
    if wrong(run, CARDS):
        return thinking(run, 4, state, "write the cards", "cards.md", [BRIEF, IDEA, AUDIT, BOTTLENECK], CARDS)
    if not all(run.there(page) for page in PAGES):
        return block(state, "render three cards", "bash",
                     run=[run.command("check", ' --file "%s"' % CARDS), run.command("render")], then=then(run))
    return block("DONE — three cards are ready.", "return the cards", "terminal",
                 notes="Return these files whole, under three headings (Idea, Method, First experiment): %s" % ", ".join(run.path(p) for p in PAGES))


# --- commands ------------------------------------------------------------------------------------------------------

def library():
    with open(os.path.join(SKILL, "data", "notes.json"), encoding="utf-8") as f:
        return json.load(f)


def words(text):
    """What texts are compared by: Latin words of three letters and more, and pairs of Chinese characters."""
    text = text.lower()
    out = set(w[:6] for w in re.findall(r"[a-z]{3,}", text)) - {"the", "and", "for", "with", "that", "from"}
    for part in re.findall(r"[\u3400-\u9fff]+", text):
        out.update(part[i:i + 2] for i in range(len(part) - 1))
    return out


def retrieve(run, args):
    query = run.query
    if not query:
        fail("--query is empty", 2)
    queries = [] if args.queries in ("", PLACEHOLDER) else [clean(q) for q in args.queries.split("|") if q.strip()]
    named = [] if args.named_papers in ("", TITLES) else [clean(t) for t in args.named_papers.split("|") if t.strip()]
    wanted = words(" ".join([query] + queries + named))
    scored = []
    for note in library():
        score = len(wanted & words(note["zh"] + " " + note["en"]))
        scored.append((-score, note["id"], {"id": note["id"], "score": score, "text": note["zh" if chinese(query) else "en"]}))
    scored.sort(key=lambda s: s[:2])
    related = [s[2] for s in scored if s[2]["score"] > 0 and not s[2]["id"].startswith("M")][:HITS - 3]
    methods = [s[2] for s in scored if s[2]["id"].startswith("M")]
    found = related + methods
    lines = ["QUERY: " + query, "LANGUAGE: " + ("zh" if chinese(query) else "en")]
    lines += ["SEARCHED: " + q for q in queries] + ["NAMED: " + t for t in named]
    lines += ["FOUND: %d related notes, %d notes on method" % (len(related), len(methods))]
    run.write(BRIEF, "\n".join(lines) + "\n")
    run.save(FOUND, found)
    print("found %d related notes" % len(related))


def need(run, name):
    value = run.data(name)
    if value is None:
        fail("%s is missing or no JSON; `next` says what has to be done before" % name)
    return value


def partition(run, args):
    found = need(run, FOUND)
    related = [n["id"] for n in found if not n["id"].startswith("M")]
    run.save(PARTS, {"core": related[:3], "background": related[3:], "method": [n["id"] for n in found if n["id"].startswith("M")],
                     "coverage": "good" if len(related) > 2 else "thin" if related else "none"})


def tags(run, args):
    parts = need(run, PARTS)
    lines = [run.text(BRIEF), "COVERAGE: " + parts["coverage"], ""]
    lines += ['"id": "%s" — %s' % (n["id"], n["text"]) for n in need(run, FOUND)]
    run.write(TAG_INPUT, "\n".join(lines) + "\n")


def gate(run, args):
    known = {n["id"] for n in need(run, FOUND)}
    verdicts, picked = [], None
    for i, candidate in enumerate(need(run, CANDIDATES)):
        unknown = [c for c in candidate.get("cites", []) if c not in known]
        verdicts.append({"title": candidate.get("title"), "passed": not unknown, "unknown": unknown})
        if picked is None and not unknown:
            picked = i
    if picked is not None:
        run.save(IDEA, need(run, CANDIDATES)[picked])
    run.save(GATE, {"picked": picked, "verdicts": verdicts})


def reject(run, args):
    """Puts a reply away that cannot be used."""
    if args.file not in CHECKS:
        fail("--file %s is none of this skill's replies" % args.file, 2)
    run.move(args.file, args.file.replace(".json", "_rejected_%d.json" % (run.rejected(args.file) + 1)))


def archive(run, args):
    """Puts what was judged into attempt_N; what makes it count is moved last."""
    if args.phase not in (2, 3):
        fail("--phase %d has no attempts" % args.phase, 2)
    folder = "phase%d/attempt_%d/" % (args.phase, run.attempts(args.phase) + 1)
    if args.phase == 2 and run.there(CANDIDATES):
        run.move(GATE, folder + "gate.json")
        run.move(CANDIDATES, folder + "candidates.json")
    if args.phase == 3 and run.there(AUDIT):
        run.write(folder + "idea.json", run.text(IDEA))
        run.move(AUDIT, folder + "audit.json")


def restore(run, args):
    """Takes the idea as it was before a revision that cannot be used."""
    before = "phase3/attempt_%d/idea.json" % run.attempts(3)
    if not run.there(before):
        fail("there is no idea from before a revision")
    if wrong(run, IDEA):
        run.move(IDEA, IDEA.replace(".json", "_rejected_%d.json" % (run.rejected(IDEA) + 1)))
        run.write(IDEA, run.text(before))


def revised(run, args):
    """Notes that a revision is there, also one that changes nothing: the next audit will say so. One that is spoilt is none."""
    done = run.attempts(3)
    if done and not wrong(run, IDEA):
        run.write("phase3/attempt_%d/%s" % (done, REVISED), "")


def brief(run, args):
    idea = need(run, IDEA)
    cited = [n for n in need(run, FOUND) if n["id"] in idea.get("cites", [])]
    lines = ["QUERY: " + run.topic(), "LANGUAGE: " + ("zh" if chinese(run.topic()) else "en"),
             "AUDIT: %d of %d" % (run.attempts(3) + 1, AUDITS), "", json.dumps(idea, ensure_ascii=False, indent=1), "", "CITED NOTES:"]
    lines += ['"id": "%s" — %s' % (n["id"], n["text"]) for n in cited]
    run.write(AUDIT_INPUT, "\n".join(lines) + "\n")


def conclude(run, args):
    if args.phase == 1 and not args.why:
        output = need(run, BOTTLENECK)
        reasons = output.get("ood_reasons") or []
        lines = ["# do_not_generate", "", "QUERY: " + run.topic(), "", "## Why"]
        lines += ["- " + (r if isinstance(r, str) else json.dumps(r, ensure_ascii=False)) for r in (reasons if isinstance(reasons, list) else [reasons])]
        lines += ["", "## What would help"] + ["- " + str(s) for s in output.get("remedial_steps") or []]
        run.write(REFUSED, "\n".join(lines) + "\n")
        return
    name = "phase_%d_failed" % args.phase
    lines = ["# " + name, "", "QUERY: " + run.topic(), "", "## Why", "- " + (args.why or "unknown")]
    idea = run.data(IDEA)
    if isinstance(idea, dict):
        lines += ["", "## The idea as it was", "", "%s: %s" % (idea.get("title"), idea.get("idea"))]
    audit = run.data(AUDIT)
    if isinstance(audit, dict):
        lines += ["", "## The last audit", ""] + ["- " + str(r) for r in audit.get("reasons") or []] + ["- " + str(d) for d in audit.get("demands") or []]
    run.write(name + ".md", "\n".join(lines) + "\n")


def check(run, args):
    """Says whether a reply can be used."""
    if args.file not in CHECKS:
        fail("--file %s is none of this skill's replies" % args.file, 2)
    fault = wrong(run, args.file)
    if fault:
        fail("%s: %s" % (args.file, fault))


def render(run, args):
    cards = need(run, CARDS)
    for page, card in zip(PAGES, ("idea", "method", "first_experiment")):
        part = cards[card]
        run.write(page, "**%s**\n\n%s\n" % (part["title"].strip(), "\n".join("- " + p.strip() for p in part["points"])))


def show_next(run, args):
    if not os.path.isdir(run.folder):
        sys.stderr.write("run.py: %s is not there yet; this is the first step\n" % run.folder)
    print(next_step(run))


COMMANDS = {"next": show_next, "retrieve": retrieve, "partition": partition, "tags": tags, "gate": gate, "reject": reject,
            "archive": archive, "restore": restore, "revised": revised, "brief": brief, "conclude": conclude, "check": check, "render": render}


def main():
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    parser = argparse.ArgumentParser(description="The next-loop of idea-spark.")
    parser.add_argument("command", choices=sorted(COMMANDS))
    parser.add_argument("--dir", required=True, help="the run folder")
    parser.add_argument("--query", default="")
    parser.add_argument("--queries", default="")
    parser.add_argument("--named-papers", default="")
    parser.add_argument("--file", default="")
    parser.add_argument("--phase", type=int, default=1, choices=range(5))
    parser.add_argument("--why", default="")
    args = parser.parse_args()
    if not args.dir.strip() or os.path.isfile(args.dir):
        fail("--dir must name a folder, not %r" % args.dir, 2)
    COMMANDS[args.command](Run(args.dir, args.query), args)


if __name__ == "__main__":
    main()
