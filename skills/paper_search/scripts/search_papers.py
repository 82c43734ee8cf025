#!/usr/bin/env python3
"""Searches six public indexes of papers at once and prints one ranked list without doubles.

Exit code 0: at least one source answered, even with nothing. 1: none did. 2: wrong arguments or settings.
"""

from __future__ import annotations

import sys

sys.dont_write_bytecode = True  # the skill's folder stays as it was installed

import argparse  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import signal  # noqa: E402
import subprocess  # noqa: E402
from concurrent.futures import ThreadPoolExecutor  # noqa: E402
from datetime import date  # noqa: E402

import output  # noqa: E402
import ranking  # noqa: E402
import settings  # noqa: E402
from records import merge  # noqa: E402

SOURCES = tuple(settings.ADDRESSES)
WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
MAX_PAPERS = 100  # what every source gives in one answer


def day(text):
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise argparse.ArgumentTypeError("%r is not a day like 2024-05-31" % text) from None


def count(text):
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= MAX_PAPERS):
        raise argparse.ArgumentTypeError("%r is not a number from 1 to %d" % (text, MAX_PAPERS))
    return int(text)


def year(text):
    if not (text.isascii() and text.isdigit() and len(text) == 4):
        raise argparse.ArgumentTypeError("%r is not a year of four digits" % text)
    return int(text)


def names(text):
    wanted = [t.strip().lower().replace("-", "_") for t in text.replace(",", " ").split()]
    unknown = [w for w in wanted if w not in SOURCES and w != output.RECALLED]
    if unknown or not wanted:
        raise argparse.ArgumentTypeError(
            "unknown source %s; there are %s" % (", ".join(unknown) or repr(text), ", ".join((*SOURCES, output.RECALLED)))
        )
    return wanted


def arguments(argv):
    p = argparse.ArgumentParser(prog="search_papers.py", description="Searches public indexes of papers.", allow_abbrev=False)
    what = p.add_mutually_exclusive_group(required=True)
    what.add_argument("--query", help="words to search for")
    what.add_argument("--queries", metavar="A|B|C", help="several searches, put together")
    p.add_argument("--start-year", type=year, required=True, metavar="YEAR", help="first year")
    p.add_argument("--end-year", type=year, required=True, metavar="YEAR", help="last year")
    p.add_argument("--start-date", type=day, metavar="DAY", help="first day, YYYY-MM-DD; papers without a date stay")
    p.add_argument("--end-date", type=day, metavar="DAY", help="last day")
    p.add_argument("--max-papers", type=count, default=10, metavar="N", help="per source and query, 1 to %d (10)" % MAX_PAPERS)
    p.add_argument("--sources", type=names, action="extend", nargs="+", metavar="NAME", help="only these of: " + " ".join(SOURCES))
    p.add_argument("--no-parallel", action="store_true", help="one source after the other")
    p.add_argument("--raw", action="store_true", help="list by source, doubles included")
    p.add_argument("--min-score", type=int, metavar="N", help="leave out papers below this score")
    p.add_argument("--json", metavar="PATH", help="also write the full records, with abstracts, to this file")
    a = p.parse_args(argv)
    queries = [a.query] if a.query is not None else a.queries.split("|")
    a.queries = list(dict.fromkeys(" ".join(q.split()) for q in queries if any(c.isalnum() for c in q)))
    if not a.queries:
        p.error("the query has no word")
    if a.start_year > a.end_year:
        p.error("--start-year %d is after --end-year %d" % (a.start_year, a.end_year))
    if a.start_date and a.end_date and a.start_date > a.end_date:
        p.error("--start-date %s is after --end-date %s" % (a.start_date, a.end_date))
    if a.json is not None and (not a.json or os.path.isdir(a.json)):
        p.error("--json: %r is not a name for a file" % a.json)
    wanted = SOURCES if a.sources is None else [name for group in a.sources for name in group]
    a.sources = list(dict.fromkeys(wanted))
    return a


class Search:
    """Asks the sources, each in a child process."""

    def __init__(self, args, conf):
        span = {k: getattr(args, k) for k in ("start_year", "end_year", "start_date", "end_date")}
        self.job = {"settings": conf, "queries": args.queries, "span": span, "limit": args.max_papers}
        self.at_once = 1 if args.no_parallel else max(1, len(args.sources))
        self.children = set()
        self.stopped = False

    def run(self, sources):
        """What each source gave, in the order of the sources."""
        with ThreadPoolExecutor(self.at_once) as pool:
            waiting = [pool.submit(self.one, source) for source in sources]
            try:
                return [w.result() for w in waiting]
            except BaseException:
                self.stop()
                raise

    def stop(self):
        self.stopped = True
        for child in list(self.children):
            child.kill()

    def one(self, source):
        result = {"source": source, "papers": [], "failures": []}
        if source == output.RECALLED or self.stopped:
            return result
        budget = self.job["settings"]["budgets"][source]
        try:
            result.update(self.in_child(json.dumps(dict(self.job, source=source)).encode(), budget))
        except subprocess.TimeoutExpired:
            result["failures"] = ["no answer within %g s" % budget]
        except OSError as e:
            result["failures"] = ["its process could not be started: %s" % e]
        if result["failures"]:
            print("ERROR %s: %s" % (source, "; ".join(result["failures"])), file=sys.stderr, flush=True)
        return result

    def in_child(self, job, budget):
        pipe = subprocess.PIPE
        command = [sys.executable, "-S", WORKER]  # the standard library is enough, and starts faster alone
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as child:
            self.children.add(child)
            try:
                if self.stopped:
                    child.kill()
                out, err = child.communicate(job, timeout=budget)
                return answer(out, err, child.returncode)
            finally:
                child.kill()
                self.children.discard(child)


def answer(out, err, code):
    """What a child said, or why it said nothing."""
    try:
        said = json.loads(out)
        return {"papers": said["papers"], "failures": said["failures"]}
    except (ValueError, KeyError, TypeError):
        last = err.decode("utf-8", "replace").strip().splitlines()[-1:] or ["nothing was printed"]
        return {"failures": ["its process ended with %d: %s" % (code, last[0][:300])]}


def show(args, results):
    """Prints what was found; returns the papers that are shown."""
    records = [paper for result in results for paper in result["papers"]]
    for result in results:
        print(output.hits(result))
    papers = [dict(r, found_in=[r["source"]]) for r in records] if args.raw else merge(records)
    if not args.raw:
        print("unique papers: %d (%d cross-source duplicate records merged)" % (len(papers), len(records) - len(papers)))
    ranking.judge(papers, args.queries)
    if args.min_score is not None:
        kept = [p for p in papers if p["score"] >= args.min_score]
        print("DROPPED %d paper(s) below --min-score %d" % (len(papers) - len(kept), args.min_score))
        papers = kept
    if args.raw:
        lines = output.grouped(results, papers)
    else:
        papers = ranking.ordered(papers)
        lines = output.listing(papers)
    print("\n".join([*lines, "", "total: %d papers" % len(papers)]))
    return papers


def main(argv):
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    args = arguments(argv)
    try:
        conf = settings.from_process()
    except settings.BadSetting as e:
        print("search_papers.py: error: %s" % e, file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    results = Search(args, conf).run(args.sources)
    papers = show(args, results)
    if args.json:
        try:
            output.write_json(args.json, papers)
        except OSError as e:
            print("search_papers.py: error: --json: %s" % e, file=sys.stderr)
            return 2
    asked = [r for r in results if r["source"] != output.RECALLED]
    return 1 if asked and all(r["failures"] and not r["papers"] for r in asked) else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
