"""Recognising pages: the route of each page, attempt by attempt, with engines that need no model."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from dataclasses import replace

import pytest

import quire
from quire.core.document import Document
from quire.core.engine import Provenance, ReadLine
from quire.core.keys import digest_bytes
from quire.core.opened import Opened
from quire.core.types import AnswerSource, BBox
from quire.pages.recognize.echo import EchoEngine, EchoProfile
from quire.pages.recognize.options import RecognizeOptions
from quire.pages.recognize.plain import from_function
from quire.pages.recognize.routing import Needs
from quire.reading.recognizer import Recognizer
from quire.reading.stage_run import StagedRun
from quire.store.files import FileStore
from tests import documents, scans
from tests.changed_code import change_code
from tests.fakes.engines import BadEngine, NumberEngine, SlowEngine, calls, said_of

pytestmark = [pytest.mark.processes, pytest.mark.both_readers]


@pytest.fixture
def log(tmp_path):
    """Where engines note what they are asked."""
    return tmp_path / "calls"


def attempts(result, page=1):
    return [(attempt.engine, attempt.outcome) for attempt in result.path.get(page, ())]


def recognised(path, engine, folder):
    """One page as the stages after recognition get it."""
    similar = folder / "pictures"
    with FileStore(folder) as store, Document(path) as document:
        source = Opened(path, path.name, document.id)
        run = StagedRun(store, run="r", document=document.id)
        options = RecognizeOptions("always", engines=(engine,), similar=similar)
        recognizer = Recognizer(source, document.reader.name, run, options)
        [text] = document.reader.text([1], threads=1)
        try:
            return recognizer.wait(recognizer.start(1, text, digest_bytes(text), Needs("asked for", whole=True)))
        finally:
            recognizer.close()


@pytest.mark.parametrize("policy", ["cpu", "io"])
def test_where_an_answer_came_from_is_part_of_the_reading(tmp_path, log, policy):
    sheet = scans.numbered_sheet(5).picture
    sheet.save(tmp_path / "sheet.png", dpi=(96, 96))
    sheet.save(tmp_path / "again.jpg", quality=95, dpi=(96, 96))
    engine = NumberEngine(log=log, policy=policy)
    names = ("sheet.png", "sheet.png", "again.jpg")
    asked, exact, similar = (recognised(tmp_path / name, engine, tmp_path / "store") for name in names)
    assert calls(log) == ["numbers 5"]
    first, again, alike = (one.reading.source for one in (asked, exact, similar))
    assert first == AnswerSource("numbers", "1", engine.profile.digest(), first.key)
    assert again == first
    assert alike == replace(first, similarity=alike.similarity)
    assert (first.tier, alike.tier, 0.99 <= alike.similarity < 1.0) == ("exact", "semantic", True)
    for one, tier in ((asked, "asked"), (exact, "exact"), (similar, "semantic")):
        [recognition] = one.reading.readings
        assert recognition.provenance == Provenance(tier, one.reading.source)
    assert asked.inputs == exact.inputs != similar.inputs


def test_every_page_of_a_scan_is_read_and_says_by_whom():
    result = quire.read(scans.numbered_scans(5), engines=NumberEngine())
    assert [page.text for page in result.pages] == [said_of(number) for number in range(1, 6)]
    assert result.status == "complete"
    assert {block.engine for block in result.blocks} == {"numbers"}
    assert [block.confidence for block in result.blocks] == [0.99] * 5
    assert [word.confidence for word in result.blocks[0].words] == [0.99] * 6
    assert {page: attempts(result, page) for page in result.path} == {n: [("numbers", "ok")] for n in range(1, 6)}


def test_boxes_are_where_the_engine_saw_the_words():
    [block] = quire.read(scans.numbered_scans(1), engines=NumberEngine()).blocks
    assert block.bbox.points((1, 1)) == pytest.approx(scans.numbered_sheet(1).lines[0].box, abs=0.005)


def test_what_happens_is_told_in_the_thread_of_the_caller_and_in_the_order_of_the_page():
    told = []
    quire.read(
        scans.numbered_scans(4),
        engines=NumberEngine(),
        on_event=lambda event: told.append((threading.get_ident(), event)),
    )
    assert {thread for thread, _ in told} == {threading.get_ident()}
    events = [event for _, event in told]
    for page in range(1, 5):
        assert [(event.kind, event.stage) for event in events if event.page == page] == [
            ("started", "native-text"),
            ("finished", "native-text"),
            ("started", "recognize"),
            ("partial", "recognize"),
            ("finished", "render"),
            ("attempt", "recognize"),
            ("finished", "recognize"),
            ("started", "recognised-text"),
            ("finished", "recognised-text"),
            ("started", "page-blocks"),
            ("finished", "page-blocks"),
        ]
    [attempt] = [event for event in events if event.kind == "attempt" and event.page == 3]
    told_of_it = {"engine": "numbers", "outcome": "ok", "reason": "", "tier": "asked", "ms": 0, "queue_ms": 0}
    assert {**attempt.payload, "ms": 0, "queue_ms": 0} == told_of_it
    assert attempt.key is not None
    assert [event.payload for event in events if event.kind == "partial" and event.page == 3] == [
        {"partial_text": "Sheet number 3"}
    ]
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert len({event.id for event in events}) == len(events)


def test_asking_again_is_a_look_up(tmp_path, log):
    data, told = scans.numbered_scans(3), []
    engine = NumberEngine(log=log)
    first = quire.read(data, engines=engine, store=tmp_path / "store")
    assert len(calls(log)) == 3
    second = quire.read(data, engines=engine, store=tmp_path / "store", on_event=told.append)
    assert len(calls(log)) == 3
    assert {event.kind for event in told if event.stage not in ("read", "recognize")} == {"hit"}
    hits = [event for event in told if event.stage == "recognize" and event.kind == "hit"]
    assert sorted(event.page for event in hits) == [1, 2, 3]
    assert hits[0].payload == {"engine": "numbers", "tier": "exact", "similarity": None}
    assert {event.payload["outcome"] for event in told if event.kind == "attempt"} == {"hit"}
    assert second.to_json(words=True, trace=True) == first.to_json(words=True, trace=True)


def test_an_answer_outlives_the_code_that_understands_it(tmp_path, log, monkeypatch):
    data, engine = scans.numbered_scans(2), NumberEngine(log=log)
    first = quire.read(data, engines=engine, store=tmp_path / "store")
    change_code(monkeypatch, tmp_path, "pages/recognize/recognised_text.py")
    told = []
    second = quire.read(data, engines=engine, store=tmp_path / "store", on_event=told.append)
    assert len(calls(log)) == 2
    placed_again = [event.page for event in told if event.stage == "recognised-text" and event.kind == "finished"]
    assert placed_again == [1, 2]
    assert second.to_json() == first.to_json()


def test_another_version_of_an_engine_is_asked_again(tmp_path, log):
    data, engine = scans.numbered_scans(1), NumberEngine(log=log)
    for version in ("1", "2", "2"):
        quire.read(data, engines=replace(engine, version=version), store=tmp_path / "store")
    assert len(calls(log)) == 2


def test_other_documents_with_the_same_picture_share_the_answer(tmp_path, log):
    engine = NumberEngine(log=log)
    for sheets in ((5,), (6, 5)):
        data = scans.scanned(*(scans.numbered_sheet(number) for number in sheets))
        assert quire.read(data, engines=engine, store=tmp_path / "store").status == "complete"
    assert calls(log) == ["numbers 5", "numbers 6"]


def test_a_page_that_looks_like_another_of_the_document_says_so(log):
    data = scans.scanned(*[scans.numbered_sheet(5)] * 3)
    result = quire.read(data, engines=NumberEngine(log=log), workers=1)
    assert [page.text for page in result.pages] == [said_of(5)] * 3
    assert calls(log) == ["numbers 5"]
    assert sorted(attempts(result, page) for page in (1, 2, 3)) == [
        [("numbers", "hit")],
        [("numbers", "hit")],
        [("numbers", "ok")],
    ]


def test_json_is_the_same_bytes_every_time_and_at_any_number_of_workers():
    data = scans.numbered_scans(6)
    texts = {quire.read(data, engines=NumberEngine(), workers=workers).to_json(words=True) for workers in (1, 2, 2)}
    assert len(texts) == 1
    assert '"trace"' not in texts.pop()


def test_json_with_the_trace_tells_every_attempt():
    result = quire.read(scans.numbered_scans(2), engines=[BadEngine(on=(2,)), NumberEngine()])
    trace = json.loads(result.to_json(trace=True))["trace"]
    assert [entry["page"] for entry in trace] == [1, 2]
    [failed, ok] = trace[1]["attempts"]
    assert (failed["engine"], failed["outcome"]) == ("bad", "failed")
    assert "in a bad mood" in failed["reason"] and failed["ms"] > 0
    assert (ok["engine"], ok["outcome"]) == ("numbers", "ok")


MISBEHAVIOUR = [
    ("raise", "failed", "ValueError: the model is in a bad mood"),
    ("raise engine error", "failed", "no such model"),
    ("raise usage error", "failed", "UsageError: an error of the engine's own library"),
    ("leave", "failed", "SystemExit"),
    ("no bytes", "failed", "instead of bytes"),
    ("outside", "garbage", "boxes lie outside the page"),
    ("not a number", "garbage", "boxes"),
    ("no lines", "garbage", "there is no answer"),
    ("empty", "garbage", "answer"),
    ("half", "garbage", "answer"),
    ("interpret", "garbage", "RuntimeError: the interpreter fell over"),
    ("no list", "garbage", ""),
]


@pytest.mark.parametrize(("how", "outcome", "reason"), MISBEHAVIOUR, ids=[how for how, _, _ in MISBEHAVIOUR])
@pytest.mark.parametrize("policy", ["cpu", "io"])
def test_an_engine_that_fails_or_talks_nonsense_is_followed_by_the_next(how, outcome, reason, policy):
    data = scans.numbered_scans(2)
    bad = BadEngine(how=how, on=(2,), policy=policy)
    result = quire.read(data, engines=[bad, NumberEngine()])
    assert [page.text for page in result.pages] == [said_of(1), said_of(2)]
    assert result.status == "complete"
    assert attempts(result, 1) == [("bad", "ok")]
    assert attempts(result, 2) == [("bad", outcome), ("numbers", "ok")]
    assert reason in result.path[2][0].reason
    alone = quire.read(data, engines=NumberEngine(), pages="2")
    assert result.pages[1].blocks == alone.pages[0].blocks, "nobody can tell that another engine was asked before"


def test_a_page_that_nobody_can_read_fails_and_the_document_goes_on():
    told = []
    engines = [BadEngine(name="first", on=(2,)), BadEngine(name="second", how="half", on=(2,))]
    result = quire.read(scans.numbered_scans(3), engines=engines, on_event=told.append)
    assert [page.status for page in result.pages] == ["ok", "failed", "ok"]
    assert result.status == "partial"
    reason = result.pages[1].info.reason
    assert reason.startswith(
        "no engine could read it (first failed: ValueError: the model is in a bad mood; second garb"
    )
    assert attempts(result, 2) == [("first", "failed"), ("second", "garbage")]
    assert (result.ledger.pages, result.ledger.ok, result.ledger.failed) == (3, 2, 1)
    assert told[-1].payload["failed"] == 1
    [failed] = [event for event in told if event.kind == "failed"]
    assert (failed.stage, failed.page, failed.payload["reason"]) == ("recognize", 2, reason)


def test_a_failed_page_is_tried_again_by_the_next_read(tmp_path, log):
    data = scans.numbered_scans(2)
    for expected in ("partial", "partial"):
        bad = BadEngine(on=(2,), log=log)
        assert quire.read(data, engines=bad, store=tmp_path / "store").status == expected
    assert sorted(calls(log)) == ["bad 1", "bad 2", "bad 2"]
    mended = quire.read(data, engines=[BadEngine(on=(2,), log=log), NumberEngine()], store=tmp_path / "store")
    assert mended.status == "complete"
    assert attempts(mended, 2) == [("bad", "failed"), ("numbers", "ok")]


def lines_of(count, confidence):
    box = BBox(0.1, 0.1, 0.5, 0.05)
    return tuple(
        ReadLine("words of a doubtful line", replace(box, top=0.1 + 0.1 * n), confidence) for n in range(count)
    )


def doubtful(name, confidence):
    text = f"these are the words that {name} read here"
    return EchoEngine(EchoProfile(text, confidence), name=name)


@pytest.mark.parametrize(
    ("confidences", "outcomes", "winner"),
    [
        ((0.3, 0.9), ("first weak", "second ok"), "second"),
        ((0.3, 0.5), ("first weak", "second weak"), "second"),
        ((0.5, 0.3), ("first weak", "second weak"), "first"),
        ((0.9, 0.9), ("first ok",), "first"),
        ((0.3,), ("first weak",), "first"),
    ],
)
def test_an_unsure_engine_is_followed_by_the_next_and_the_surest_wins(confidences, outcomes, winner):
    engines = [doubtful(name, confidence) for name, confidence in zip(("first", "second"), confidences, strict=False)]
    result = quire.read(scans.numbered_scans(1), engines=engines)
    assert tuple(dict.fromkeys(f"{engine} {outcome}" for engine, outcome in attempts(result))) == outcomes
    assert {block.engine for block in result.blocks} == {winner}
    assert winner in result.to_text()


def test_a_page_with_few_letters_that_nobody_reads_well_is_read_in_all_orientations_and_says_so():
    result = quire.read(scans.numbered_scans(1), engines=[doubtful("first", 0.3)])
    tried = [attempt.reason for attempt in result.path[1]]
    assert tried == ["confidence 0.30", *(f"confidence 0.30, turned {turn} degrees" for turn in (180, 90, 270))]
    [page] = result.pages
    assert (page.status, page.info.is_doubtful, page.info.confidence) == ("ok", True, 0.3)
    assert page.info.reason == "doubtful text: mean confidence of OCR 0.30"


def test_an_engine_behind_a_network_is_asked_about_a_doubtful_page_only_once(log):
    result = quire.read(scans.numbered_scans(1), engines=[NumberEngine(log=log, confidence=0.3, policy="io")])
    assert calls(log) == ["numbers 1"]
    assert result.pages[0].info.is_doubtful


def test_an_unsure_reading_is_better_than_none():
    result = quire.read(scans.numbered_scans(1), engines=[doubtful("first", 0.3), BadEngine(), BadEngine(how="half")])
    assert attempts(result) == [*[("first", "weak")] * 4, ("bad", "failed"), ("bad", "garbage")]
    assert result.status == "complete"
    assert "first" in result.to_text()


def test_a_blank_scan_is_sent_to_nobody(log):
    blank = scans.Sheet(scans.numbered_sheet(1).picture.point(lambda _: 245), ())
    result = quire.read(scans.scanned(blank, scans.numbered_sheet(2)), engines=NumberEngine(log=log))
    assert calls(log) == ["numbers 2"]
    assert attempts(result) == [("blank-gate", "ok")]
    assert [page.status for page in result.pages] == ["empty", "ok"]
    assert result.status == "complete"


def test_never_leaves_scans_out_as_before_and_starts_nobody(log):
    result = quire.read(scans.numbered_scans(2), ocr="never", engines=NumberEngine(log=log))
    assert [(page.status, page.info.reason) for page in result.pages] == [("skipped", "needs-recognition: no text")] * 2
    assert result.path == {}
    assert calls(log) == []


def test_auto_leaves_pages_with_text_alone(log):
    result = quire.read(documents.simple(2), engines=NumberEngine(log=log))
    assert calls(log) == []
    assert {block.engine for block in result.blocks} == {"native"}


def test_always_reads_the_picture_of_a_digital_page_instead_of_its_text():
    result = quire.read(documents.simple(1), ocr="always", engines=EchoEngine(EchoProfile("what I was told")))
    assert result.to_text().strip() == "what I was told"
    assert {block.engine for block in result.blocks} == {"echo"}
    assert attempts(result) == [("echo", "ok")]


def test_a_damaged_text_layer_is_recognised():
    result = quire.read(documents.garbage_mapping(), engines=EchoEngine(EchoProfile("words again")))
    assert result.to_text().strip() == "words again"
    assert result.status == "complete"


def test_engines_that_read_the_language_are_asked_and_others_are_not(log):
    german = NumberEngine(name="german", languages=frozenset({"de", "en"}), log=log)
    russian = NumberEngine(name="russian", languages=frozenset({"ru"}), log=log)
    result = quire.read(scans.numbered_scans(1), engines=[german, russian], lang="ru")
    assert attempts(result) == [("russian", "ok")]
    assert calls(log) == ["russian 1"]


def test_a_language_that_nobody_reads_fails_the_page_and_says_which():
    german = NumberEngine(name="german", languages=frozenset({"de"}))
    result = quire.read(scans.numbered_scans(1), engines=[german], lang=["ru", "deu"])
    assert result.status == "partial"
    assert result.pages[0].info.reason == ("no engine could read it (none of the engines here (german) reads ru, de)")


def test_a_language_that_is_not_installed_names_the_package(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    result = quire.read(scans.numbered_scans(1), lang="ru")
    assert "rapidocr" in result.pages[0].info.reason
    assert "apt install tesseract-ocr" in result.pages[0].info.reason


def test_an_engine_named_but_missing_stops_at_once_and_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(quire.ConfigurationError, match="apt install tesseract-ocr"):
        quire.read(scans.numbered_scans(1), engines="tesseract")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"ocr": "sometimes"}, "choose from auto, always, never"),
        ({"effort": "best"}, "choose from fast, balanced, accurate"),
        ({"engines": "nobody"}, "there is no engine 'nobody'; choose from"),
        ({"lang": "klingon"}, "unknown language 'klingon'"),
        ({"workers": 0}, "workers is 0"),
        ({"workers": "two"}, "workers is 'two'"),
    ],
)
def test_wrong_options_are_mistakes_of_the_caller(options, said):
    with pytest.raises(quire.UsageError, match=said):
        quire.read(scans.numbered_scans(1), **options)


def test_an_engine_that_cannot_be_sent_to_a_worker_runs_here():
    here = os.getpid()
    seen = []
    engine = from_function("lambda", lambda picture, question: seen.append(os.getpid()) or lines_of(1, 0.9))
    result = quire.read(scans.numbered_scans(2), engines=engine)
    assert seen == [here, here]
    assert result.status == "complete"


def test_engines_that_wait_run_in_threads_of_the_parent(log):
    told = []
    engine = NumberEngine(policy="io", log=log)
    result = quire.read(scans.numbered_scans(3), engines=engine, on_event=told.append)
    assert [page.text for page in result.pages] == [said_of(number) for number in (1, 2, 3)]
    assert [event.page for event in told if event.kind == "partial"].count(2) == 1


def test_an_engine_that_waits_too_long_is_left_alone():
    result = quire.read(scans.numbered_scans(1), engines=[SlowEngine(timeout_s=-1.5), NumberEngine()])
    assert attempts(result) == [("slow", "timeout"), ("numbers", "ok")]


def test_only_so_many_questions_at_a_time_as_the_engine_allows():
    running: list[int] = []
    most, lock, two = [0], threading.Lock(), threading.Barrier(2, timeout=30)

    def count(picture, question):
        with lock:
            running.append(1)
            most[0] = max(most[0], len(running))
        two.wait()  # holds the first request until there is a second
        with lock:
            running.pop()
        return lines_of(1, 0.9)

    engine = from_function("two", count, policy="io", max_concurrency=2)
    assert quire.read(scans.numbered_scans(8), engines=engine, workers=2).status == "complete"
    assert most == [2]


def test_leaving_a_stream_ends_the_recognition(log):
    pages = quire.stream(scans.numbered_scans(40), engines=NumberEngine(log=log), workers=1)
    assert next(pages).text == said_of(1)
    pages.close()
    assert len(calls(log)) < 20


def test_astream_gives_recognised_pages_in_order():
    async def texts():
        return [page.text async for page in quire.astream(scans.numbered_scans(4), engines=NumberEngine())]

    assert asyncio.run(texts()) == [said_of(number) for number in range(1, 5)]


def test_bytes_leave_no_copy_behind(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    quire.read(scans.numbered_scans(1), engines=NumberEngine())
    assert [path for path in tmp_path.iterdir() if not path.name.startswith("quire-worker-")] == []


def test_an_encrypted_scan_is_opened_by_workers_too():
    def draw(canvas):
        scans.scan_page(canvas, scans.numbered_sheet(9))

    result = quire.read(documents.drawn(draw, password="secret"), password="secret", engines=NumberEngine())
    assert result.to_text().strip() == said_of(9)


def test_a_scan_in_strips_above_a_line_of_text_is_read(log):
    engine = EchoEngine(EchoProfile("\n".join(["A line of several words that is seen"] * 20)))
    [page] = quire.read(documents.strips(footer="Document 4711 received 2024-05-01"), engines=engine).pages
    assert page.text.count("several words") == 20
    assert page.text.endswith("Document 4711 received 2024-05-01")


LATIN = "A line of Latin letters that every engine reads"


def half_read(picture, question):
    """Sees eight lines and reads every other one: the letters of the others are of a script it does not know."""
    boxes = [BBox(0.1, 0.1 + 0.05 * at, 0.6, 0.02) for at in range(8)]
    texts = [LATIN, "", LATIN, ".", LATIN, "", LATIN, ". :"]
    return [ReadLine(text, box, 0.9) for text, box in zip(texts, boxes, strict=True)]


def test_lines_that_were_seen_and_not_read_are_counted_and_said():
    events = []
    result = quire.read(scans.numbered_scans(1), engines=from_function("latin", half_read), on_event=events.append)
    [page] = result.pages
    characters = page.info.characters
    assert (page.status, result.ledger.left_out, characters.unaccounted) == ("ok", 1, 0)
    assert 100 < characters.left_out["unread"] < 500
    assert page.info.reason == characters.describe()
    assert f"({characters.left_out['unread']} unread)" in page.info.reason


def test_lines_that_one_engine_cannot_read_are_given_to_the_next_one():
    other = EchoEngine(EchoProfile("Портовая контора ведёт книгу", 0.9))
    [page] = (result := quire.read(scans.numbered_scans(1), engines=[from_function("latin", half_read), other])).pages
    assert attempts(result) == [("latin", "ok"), ("echo", "ok")]
    assert page.text.split("\n") == [LATIN, "Портовая контора ведёт книгу"] * 4
    assert page.info.reason is None
    engines = {source.engine for block in result.blocks for source in block.sources}
    assert engines <= {"latin", "echo"} and "echo" in engines


def test_lines_that_no_engine_reads_with_confidence_stay_unread():
    other = EchoEngine(EchoProfile("n3 u :: rn", 0.3))
    result = quire.read(scans.numbered_scans(1), engines=[from_function("latin", half_read), other])
    assert attempts(result) == [("latin", "ok"), ("echo", "weak")]
    assert "unread" in result.pages[0].info.reason


@pytest.mark.parametrize("how", ["raise", "interpret"])
def test_an_engine_that_failed_is_not_asked_again_about_a_page_that_another_has_read(tmp_path, log, how):
    engines = [BadEngine(how=how, log=log), NumberEngine(log=log)]
    store = tmp_path / "store"
    first = quire.read(scans.numbered_scans(2), engines=engines, store=store)
    asked = sorted(calls(log))
    again = quire.read(scans.numbered_scans(2), engines=engines, store=store)
    assert sorted(calls(log)) == asked
    assert again.to_json() == first.to_json()
    assert attempts(again) == attempts(first)
    other = quire.read(scans.numbered_scans(2), engines=[BadEngine(how=how, log=log)], store=store)
    assert [page.status for page in other.pages] == ["failed", "failed"]
    assert [page.status for page in quire.read(scans.numbered_scans(2), engines=engines[::-1], store=store).pages] == [
        "ok",
        "ok",
    ]
