"""The six sources: how each is asked, and what its answer means.

A source is a function (client, query, span, limit) that returns a list of records; span has start_year, end_year and
perhaps start_date and end_date. It asks for one query. What one entry of an answer lacks is left open; an entry that
cannot be read is left out.
"""

from __future__ import annotations

import re
from datetime import datetime, timezone

from fetch import SourceError, excerpt
from records import record, within

# Words that its index does not hold, or that it takes for operators.
ARXIV_STOP = frozenset("a an and andnot as at by for from in is not of on or the to via with".split())

# arXiv asks its users to wait this long between requests.
ARXIV_PAUSE = 3


def days(span):
    """First and last day asked for."""
    first = span.get("start_date") or "%04d-01-01" % span["start_year"]
    last = span.get("end_date") or "%04d-12-31" % span["end_year"]
    return first, last


def read_entries(source, entries, read):
    """Records of the entries that can be read."""
    out = []
    for entry in entries:
        try:
            rec = record(source, **read(entry))
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            continue
        if rec["title"]:
            out.append(rec)
    return out


def entries_at(answer, *path):
    """The list at a place of an answer; an answer without it is an error, null and nothing found are empty."""
    at = answer
    for step in path:
        if not isinstance(at, dict) or step not in at:
            raise SourceError("unexpected answer: %s" % excerpt(str(answer)))
        at = at[step]
    if at is None:
        return []
    return at if isinstance(at, list) else [at]


def is_dict(value):
    return value if isinstance(value, dict) else {}


# --- arXiv: Atom ---

ATOM = "{http://www.w3.org/2005/Atom}"
ARXIV = "{http://arxiv.org/schemas/atom}"


def arxiv(client, query, span, limit):
    from xml.etree import ElementTree  # the other sources start faster without it

    words = re.findall(r"\w+", query)
    words = [w for w in words if w.lower() not in ARXIV_STOP] or words
    first, last = (day.replace("-", "") for day in days(span))
    search = " AND ".join("all:" + w for w in words)
    raw = client.get(
        client.settings["addresses"]["arxiv"],
        {
            "search_query": "(%s) AND submittedDate:[%s0000 TO %s2359]" % (search, first, last),
            "start": 0,
            "max_results": limit,
            "sortBy": "relevance",
            "sortOrder": "descending",
        },
    )
    try:
        feed = ElementTree.fromstring(raw)
    except (ElementTree.ParseError, ValueError):
        raise SourceError("the answer is not XML: %s" % excerpt(raw)) from None
    entries = feed.findall(ATOM + "entry")
    for entry in entries:
        if "/api/errors" in (entry.findtext(ATOM + "id") or ""):
            raise SourceError(excerpt(entry.findtext(ATOM + "summary") or "the query was refused"))
    return read_entries("arxiv", entries, arxiv_entry)


def arxiv_entry(entry):
    place = entry.findtext(ATOM + "id") or ""
    return {
        "title": entry.findtext(ATOM + "title"),
        "authors": [a.findtext(ATOM + "name") for a in entry.findall(ATOM + "author")],
        "abstract": entry.findtext(ATOM + "summary"),
        "url": re.sub("^http:", "https:", place),
        "venue": entry.findtext(ARXIV + "journal_ref") or "arXiv",
        "publication_date": (entry.findtext(ATOM + "published") or "")[:10],
        "doi": entry.findtext(ARXIV + "doi"),
        "arxiv_id": place,
    }


# --- DBLP ---


def dblp(client, query, span, limit):
    # It cannot be asked for years, so more is fetched than is wanted.
    answer = client.get_json(client.settings["addresses"]["dblp"], {"q": query, "format": "json", "h": min(1000, 10 * limit)})
    hits = [hit for part in entries_at(answer, "result", "hits") for hit in is_dict(part).get("hit") or []]
    found = read_entries("dblp", hits, dblp_entry)
    return [r for r in found if within(r, span)][:limit]


