"""Records of papers: one form for all sources, and one paper out of several records of it."""

from __future__ import annotations

import html
import re
import unicodedata

# The sources whose fields are trusted first.
PRIORITY = ("semantic_scholar", "open_alex", "arxiv", "openreview", "crossref", "dblp")

FIELDS = ("title", "authors", "year", "abstract", "url", "venue", "citation_count", "publication_date", "source", "doi", "arxiv_id")

# Markup that sources leave in texts, and the elements that divide words.
TAG = re.compile(r"</?(?:\w+:)?([A-Za-z][\w.-]*)(?:\s+[\w:.-]+\s*=\s*\"[^\"<>]*\")*\s*/?>")
BLOCKS = frozenset(("p", "title", "sec", "br", "div", "li", "list", "list-item"))

# What stands for characters that show nothing, by their category.
HIDDEN = {"Cc": " ", "Cf": "", "Cs": "", "Zl": " ", "Zp": " "}

ARXIV_ID = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})", re.IGNORECASE)


def record(source, **fields):
    """A record with every field, cleaned. Unknown texts are empty, unknown numbers are None."""
    out = {name: fields.pop(name, None) for name in FIELDS}
    if fields:
        raise TypeError("no such field: %s" % ", ".join(fields))
    out["source"] = source
    for name in ("title", "abstract", "url", "venue"):
        out[name] = clean(out[name])
    if not re.match("https?://", out["url"], re.IGNORECASE):
        out["url"] = ""
    out["authors"] = [a for a in (clean(name) for name in out["authors"] or ()) if a]
    out["doi"] = normal_doi(out["doi"])
    out["arxiv_id"] = normal_arxiv(out["arxiv_id"]) or normal_arxiv(arxiv_of_doi(out["doi"]))
    out["publication_date"] = normal_date(out["publication_date"])
    out["year"] = integer(out["year"]) or integer(out["publication_date"][:4])
    out["citation_count"] = integer(out["citation_count"])
    return out


def clean(text):
    """One line without markup, entities and characters that steer a terminal."""
    if text is None:
        return ""
    text = TAG.sub(lambda tag: " " if tag.group(1).lower() in BLOCKS else "", str(text))
    text = html.unescape(text)
    text = "".join(HIDDEN.get(unicodedata.category(c), c) for c in text)
    return " ".join(text.split())


def integer(value):
    if isinstance(value, bool):
        return None
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return None


def normal_date(value):
    """A day, a month or a year as YYYY-MM-DD, YYYY-MM or YYYY; empty if it is none."""
    found = re.match(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?(?!\d)", str(value or ""), re.ASCII)
    return found.group() if found else ""


def normal_doi(value):
    text = clean(value).lower()
    text = re.sub(r"^(?:https?://)?(?:www\.|dx\.)?doi\.org/", "", text)
    text = re.sub(r"^doi:\s*", "", text)
    return text if text.startswith("10.") else ""


def arxiv_of_doi(doi):
    return doi[len("10.48550/arxiv.") :] if doi.startswith("10.48550/arxiv.") else ""


def normal_arxiv(value):
    """An arXiv number without address, prefix and version; empty if it is none."""
    text = clean(value)
    text = re.sub(r"^(?:https?://)?(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/", "", text, flags=re.IGNORECASE)
    text = re.sub(r"^arxiv:\s*", "", text, flags=re.IGNORECASE)
    text = re.sub(r"(?:\.pdf)?$", "", text, flags=re.IGNORECASE)
    text = re.sub(r"v\d+$", "", text, flags=re.IGNORECASE)
    return text.lower() if ARXIV_ID.fullmatch(text) else ""


def normal_title(title):
    """Lower case, only letters and digits, single blanks."""
    return " ".join("".join(c if c.isalnum() else " " for c in title.lower()).split())


def strong_keys(rec):
    return [key for key in (("doi", rec["doi"]), ("arxiv", rec["arxiv_id"])) if key[1]]


def keys(rec):
    title = normal_title(rec["title"])
    return strong_keys(rec) + ([("title", title)] if title else [])


def rank_of(source):
    return PRIORITY.index(source) if source in PRIORITY else len(PRIORITY)


def merge(records):
    """One paper per cluster of records, in the order of their best source.

    A record joins the first cluster that knows its DOI, else its arXiv number, else its title. A record whose two numbers
    are known to two clusters shows that they are one paper.
    """
    known, clusters = {}, []
    for rec in sorted(records, key=lambda r: rank_of(r["source"])):
        mine = [known[key] for key in keys(rec) if key in known]
        home = mine[0] if mine else len(clusters)
        if not mine:
            clusters.append([])
        clusters[home].append(rec)
        for key in strong_keys(rec):
            other = known.get(key, home)
            if other != home:
                clusters[home] += clusters[other]
                clusters[other] = []
                known.update((k, home) for k, cluster in list(known.items()) if cluster == other)
        for key in keys(rec):
            known.setdefault(key, home)
    return [combine(cluster) for cluster in clusters if cluster]


def combine(cluster):
    """The first record's fields, its gaps filled from the others, the most citations, and who knew it."""
    cluster = sorted(cluster, key=lambda r: rank_of(r["source"]))
    paper = dict(cluster[0])
    for rec in cluster[1:]:
        for name in FIELDS:
            if paper[name] in (None, "", []):
                paper[name] = rec[name]
    counts = [r["citation_count"] for r in cluster if r["citation_count"] is not None]
    paper["citation_count"] = max(counts) if counts else None
    paper["found_in"] = list(dict.fromkeys(r["source"] for r in cluster))
    return paper


def within(rec, span):
    """Whether a record lies in the years and days asked for. What has no year, or no date, stays."""
    year, day = rec["year"], rec["publication_date"]
    if year is not None and not span["start_year"] <= year <= span["end_year"]:
        return False
    if not day:
        return True
    first, last = span.get("start_date") or "", span.get("end_date") or ""
    return (not first or day >= first[: len(day)]) and (not last or day <= last[: len(day)])
