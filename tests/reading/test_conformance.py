"""One suite for every way to read a document: the same documents and engines, and the same comes of it.

What a pipeline gives is its own in some things, and not compared: it reads pictures of pages and never the text of the
file, so only scans are; it has one engine; the reason of a failed page is the engine's, without "no engine could read
it"; its events are about regions, so that of the events the attempts are compared.
"""

from __future__ import annotations

import pytest

from quire.core.errors import EXIT_COMPLETE, EXIT_PARTIAL, LimitError
from tests import scans
from tests.fakes.engines import held
from tests.reading.cases import CASES
from tests.reading.engines import BAD_SHEET
from tests.unit.system.workers.watching import living

pytestmark = pytest.mark.servers

READ = [name for name, case in CASES.items() if not case.error]
SCANS = [name for name in READ if not CASES[name].pipeline]

reads = pytest.mark.parametrize("name", READ, scope="session")
read_by_runs = pytest.mark.parametrize(
    "way", ["read-isolated", "stream", "document-run", "batch", "restate"], scope="session"
)
pipelines = pytest.mark.parametrize(("way", "name"), [("pipeline", name) for name in SCANS], scope="session")


def test_read_gives_what_the_case_says(calm, case):
    """The others are compared with it."""
    assert calm.survived
    assert calm.failed.get("error", "") == case.error
    if case.error:
        return
    assert calm.statuses == case.statuses
    attempts = [(engine, outcome) for engine, outcome, _ in calm.attempts.get(BAD_SHEET, ())]
    assert not case.attempts or attempts == list(case.attempts)
    assert calm.trace == calm.attempts


def test_the_program_of_the_caller_lives_on(told):
    assert told.survived


@read_by_runs
@reads
def test_the_ledger_is_the_same(told, calm):
    assert told.ledger == calm.ledger


@read_by_runs
@reads
def test_the_blocks_and_their_words_are_the_same(told, calm):
    assert told.blocks == calm.blocks


@read_by_runs
@reads
def test_the_events_of_each_page_are_the_same(told, calm, name):
    def of_pages(reading):
        return {number: events for number, events in reading.events.items() if number}

    assert of_pages(told) == of_pages(calm)


@read_by_runs
@reads
def test_the_events_of_the_document_are_the_same(told, calm, way):
    expected = calm.events[None]
    if way == "stream":  # it ends before the document is assembled
        expected = [event for event in expected if event[0] != "document"]
    assert told.events[None] == expected


@read_by_runs
@reads
def test_how_each_page_was_read_is_in_the_result(told, calm, way):
    if way == "stream":  # pages have no path; their attempts are told
        assert told.attempts == calm.trace
    else:
        assert told.trace == calm.trace


@reads
def test_the_engines_are_asked_the_same(told, calm, way, case):
    if way == "pipeline" and case.pipeline:
        return
    assert told.questions == calm.questions


@read_by_runs
@pytest.mark.parametrize("name", ["mixed"], scope="session")
def test_what_read_has_stored_is_found_in_every_way(suite, way, name):
    told, again = suite.read_after("read", way, name), suite.read_after("read", "read", name)
    assert (told.ledger, told.blocks, told.questions) == (again.ledger, again.blocks, [])
    pages = [{number: events for number, events in one.events.items() if number} for one in (told, again)]
    assert pages[0] == pages[1]


@pytest.mark.parametrize("name", ["areas-by-hand"], scope="session")
def test_areas_beside_a_document_are_used_everywhere(told, way):
    if way != "pipeline":  # it finds no tables
        assert [page.get("tables") for page in told.told["result"]["document"]["pages"]] == [None, "1 area by hand"]
        assert "table" in [block["kind"] for block in told.told["result"]["blocks"] if block["page"] == 2]


@pytest.mark.parametrize("name", ["hostile-document"], scope="session")
def test_a_document_that_is_refused_is_refused_everywhere(told, calm, way):
    assert calm.failed["category"] == "input"
    if way == "batch":
        assert (told.told["code"], told.told["result"]) == (LimitError.exit_code, None)
        return
    assert told.failed["category"] == "input"
    # The runs have an error of their own, about the run, which says the same.
    assert told.failed["message"] in calm.failed["message"]


@pytest.mark.parametrize("way", ["batch"], scope="session")
@reads
def test_the_exit_code_of_a_batch_says_whether_all_pages_were_read(told, calm):
    whole = all(page["status"] in ("ok", "empty") for page in calm.ledger)
    assert told.told["code"] == (EXIT_COMPLETE if whole else EXIT_PARTIAL)


@pytest.mark.parametrize("name", ["engine-hangs"], scope="session")
def test_an_engine_that_hangs_is_ended(told, suite):
    assert living(held(suite.log)) == []


@pipelines
def test_a_pipeline_has_the_ledger_of_a_read(told, calm):
    """Without the account of characters: a pipeline lays out nothing."""

    def known(reading):
        own = ("reason", "characters")
        return [{name: value for name, value in page.items() if name not in own} for page in reading.ledger]

    assert known(told) == known(calm)


@pipelines
def test_a_pipeline_has_the_blocks_of_a_read(told, calm):
    assert told.blocks == calm.blocks


@pipelines
def test_a_pipeline_makes_the_attempts_of_a_read(told, calm):
    assert told.attempts == calm.attempts


def test_three_programs_in_their_own_ways_hold_the_limit_of_an_engine(suite, program, tmp_path):
    ways = ("read", "document-run", "pipeline")
    programs = [program() for _ in ways]
    for number, (way, one) in enumerate(zip(ways, programs, strict=True)):
        path = tmp_path / f"{way}.pdf"
        sheets = range(30 + 3 * number, 33 + 3 * number)
        path.write_bytes(scans.scanned(*(scans.numbered_sheet(sheet) for sheet in sheets)))
        one.ask(way, "limited", path, tmp_path / "store")
    for one in programs:
        assert [page["status"] for page in one.answer()["result"]["document"]["pages"]] == ["ok"] * 3
    lines = [line for line in suite.log.read_text().splitlines() if line.startswith(("begin", "end"))]
    assert len(lines) == 2 * 9
    for begin, end in zip(lines[::2], lines[1::2], strict=True):
        assert (begin.split()[0], end.split()[0], begin.split()[1]) == ("begin", "end", end.split()[1])