def dblp_entry(hit):
    info = hit["info"]
    authors = is_dict(info.get("authors")).get("author") or []
    names = [is_dict(a).get("text") or a for a in (authors if isinstance(authors, list) else [authors])]
    venue = info.get("venue")
    return {
        "title": re.sub(r"\.$", "", info["title"]),
        "authors": [re.sub(r" \d{4}$", "", str(name)) for name in names],  # a number tells namesakes apart there
        "year": info.get("year"),
        "url": first_text(info.get("ee")) or info.get("url"),
        "venue": ", ".join(venue) if isinstance(venue, list) else venue,
        "doi": info.get("doi"),
        "arxiv_id": first_text(info.get("ee")),
    }


def first_text(value):
    return next((v for v in (value if isinstance(value, list) else [value]) if v), None)


# --- OpenAlex ---


def open_alex(client, query, span, limit):
    first, last = days(span)
    params = {
        "search": query,
        "filter": "from_publication_date:%s,to_publication_date:%s" % (first, last),
        "per-page": limit,
        "sort": "relevance_score:desc",
    }
    key = client.settings["credentials"].get("OPENALEX_API_KEY")
    if key:
        params["api_key"] = key
    answer = client.get_json(client.settings["addresses"]["open_alex"], params)
    return read_entries("open_alex", entries_at(answer, "results"), open_alex_entry)


def open_alex_entry(work):
    place = is_dict(work.get("primary_location"))
    pages = [is_dict(at).get("landing_page_url") or "" for at in [place, *(work.get("locations") or [])]]
    return {
        "title": work.get("display_name") or work.get("title"),
        "authors": [is_dict(a.get("author")).get("display_name") for a in work.get("authorships") or []],
        "year": work.get("publication_year"),
        "abstract": uninvert(work.get("abstract_inverted_index")),
        "url": place.get("landing_page_url") or work.get("doi") or work.get("id"),
        "venue": is_dict(place.get("source")).get("display_name"),
        "citation_count": work.get("cited_by_count"),
        "publication_date": work.get("publication_date"),
        "doi": work.get("doi"),
        "arxiv_id": next((p for p in pages if "arxiv.org/" in p.lower()), None),
    }


def uninvert(index):
    """A text of a map from each word to its positions."""
    at = [(position, word) for word, positions in is_dict(index).items() for position in positions]
    return " ".join(word for _, word in sorted(at))


# --- OpenReview ---


def openreview(client, query, span, limit):
    base = client.settings["addresses"]["openreview"]
    params = {"term": query, "type": "terms", "content": "all", "source": "forum", "limit": min(1000, 5 * limit), "offset": 0}
    answer = client.get_json(base + "/notes/search", params, openreview_login(client, base))
    found = read_entries("openreview", entries_at(answer, "notes"), openreview_entry)
    return [r for r in found if within(r, span)][:limit]


def openreview_login(client, base):
    have = client.settings["credentials"]
    if not (have.get("OPENREVIEW_USERNAME") and have.get("OPENREVIEW_PASSWORD")):
        return None
    body = {"id": have["OPENREVIEW_USERNAME"], "password": have["OPENREVIEW_PASSWORD"]}
    token = is_dict(client.get_json(base + "/login", {}, body=body)).get("token")
    if not token:
        raise SourceError("the login was answered without a token")
    return {"Authorization": "Bearer " + str(token)}


def openreview_entry(note):
    # Version 2 of the interface wraps each value, version 1 does not.
    content = {k: v.get("value") if isinstance(v, dict) else v for k, v in note["content"].items()}
    venue = str(content.get("venue") or "")
    year = re.search(r"\b(?:19|20)\d\d\b", venue)
    return {
        "title": content.get("title"),
        "authors": [is_dict(a).get("fullname") or a for a in content.get("authors") or []],
        "year": year.group() if year else None,
        "abstract": content.get("abstract"),
        "url": "https://openreview.net/forum?id=%s" % (note.get("forum") or note["id"]),
        "venue": venue,
        "publication_date": day_of(note.get("pdate") or note.get("cdate") or note.get("tcdate")),
    }


