"""Tests of what the search computes without a network. Run by the Go tests: python3 units_test.py FOLDER_OF_THE_SCRIPTS."""

import ast
import contextlib
import io
import itertools
import pathlib
import random
import sys
import unittest

sys.dont_write_bytecode = True
SCRIPTS = sys.argv.pop(1)
sys.path.insert(0, SCRIPTS)

import ranking  # noqa: E402
import records  # noqa: E402
import search_papers  # noqa: E402
import settings  # noqa: E402
import sources  # noqa: E402
from fetch import retry_after  # noqa: E402


def rec(source="arxiv", title="T", **fields):
    return records.record(source, title=title, **fields)


class Promise(unittest.TestCase):
    def test_python_3_9_and_its_library_are_enough(self):
        files = sorted(pathlib.Path(SCRIPTS).glob("*.py"))
        self.assertGreater(len(files), 5)
        known = set(sys.stdlib_module_names) | {f.stem for f in files}
        for file in files:
            tree = ast.parse(file.read_text(encoding="utf-8"), feature_version=(3, 9))
            for node in ast.walk(tree):
                names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) else []
                for name in names:
                    self.assertIn(name.split(".")[0], known, file.name)


class Normal(unittest.TestCase):
    def test_doi(self):
        for text in ("10.5555/A.b", "https://doi.org/10.5555/a.B", "http://dx.doi.org/10.5555/A.B", "doi:10.5555/A.B", "DOI: 10.5555/a.b"):
            self.assertEqual(records.normal_doi(text), "10.5555/a.b", text)
        for text in ("", None, "none", "https://example.org/10.5555/a"):
            self.assertEqual(records.normal_doi(text), "", text)

    def test_arxiv(self):
        for text in ("2401.00001", "2401.00001v3", "arXiv:2401.00001v1", "http://arxiv.org/abs/2401.00001v2", "https://arxiv.org/pdf/2401.00001v2.pdf"):
            self.assertEqual(records.normal_arxiv(text), "2401.00001", text)
        self.assertEqual(records.normal_arxiv("http://arxiv.org/abs/cs/9901001v1"), "cs/9901001")
        self.assertEqual(records.normal_arxiv("math.GT/0309136"), "math.gt/0309136")
        for text in ("", None, "12", "https://example.org/2401.00001"):
            self.assertEqual(records.normal_arxiv(text), "", text)
        self.assertEqual(rec(doi="10.48550/arXiv.2401.00001")["arxiv_id"], "2401.00001")

    def test_title(self):
        self.assertEqual(records.normal_title("  On “Graphs”: A-Z & 3D!"), "on graphs a z 3d")
        self.assertEqual(records.normal_title("图，网络。"), "图 网络")

    def test_texts_are_one_plain_line(self):
        self.assertEqual(records.clean("<jats:p>CO<sub>2</sub>\n &amp; a &lt; b</jats:p>\x1b[31m\u202e"), "CO2 & a < b [31m")
        self.assertEqual(records.clean("for n<k and m>3"), "for n<k and m>3")
        self.assertEqual(records.clean(None), "")

    def test_links_lead_to_the_web(self):
        self.assertEqual(rec(url="javascript:alert(1)")["url"], "")
        self.assertEqual(rec(url="https://example.org/x")["url"], "https://example.org/x")

    def test_dates(self):
        for text, want in (("2024-05-31T10:00", "2024-05-31"), ("2024-05", "2024-05"), ("2024", "2024"), ("2024-13-01", "2024"), ("soon", ""), (None, "")):
            self.assertEqual(records.normal_date(text), want, text)
        self.assertEqual(rec(publication_date="2024-05")["year"], 2024)


class Dates(unittest.TestCase):
    def test_days_are_included_and_what_is_unknown_stays(self):
        span = {"start_year": 2023, "end_year": 2024, "start_date": "2023-06-15", "end_date": "2024-02-10"}
        for fields, want in (
            ({"publication_date": "2023-06-15"}, True),
            ({"publication_date": "2023-06-14"}, False),
            ({"publication_date": "2024-02-10"}, True),
            ({"publication_date": "2024-02-11"}, False),
            ({"publication_date": "2023-06"}, True),
            ({"publication_date": "2023-05"}, False),
            ({"publication_date": "2024"}, True),
            ({"publication_date": "2024-03"}, False),
            ({"year": 2023}, True),
            ({"year": 2022}, False),
            ({}, True),
        ):
            self.assertEqual(records.within(rec(**fields), span), want, fields)


