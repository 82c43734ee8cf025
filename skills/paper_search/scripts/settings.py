"""What the environment says: addresses, time limits, attempts and optional credentials.

Everything is read once, before the first request, so that a bad value stops the search before it starts. A file `.env` in
the current directory fills in what the environment leaves open. It may not name an address: such a file can come with a
project that somebody else wrote, and credentials go to these addresses.
"""

from __future__ import annotations

import math
import os
from urllib.parse import urlsplit

CONNECT = "PAPER_SEARCH_CONNECT_TIMEOUT_SECONDS"
IDLE = "PAPER_SEARCH_TIMEOUT_SECONDS"
BUDGET = "PAPER_SEARCH_SOURCE_TIMEOUT_SECONDS"
ATTEMPTS = "PAPER_SEARCH_MAX_ATTEMPTS"
WAIT = "PAPER_SEARCH_WAIT_SECONDS"

# Where each source answers, and the variable that names another place.
ADDRESSES = {
    "arxiv": "https://export.arxiv.org/api/query",
    "dblp": "https://dblp.org/search/publ/api",
    "open_alex": "https://api.openalex.org/works",
    "openreview": "https://api2.openreview.net",
    "semantic_scholar": "https://api.semanticscholar.org/graph/v1/paper/search",
    "crossref": "https://api.crossref.org/works",
}

# Nobody needs these; with one, a source answers more often.
CREDENTIALS = ("SEMANTIC_SCHOLAR_API_KEY", "OPENALEX_API_KEY", "OPENREVIEW_USERNAME", "OPENREVIEW_PASSWORD")


class BadSetting(Exception):
    """A value of the environment that cannot be used; the text names it."""


def address_variable(source):
    return "PAPER_SEARCH_%s_URL" % source.upper()


def load(environ, dotenv_path=".env"):
    """The settings as a plain dict, so that they travel to the child processes as JSON."""
    values = dict(read_dotenv(dotenv_path))
    values.update((k, v) for k, v in environ.items() if v.strip())
    return {
        "connect_seconds": seconds(values, CONNECT, 15),
        "idle_seconds": seconds(values, IDLE, 300),
        "budgets": budgets(values.get(BUDGET, ""), 600),
        "attempts": whole(values, ATTEMPTS, 4),
        "wait_seconds": seconds(values, WAIT, 1, zero=True),
        "addresses": {source: address(environ, source) for source in ADDRESSES},
        "credentials": {name: values[name] for name in CREDENTIALS if values.get(name)},
    }


def number(name, text, zero=False):
    try:
        n = float(text)
    except ValueError:
        n = math.nan
    if not math.isfinite(n) or n < 0 or (n == 0 and not zero):
        raise BadSetting("%s: %r is not a number of seconds above 0" % (name, text))
    return n


def seconds(values, name, default, zero=False):
    return number(name, values[name], zero) if name in values else float(default)


def whole(values, name, default):
    text = values.get(name, str(default)).strip()
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= 100):
        raise BadSetting("%s: %r is not a whole number from 1 to 100" % (name, text))
    return int(text)


def budgets(text, default):
    """How long each source may take: one number for all, NAME=NUMBER for one, or both, with commas between."""
    out = dict.fromkeys(ADDRESSES, float(default))
    parts = [p.strip() for p in text.split(",") if p.strip()]
    for part in sorted(parts, key=lambda p: "=" in p):
        name, named, value = part.partition("=")
        if not named:
            out = dict.fromkeys(ADDRESSES, number(BUDGET, part))
        elif name.strip() in out:
            out[name.strip()] = number(BUDGET, value.strip())
        else:
            raise BadSetting("%s: unknown source %r; there are %s" % (BUDGET, name.strip(), ", ".join(ADDRESSES)))
    return out


def address(environ, source):
    name = address_variable(source)
    url = environ.get(name, "").strip() or ADDRESSES[source]
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise BadSetting("%s: %r is not an http or https address" % (name, url))
    return url.rstrip("/")


def read_dotenv(path):
    """Pairs of a file of lines NAME=VALUE; no file, no pairs."""
    try:
        with open(path, encoding="utf-8-sig", errors="replace") as f:
            lines = f.read(1 << 20).splitlines()
    except OSError:
        return
    for line in lines:
        line = line.strip()
        if line.startswith("export "):
            line = line[len("export ") :].lstrip()
        name, found, value = line.partition("=")
        name, value = name.strip(), value.strip()
        if not found or not name or name.startswith("#"):
            continue
        if value[:1] in ("'", '"') and value.find(value[0], 1) > 0:
            value = value[1 : value.find(value[0], 1)]
        else:
            value = value.split(" #", 1)[0].rstrip()
        if value:
            yield name, value


def from_process():
    return load(os.environ)
