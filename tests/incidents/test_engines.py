"""Engines that hang, crash, eat memory or are told to wait: the other pages are right, and nothing stays behind."""

from __future__ import annotations

import pytest

import quire
from quire.recognize import vision
from tests import scans
from tests.fakes.engines import BadEngine, NumberEngine, calls, held, said_of
from tests.fakes.vision_server import reads, refuses, vision_server
from tests.unit.system.workers.watching import living

pytestmark = pytest.mark.processes


def right(result, *, failed=()):
    """Every page says what it shows, but for those that failed; the ledger adds up."""
    for page in result.pages:
        expected = ("failed", "") if page.number in failed else ("ok", said_of(page.number))
        assert (page.status, page.text) == expected
    ledger = result.ledger
    assert ledger.pages == ledger.ok + ledger.empty + ledger.failed + ledger.skipped == len(result.pages)
    assert result.status == ("partial" if failed else "complete")
    return True


def attempts(result, page):
    return [(attempt.engine, attempt.outcome) for attempt in result.path[page]]


def test_an_engine_that_hangs_deaf_to_signals_and_holds_children_is_ended_and_followed(pool, tmp_path, monkeypatch):
    log = tmp_path / "calls"
    bad = BadEngine(how="hang", on=(2,), log=log, timeout_s=3.0)
    result = quire.read(scans.numbered_scans(4), engines=[bad, NumberEngine()])
    assert right(result)
    assert attempts(result, 2) == [("bad", "timeout"), ("numbers", "ok")]
    assert "no answer within" in result.path[2][0].reason
    assert len(held(log)) == 4
    assert living(held(log)) == []


@pytest.mark.parametrize(("how", "said"), [("segfault", "SIGSEGV"), ("exit", "exit code 7")])
def test_an_engine_that_crashes_its_worker_is_followed(pool, how, said):
    result = quire.read(scans.numbered_scans(4), engines=[BadEngine(how=how, on=(2, 3)), NumberEngine()])
    assert right(result)
    for page in (2, 3):
        assert attempts(result, page) == [("bad", "crashed"), ("numbers", "ok")]
        assert said in result.path[page][0].reason


def test_an_engine_that_eats_memory_is_ended(pool):
    result = quire.read(scans.numbered_scans(3), engines=[BadEngine(how="eat", on=(2,)), NumberEngine()])
    assert right(result)
    assert attempts(result, 2) == [("bad", "crashed"), ("numbers", "ok")]
    assert "500 MB" in result.path[2][0].reason


def test_a_poison_page_among_twenty_costs_itself(pool, tmp_path):
    log = tmp_path / "calls"
    result = quire.read(scans.numbered_scans(20), engines=BadEngine(how="segfault", on=(7,), log=log))
    assert right(result, failed={7})
    assert "SIGSEGV" in result.pages[6].info.reason
    assert len(calls(log)) == 20, "nobody was asked twice"


@pytest.mark.parametrize("name", ["page.png", "page.tiff"])
def test_a_picture_that_claims_to_be_vast_is_refused(pool, name):
    data = scans.header_bomb() if name.endswith("png") else scans.tiff_bomb()
    try:
        result = quire.read(data, engines=NumberEngine())
    except quire.LimitError as error:
        assert "pixels" in str(error)
    else:
        assert result.pages[0].status == "failed"
        assert "pixels" in result.pages[0].info.reason


def test_a_vast_picture_among_the_pages_of_a_file_costs_its_page(pool):
    data = scans.bomb_between(scans.numbered_sheet(1), scans.numbered_sheet(3))
    result = quire.read(data, engines=NumberEngine(), ocr="always")
    assert [page.text for page in result.pages][::2] == [said_of(1), said_of(3)]
    assert result.ledger.pages == 3


def test_an_engine_that_is_told_to_wait_waits_and_succeeds(tmp_path):
    with vision_server(refuses(429, "slow down", Retry_After="0"), reads("what the model saw")) as server:
        engine = vision(server.url, "model")
        result = quire.read(scans.numbered_scans(1), engines=engine, store=tmp_path)
        assert len(server.requests) == 2
        again = quire.read(scans.numbered_scans(1), engines=engine, store=tmp_path)
        assert len(server.requests) == 2
    assert result.to_text().strip() == "what the model saw"
    assert attempts(result, 1) == [(engine.name, "ok")]
    assert again.to_json() == result.to_json()


def test_a_server_that_is_down_is_followed_by_the_next_engine():
    with vision_server(refuses(500, "out of order")) as server:
        engine = vision(server.url, "model", timeout_s=5)
        result = quire.read(scans.numbered_scans(1), engines=[engine, NumberEngine()])
    assert right(result)
    assert [outcome for _, outcome in attempts(result, 1)] == ["failed", "ok"]
    assert "out of order" in result.path[1][0].reason
