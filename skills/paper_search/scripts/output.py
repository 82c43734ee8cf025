"""The texts that the search prints, and the file of full records."""

from __future__ import annotations

import json
import os
import tempfile

RECALLED = "model_knowledge"


def hits(result):
    """The line of one source."""
    if result["source"] == RECALLED:
        return "%s: recalled by the model, nothing to ask" % RECALLED
    line = "%s: %d hits" % (result["source"], len(result["papers"]))
    if result["failures"]:
        line += " [ERROR: %s]" % "; ".join(result["failures"])
    return line


def paper_lines(number, paper):
    head = "%d. [score %d]%s %s" % (number, paper["score"], " [survey]" if paper["survey"] else "", paper["title"])
    authors = ", ".join(paper["authors"][:3]) + (" et al." if len(paper["authors"]) > 3 else "")
    cited = "unknown" if paper["citation_count"] is None else paper["citation_count"]
    lines = [
        head,
        "   Authors: %s" % (authors or "unknown"),
        "   Year: %s | Date: %s | Citations: %s | Venue: %s"
        % (paper["year"] or "unknown", paper["publication_date"] or "unknown", cited, paper["venue"] or "unknown"),
        "   Sources: %s" % ", ".join(paper["found_in"]),
    ]
    ids = [name + paper[key] for name, key in (("DOI: ", "doi"), ("arXiv: ", "arxiv_id")) if paper[key]]
    if ids:
        lines.append("   " + " | ".join(ids))
    if paper["url"]:
        lines.append("   URL: %s" % paper["url"])
    return lines


def listing(papers):
    lines = []
    for number, paper in enumerate(papers, 1):
        lines += ["", *paper_lines(number, paper)]
    return lines


def grouped(results, papers):
    """The records of each source under its name."""
    lines = []
    for result in results:
        mine = [p for p in papers if p["source"] == result["source"]]
        if mine:
            lines += ["", "== %s (%d) ==" % (result["source"], len(mine)), *listing(mine)]
    return lines


def write_json(path, papers):
    """Writes the full records; the file is there as a whole or not at all."""
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=folder, delete=False) as f:
        try:
            json.dump(papers, f, ensure_ascii=False, indent=2)
            f.write("\n")
            f.close()
            os.replace(f.name, path)
        except BaseException:
            f.close()
            os.unlink(f.name)
            raise
