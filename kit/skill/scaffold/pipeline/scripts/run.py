#!/usr/bin/env python3
"""Tells at any time what the next step of a run is. All that it knows of a run are the files in its folder.

run.py next --dir RUNDIR --query TOPIC   prints the next step; changes nothing
run.py finish --dir RUNDIR               phase 2: makes the result of the draft
"""

import argparse
import shlex
import sys
from pathlib import Path

BAR = "━" * 72
SKILL = Path(__file__).resolve().parent.parent


def block(**fields):
    """Prints one step. A list is one line for each of its items."""
    print(BAR)
    for label, value in fields.items():
        lines = value if isinstance(value, list) else [value]
        print("%-7s: %s" % (label, ("\n" + " " * 9).join(str(line) for line in lines)))
    print(BAR)


def next_step(run, query):
    draft, result, failed = run / "phase1" / "draft.md", run / "result.md", run / "phase_2_failed.md"
    me = "python3 " + shlex.quote(str(SKILL / "scripts" / "run.py"))
    then = "%s next --dir %s" % (me, shlex.quote(str(run)))
    if failed.exists():
        block(STATE="phase_2_failed", STEP="the draft was empty", TYPE="terminal", NOTES=failed)
    elif result.exists():
        block(STATE="DONE — the result is ready", STEP="nothing is left to do", TYPE="terminal", NOTES=result)
    elif draft.exists():
        finish = "%s finish --dir %s" % (me, shlex.quote(str(run)))
        block(STATE="phase 2", STEP="check the draft", TYPE="bash", RUN=finish, THEN=then)
    else:
        block(
            STATE="phase 1",
            STEP="write a draft",
            TYPE="llm_subagent",
            DO="Work only with what is given here.",
            PROMPT=SKILL / "prompts" / "draft.md",
            INPUT=["Topic: " + " ".join(query.split())],
            OUTPUT=draft,
            THEN=then,
        )


def finish(run):
    draft = (run / "phase1" / "draft.md").read_text(encoding="utf-8").strip()
    if draft:
        (run / "result.md").write_text(draft + "\n", encoding="utf-8")
    else:
        (run / "phase_2_failed.md").write_text("The draft was empty.\n", encoding="utf-8")


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    p = argparse.ArgumentParser()
    p.add_argument("command", choices=["next", "finish"])
    p.add_argument("--dir", required=True, type=Path)
    p.add_argument("--query", default="")
    a = p.parse_args()
    if a.command == "next":
        next_step(a.dir, a.query)
    else:
        finish(a.dir)


if __name__ == "__main__":
    main()