class Merge(unittest.TestCase):
    def test_first_doi_then_arxiv_then_title(self):
        a = rec("semantic_scholar", "One", doi="10.5555/1")
        b = rec("arxiv", "Two", arxiv_id="2401.00001")
        c = rec("crossref", "Two!", doi="10.5555/1")  # the DOI counts more than the title
        papers = records.merge([c, b, a])
        self.assertEqual([p["found_in"] for p in papers], [["semantic_scholar", "crossref"], ["arxiv"]])

    def test_keys_of_a_later_record_are_known(self):
        a = rec("semantic_scholar", "One", doi="10.5555/1")
        b = rec("open_alex", "One", doi="10.5555/2", arxiv_id="2401.00001")
        c = rec("arxiv", "Another title", arxiv_id="2401.00001")
        self.assertEqual([p["found_in"] for p in records.merge([a, b, c])], [["semantic_scholar", "open_alex", "arxiv"]])

    def test_a_record_with_both_numbers_joins_two_papers(self):
        a = rec("semantic_scholar", "One", doi="10.5555/1")
        b = rec("arxiv", "Two", arxiv_id="2401.00001")
        c = rec("crossref", "Three", doi="10.5555/1", arxiv_id="2401.00001")
        self.assertEqual([p["found_in"] for p in records.merge([a, b, c])], [["semantic_scholar", "arxiv", "crossref"]])

    def test_the_best_source_speaks_and_others_fill_its_gaps(self):
        a = rec("dblp", "One", venue="V", year=2024, citation_count=None)
        b = rec("open_alex", "One", abstract="text", citation_count=3)
        c = rec("crossref", "One", abstract="other", citation_count=8)
        p = records.merge([a, c, b])[0]
        got = (p["source"], p["abstract"], p["venue"], p["year"], p["citation_count"], p["found_in"])
        self.assertEqual(got, ("open_alex", "text", "V", 2024, 8, ["open_alex", "crossref", "dblp"]))

    def test_titles_without_letters_are_no_key(self):
        self.assertEqual(len(records.merge([rec("arxiv", "???"), rec("dblp", "!!!")])), 2)

    def test_any_records(self):
        rng = random.Random(7)
        for _ in range(300):
            have = [
                rec(
                    rng.choice(records.PRIORITY),
                    "title %d" % rng.randrange(9),
                    doi=rng.choice(("", "10.5555/%d" % rng.randrange(6))),
                    arxiv_id=rng.choice(("", "2401.0000%d" % rng.randrange(6))),
                    citation_count=rng.choice((None, rng.randrange(50))),
                )
                for _ in range(rng.randrange(12))
            ]
            papers = records.merge(have)
            self.assertLessEqual(len(papers), len(have))
            self.assertEqual({r["source"] for r in have}, {s for p in papers for s in p["found_in"]})
            counts = [r["citation_count"] for r in have if r["citation_count"] is not None]
            self.assertEqual(max((p["citation_count"] or 0 for p in papers), default=0), max(counts, default=0))
            for p, q in itertools.combinations(papers, 2):
                self.assertFalse(set(records.strong_keys(p)) & set(records.strong_keys(q)), have)
            self.assertEqual(len(records.merge(papers)), len(records.merge(records.merge(papers))))


class Rank(unittest.TestCase):
    def test_words(self):
        self.assertEqual(ranking.query_words(["Graph-based nets for the roads", "graph with using"]), ["graph", "nets", "roads"])

    def test_score(self):
        words = ranking.query_words(["traffic graph forecast missing"])
        self.assertEqual(ranking.score({"title": "Forecasting in graphs", "abstract": "Paragraph: traffic, traffic."}, words), 3)

    def test_survey(self):
        for title in (
            "Survey of things", "A survey of things", "An Review", "A comprehensive survey", "Systematic review of X", "A brief review",
            "Meta-analysis of X", "Things: a survey", "Things: A Systematic Review of X", "Review", "事物：survey",
        ):
            self.assertTrue(ranking.is_survey(title), title)
        for title in ("Surveying land", "Reviewer assignment", "We survey things", "Things and a survey", "The surveyor: land", ""):
            self.assertFalse(ranking.is_survey(title), title)

    def test_order(self):
        papers = [
            {"n": n, "survey": s, "score": k, "citation_count": c}
            for n, s, k, c in ((1, True, 9, 9), (2, False, 1, 5), (3, False, 1, None), (4, False, 2, 0), (5, False, 1, 7), (6, True, 9, 10))
        ]
        self.assertEqual([p["n"] for p in ranking.ordered(papers)], [4, 5, 2, 3, 6, 1])