def day_of(milliseconds):
    if not isinstance(milliseconds, (int, float)):
        return None
    try:
        return datetime.fromtimestamp(milliseconds / 1000, timezone.utc).strftime("%Y-%m-%d")
    except (OSError, OverflowError, ValueError):
        return None


# --- Semantic Scholar ---

SCHOLAR_FIELDS = "title,authors,year,abstract,url,venue,citationCount,publicationDate,externalIds"


def semantic_scholar(client, query, span, limit):
    params = {"query": query, "year": "%d-%d" % (span["start_year"], span["end_year"]), "limit": limit, "fields": SCHOLAR_FIELDS}
    key = client.settings["credentials"].get("SEMANTIC_SCHOLAR_API_KEY")
    headers = {"x-api-key": key} if key else None
    answer = client.get_json(client.settings["addresses"]["semantic_scholar"], params, headers)
    empty = is_dict(answer).get("total") == 0  # then there is no list
    return read_entries("semantic_scholar", [] if empty else entries_at(answer, "data"), semantic_scholar_entry)


def semantic_scholar_entry(paper):
    ids = is_dict(paper.get("externalIds"))
    return {
        "title": paper["title"],
        "authors": [a.get("name") for a in paper.get("authors") or []],
        "year": paper.get("year"),
        "abstract": paper.get("abstract"),
        "url": paper.get("url"),
        "venue": paper.get("venue"),
        "citation_count": paper.get("citationCount"),
        "publication_date": paper.get("publicationDate"),
        "doi": ids.get("DOI"),
        "arxiv_id": ids.get("ArXiv"),
    }


# --- Crossref ---

CROSSREF_FIELDS = "DOI,title,author,issued,abstract,container-title,is-referenced-by-count,URL"


def crossref(client, query, span, limit):
    first, last = days(span)
    params = {
        "query.bibliographic": query,
        "filter": "from-pub-date:%s,until-pub-date:%s" % (first, last),
        "rows": limit,
        "select": CROSSREF_FIELDS,
    }
    answer = client.get_json(client.settings["addresses"]["crossref"], params)
    return read_entries("crossref", entries_at(answer, "message", "items"), crossref_entry)


def crossref_entry(item):
    return {
        "title": first_text(item.get("title")),
        "authors": [a.get("name") or " ".join(filter(None, (a.get("given"), a.get("family")))) for a in item.get("author") or []],
        "abstract": item.get("abstract"),
        "url": item.get("URL"),
        "venue": first_text(item.get("container-title")),
        "citation_count": item.get("is-referenced-by-count"),
        "publication_date": crossref_date(item),
        "doi": item.get("DOI"),
    }


def crossref_date(item):
    parts = (is_dict(item.get("issued")).get("date-parts") or [[]])[0]
    parts = [int(p) for p in parts if p is not None]
    return "-".join(("%04d", "%02d", "%02d")[i] % p for i, p in enumerate(parts[:3]))


ALL = {
    "arxiv": arxiv,
    "dblp": dblp,
    "open_alex": open_alex,
    "openreview": openreview,
    "semantic_scholar": semantic_scholar,
    "crossref": crossref,
}


def ask(client, source, queries, span, limit):
    """Asks one source for each query. Returns its records, each paper once, and the failures in words."""
    found, failures, seen = [], [], set()
    for i, query in enumerate(queries):
        if i:
            client.pause(ARXIV_PAUSE if source == "arxiv" else 1)
        try:
            records = ALL[source](client, query, span, limit)
        except SourceError as e:
            failures.append("%r: %s" % (query, e) if len(queries) > 1 else str(e))
            continue
        for rec in records[:limit]:
            if within(rec, span) and rec["url"] + rec["title"] not in seen:
                seen.add(rec["url"] + rec["title"])
                found.append(rec)
    return found, failures
