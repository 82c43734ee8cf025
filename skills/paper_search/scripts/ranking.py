"""How well a paper fits the query, and which papers are surveys."""

from __future__ import annotations

import re

WORD = re.compile(r"[^\W_]+")

# Long words that say nothing about a field.
STOP = frozenset(
    "about across after against among based before being between beyond both could does during each from have having into "
    "more most much only other over paper papers since some such than that their them then there these they this those "
    "through toward towards under upon using very were what when where which while will with within without would your".split()
)

_KIND = r"(?:(?:an?|comprehensive|systematic|brief)\s+)*(?:survey|review|meta[-\s‐‑–]analysis)\b"
SURVEY = re.compile(r"(?:^|[:：])\s*" + _KIND, re.IGNORECASE)


def query_words(queries):
    """The distinct words of all queries that say something."""
    words = WORD.findall(" ".join(queries).lower())
    return sorted({w for w in words if len(w) > 3 and w not in STOP})


def score(paper, words):
    """How many of the words begin a word of title or abstract."""
    text = set(WORD.findall((paper["title"] + " " + paper["abstract"]).lower()))
    return sum(1 for word in words if any(t.startswith(word) for t in text))


def is_survey(title):
    return bool(SURVEY.search(title))


def judge(papers, queries):
    """Gives each paper its score and says whether it is a survey."""
    words = query_words(queries)
    for paper in papers:
        paper["score"] = score(paper, words)
        paper["survey"] = is_survey(paper["title"])
    return papers


def ordered(papers):
    """Surveys last, then by score, then by citations; equal ones keep their order."""
    return sorted(papers, key=lambda p: (p["survey"], -p["score"], -(p["citation_count"] or 0)))
