"""A pipeline that plans a trip: the second sample, of another kind than the one that is shipped.

It has a step of each type, an injection, a RUN before and after a sub-agent, two prompts in one step, an edit in place, a
glob, a command that stands only in a note, a handshake, and three ends. What happens is told by files and by words of the
query, so a test chooses its way by them.
"""
import os
import sys

BAR = "━" * 72
HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ME = os.path.abspath(__file__)


def arg(name, default=""):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


RUN = arg("--dir")
QUERY = arg("--query")


def path(*parts):
    return os.path.join(RUN, *parts)


def have(*parts):
    return os.path.isfile(path(*parts))


def text(*parts):
    with open(path(*parts), encoding="utf-8") as f:
        return f.read()


def write(content, *parts):
    os.makedirs(os.path.dirname(path(*parts)), exist_ok=True)
    with open(path(*parts) + ".new", "w", encoding="utf-8") as f:
        f.write(content)
    os.replace(path(*parts) + ".new", path(*parts))


def block(**fields):
    print(BAR)
    for label, value in fields.items():
        first, *more = value if isinstance(value, list) else [value]
        print("%-7s: %s" % (label, first))
        for line in more:
            print(" " * 9 + line)
    if fields["TYPE"] != "terminal":
        print('THEN   : python3 "%s" next --dir "%s" --query "%s"' % (ME, RUN, QUERY))
    print(BAR)


def mine(*words):
    return " ".join(['python3 "%s"' % ME, *words, '--dir "%s"' % RUN])


def step():
    do = "You plan nothing but what is asked here."
    if not have("phase0", "places.txt"):
        block(STATE="phase 0 — searching", STEP="search", TYPE="llm_subagent", DO=do, PROMPT=HERE + "/prompts/search.md",
              INPUT=["the user query", "{season} weather"], OUTPUT="search terms for the next command",
              RUN=mine("search", '--queries "A|B|C" --named-papers "Title A|Title B"'), NOTES="look far")
    elif not have("phase0", "sorted.txt"):
        block(STATE="phase 0 — sorting", STEP="sort", TYPE="bash", RUN=['sort "{run_dir}/phase0/places.txt" > "{run_dir}/phase0/part.txt"',
              'mv "{run_dir}/phase0/part.txt" "{run_dir}/phase0/sorted.txt"'], NOTES="TRIP_MODE=" + os.environ.get("TRIP_MODE", ""))
    elif "closed" in QUERY:
        block(STATE="TERMINAL — Phase 1 routed to do_not_generate.", STEP="stop", TYPE="terminal", NOTES="return " + path("do_not_generate.md"))
    elif not have("phase1", "route.md"):
        block(STATE="phase 1 — route", STEP="route", TYPE="llm_subagent", DO=do, PROMPT="%s THEN %s" % (HERE + "/prompts/far.md", HERE + "/prompts/near.md"),
              INPUT=[path("phase0", "sorted.txt") + " (by name)", path("phase0", "<picked place>.md")], OUTPUT="%s then %s" % (path("phase1", "far.md"), path("phase1", "route.md")))
    elif not have("phase1", "tagged.txt"):
        if not have("phase1", "tags.json"):
            pass
        block(STATE="phase 1 — tags", STEP="tag", TYPE="llm_subagent", DO=do, PROMPT=HERE + "/prompts/tag.md", INPUT=path("phase1", "*.md"),
              OUTPUT=path("phase1", "tags.json") + " — one object", NOTES="then merge: %s before going on" % mine("merge"))
    elif not have("phase2", "audit.txt"):
        block(STATE="phase 2 — audit", STEP="audit", TYPE="llm_subagent", DO=do, PROMPT=HERE + "/prompts/audit.md", INPUT=path("phase2", "summary.txt"),
              RUN=mine("summary"), OUTPUT=path("phase2", "audit.txt"), NOTES="The RUN command comes FIRST.")
    elif "storm" in QUERY:
        block(STATE="TERMINAL — Phase 2 audit abandoned the route", STEP="phase_2_failed", TYPE="terminal", NOTES="see phase2/audit.txt")
    elif "approved" not in text("phase1", "route.md"):
        block(STATE="phase 3 — approval", STEP="approve", TYPE="llm_subagent", DO=do, PROMPT=HERE + "/prompts/approve.md", INPUT=path("phase2", "audit.txt"),
              OUTPUT=path("phase1", "route.md") + " (edited in place)")
    elif not have("phase3", "bag.txt"):
        block(STATE="phase 3 — packing", STEP="pack", TYPE="bash", RUN=mine("pack"))
    else:
        block(STATE="ALL PACKED — have a good trip", STEP="end", TYPE="terminal", NOTES="the route is in %s, the bag in phase3/bag.txt" % path("phase1", "route.md"))


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name == "next":
        if not os.path.isdir(RUN):
            print("new run", file=sys.stderr)
        step()
    elif name == "search":
        write("\n".join(reversed(arg("--queries").split("|"))) + "\n" + arg("--named-papers", "no titles") + "\n", "phase0", "places.txt")
    elif name == "merge":
        write("merged: " + text("phase1", "tags.json"), "phase1", "tagged.txt")
    elif name == "summary":
        write("summary of " + text("phase1", "route.md"), "phase2", "summary.txt")
    elif name == "pack":
        if not have("phase3", ".pack_pending"):
            write("step_name: pack\n", "phase3", ".pack_pending")
            sys.exit(10)
        write("a coat\n", "phase3", "bag.txt")
    else:
        print("usage: run.py next|search|merge|summary|pack --dir DIR", file=sys.stderr)
        sys.exit(2)


main()
