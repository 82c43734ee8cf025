"""One source in a process of its own: a job as JSON on stdin, the answer as JSON on stdout."""

from __future__ import annotations

import sys

sys.dont_write_bytecode = True  # the skill's folder stays as it was installed

import json  # noqa: E402

import sources  # noqa: E402
from fetch import Client  # noqa: E402


def main():
    job = json.load(sys.stdin.buffer)
    client = Client(job["settings"])
    papers, failures = sources.ask(client, job["source"], job["queries"], job["span"], job["limit"])
    sys.stdout.buffer.write(json.dumps({"papers": papers, "failures": failures}).encode())


if __name__ == "__main__":
    main()