class Answers(unittest.TestCase):
    def test_entries_that_cannot_be_read_are_left_out(self):
        hits = [{}, {"info": {"title": "A."}}, {"info": None}, 3, None, {"info": {"title": ""}}]
        self.assertEqual([r["title"] for r in sources.read_entries("dblp", hits, sources.dblp_entry)], ["A"])

    def test_nothing_found_is_no_error(self):
        self.assertEqual(sources.entries_at({"data": None}, "data"), [])
        with self.assertRaises(sources.SourceError):
            sources.entries_at({"message": "limit"}, "data")
        with self.assertRaises(sources.SourceError):
            sources.entries_at([], "data")

    def test_odd_values(self):
        self.assertEqual(sources.crossref_date({"issued": {"date-parts": [[None]]}}), "")
        self.assertEqual(sources.crossref_date({"issued": {"date-parts": [[2024, 5, 1]]}}), "2024-05-01")
        self.assertEqual(sources.crossref_date({}), "")
        self.assertIsNone(sources.day_of(10**20))
        self.assertEqual(sources.uninvert({"b": [1], "a": [0, 2]}), "a b a")


class Settings(unittest.TestCase):
    def test_budgets(self):
        got = settings.budgets("dblp=5, 20", 600)
        self.assertEqual((got["dblp"], got["arxiv"]), (5, 20))
        self.assertEqual(settings.budgets("dblp=5", 600)["arxiv"], 600)

    def test_defaults(self):
        got = settings.load({}, "/nonexistent/.env")
        self.assertEqual((got["connect_seconds"], got["idle_seconds"], got["attempts"], got["credentials"]), (15, 300, 4, {}))
        self.assertEqual(got["addresses"], settings.ADDRESSES)

    def test_bad_values_are_named(self):
        for name, values in {
            settings.CONNECT: ("soon", "0", "1e999"),
            settings.IDLE: ("-1", "nan"),
            settings.BUDGET: ("inf", "arxive=3", "arxiv=x", "arxiv="),
            settings.ATTEMPTS: ("0", "1.5", "101", "-1", "²"),
            settings.WAIT: ("x", "-1"),
            settings.address_variable("dblp"): ("file:///etc/passwd", "example.org", "https://"),
        }.items():
            for value in values:
                with self.assertRaisesRegex(settings.BadSetting, "^%s: " % name, msg=value):
                    settings.load({name: value}, "/nonexistent/.env")

    def test_retry_after(self):
        self.assertEqual(retry_after("7"), 7)
        self.assertEqual(retry_after("Wed, 21 Oct 2015 07:28:00 GMT"), 0)
        for text in (None, "", "soon"):
            self.assertIsNone(retry_after(text))


class Arguments(unittest.TestCase):
    def refused(self, *argv):
        err = io.StringIO()
        with contextlib.redirect_stderr(err), self.assertRaises(SystemExit) as end:
            search_papers.arguments(argv)
        self.assertEqual(end.exception.code, 2, argv)
        return err.getvalue()

    def test_mistakes_are_named(self):
        years = ("--start-year", "2023", "--end-year", "2024")
        for want, argv in (
            ("required: --start-year, --end-year", ("--query", "x")),
            ("one of the arguments --query --queries is required", years),
            ("not allowed with argument", ("--query", "x", "--queries", "y", *years)),
            ("the query has no word", ("--queries", " | ?|", *years)),
            ("'23' is not a year of four digits", ("--query", "x", "--start-year", "23", "--end-year", "2024")),
            ("--start-year 2025 is after --end-year 2024", ("--query", "x", "--start-year", "2025", "--end-year", "2024")),
            ("'2024-02-30' is not a day like 2024-05-31", ("--query", "x", "--end-date", "2024-02-30", *years)),
            ("--start-date 2024-02-02 is after", ("--query", "x", "--start-date", "2024-02-02", "--end-date", "2024-02-01", *years)),
            ("'0' is not a number from 1 to 100", ("--query", "x", "--max-papers", "0", *years)),
            ("'101' is not a number from 1 to 100", ("--query", "x", "--max-papers", "101", *years)),
            ("unknown source scholar; there are arxiv", ("--query", "x", "--sources", "dblp,scholar", *years)),
            ("unknown source ''", ("--query", "x", "--sources", "", *years)),
            ("'.' is not a name for a file", ("--query", "x", "--json", ".", *years)),
            ("unrecognized arguments: --max", ("--query", "x", "--max", "3", *years)),
        ):
            self.assertIn(want, self.refused(*argv), argv)

    def test_sources(self):
        years = ("--query", "x", "--start-year", "2023", "--end-year", "2024")
        self.assertEqual(search_papers.arguments(years).sources, list(settings.ADDRESSES))
        got = search_papers.arguments((*years, "--sources", "DBLP,open-alex", "dblp", "--sources", "model_knowledge")).sources
        self.assertEqual(got, ["dblp", "open_alex", "model_knowledge"])


if __name__ == "__main__":
    unittest.main()
