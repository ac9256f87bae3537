"""Extractions in a store: one winner, and another key for everything that decides the values."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any, ClassVar

import pytest

from quire.core.errors import EngineError, UsageError
from quire.core.events import Event
from quire.core.keys import ArtifactKey, Digest, digest_bytes
from quire.durable.extracts import extract_request as request
from quire.durable.extracts.extract_request import ExtractRequest
from quire.durable.extracts.extract_steps import ExtractSteps, extraction_key
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.reads.read_steps import DocumentSteps
from quire.durable.runtimes import local_runtime
from quire.evidence.extract.extraction_json import decode_extraction
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.learn.training import learn
from quire.pages.recognize.echo import EchoEngine
from quire.reading.messages import DocumentReference
from quire.store.files import FileStore
from quire.system.workers import WorkerReply
from tests.fakes.chat_server import answers, chat_server, cited
from tests.fakes.engines import BadEngine, calls
from tests.fakes.vision_server import refuses
from tests.unit.evidence.extract.bills import bill
from tests.unit.evidence.learn.receipts import FIELDS, sample

pytestmark = pytest.mark.processes

ASKED = ExtractRequest.of(fields="invoice number, total")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("extracts")


@pytest.fixture(scope="module")
def store(folder) -> Iterator[FileStore]:
    with FileStore(folder / "store") as store:
        yield store


@pytest.fixture(scope="module")
def document(store, folder) -> DocumentReference:
    data = bill()
    (folder / "bill.pdf").write_bytes(data)
    wanted = ReadRequest(SourceRef(digest_bytes(data), "bill.pdf", str(folder / "bill.pdf")))
    with local_runtime(store, workers=1) as runtime:
        read: DocumentReference = runtime.result(runtime.submit("document", wanted.to_json()), timeout_s=60)
        return read


class Counting(DocumentSteps):
    """Notes the jobs that it gives to workers."""

    jobs: ClassVar[list[str]] = []

    def work(self, job: str, arguments: object, timeout_s: float, **options: Any) -> WorkerReply:
        self.jobs.append(job)
        return super().work(job, arguments, timeout_s, **options)


def test_two_extractions_of_one_document_at_the_same_time_have_one_winner(store, document):
    barrier = Barrier(4)

    def one(_: int) -> tuple[Digest, bool]:
        steps = ExtractSteps(Counting(store, workers=1))
        barrier.wait(30)
        return steps.extraction(document, ASKED)

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(one, range(4)))
    assert Counting.jobs == ["quire.durable.extracts.extract_jobs:extracted"]
    assert len({digest for digest, _ in found}) == 1
    assert sorted(hit for _, hit in found) == [False, True, True, True]
    extraction = decode_extraction(store.load(found[0][0]))
    assert extraction.values["invoice_number"] == "INV-2041"


def test_a_worker_asks_a_language_model_through_its_parent_and_an_answer_is_paid_for_once(store, document, monkeypatch):
    schema = {"type": "object", "properties": {"total": {"type": "number"}}}
    said = answers(total=cited("p1-b5", "Total: EUR 1,250.00", 1250))
    with chat_server({"": [refuses(400, "no response_format"), said]}) as server:
        for name, value in (("URL", server.url), ("MODEL", "small"), ("KEY", "secret-key")):
            monkeypatch.setenv(f"QUIRE_LLM_{name}", value)
        steps = ExtractSteps(DocumentSteps(store, workers=1))
        asked = ExtractRequest.of(schema, extractors=["model"])
        found = decode_extraction(store.load(steps.extraction(document, asked)[0]))
        assert (found["total"].status, found.failures) == ("found", ())
        assert {one.headers["Authorization"] for one in server.server.requests} == {"Bearer secret-key"}
        steps.extraction(document, replace(asked, min_confidence=0.5))
        assert ["response_format" in one for one in server.requests] == [True, False, True]
        server.behaviours[""][:] = [refuses(401, "the key secret-key is unknown")]
        with pytest.raises(EngineError, match="the server answered 401") as failed:
            steps.extraction(document, ExtractRequest.of(fields="date", extractors=["model"]))
        assert "secret-key" not in str(failed.value)


def test_places_are_read_again_once_and_an_engine_that_fails_is_tried_again(store, document, tmp_path, monkeypatch):
    log, mended = tmp_path / "calls", tmp_path / "mended"
    monkeypatch.setattr(request, "reread_engine", lambda *_: BadEngine(how="raise", log=log, mended=mended))
    steps, asked = ExtractSteps(DocumentSteps(store, workers=1)), replace(ASKED, reread="bad")
    events: list[Event] = []
    failed = decode_extraction(store.load(steps.extraction(document, asked, on_event=events.append)[0]))
    assert (failed["invoice_number"].status, len(calls(log))) == ("found", 2)
    assert failed.failures[0].reason.endswith("ValueError: the model is in a bad mood")
    mended.touch()
    digest, hit = steps.extraction(document, asked, on_event=events.append)
    found = decode_extraction(store.load(digest))
    assert (hit, found.failures, found.reread) == (False, (), "bad 1")
    assert found["invoice_number"].reason == "the picture reads 'Sheet number 0 of the pile' (bad)"
    assert steps.extraction(document, asked) == (digest, True)
    assert len(calls(log)) == 4
    told = [(event.kind, event.page, event.payload["engine"], event.payload["outcome"]) for event in events]
    assert told == [("attempt", page, "bad", outcome) for outcome in ("failed", "ok") for page in (1, 2)]
    assert len({event.id for event in events}) == 2, "a replay emits the same"


def test_everything_that_decides_the_values_decides_the_key(document, monkeypatch):
    keys = {
        key_of(document, ASKED),
        key_of(document, ExtractRequest.of(fields="invoice number, date")),
        key_of(document, replace(ASKED, min_confidence=0.5)),
        key_of({**document, "document": Digest("other")}, ASKED),
        key_of(document, replace(ASKED, reread="echo")),
    }
    monkeypatch.setattr(request, "reread_engine", lambda *_: EchoEngine(version="of tomorrow"))
    keys.add(key_of(document, replace(ASKED, reread="echo")))
    monkeypatch.setattr(OfflineExtractor, "version", "of tomorrow")
    keys.add(key_of(document, ASKED))
    assert len(keys) == 7


class LearntAgain(DocumentSteps):
    """A model is learnt again after the key of an extraction was made, and before a worker loads the model."""

    model: ClassVar[Path]

    def work(self, *args: Any, **options: Any) -> WorkerReply:
        learn([sample(number) for number in range(1, 7)]).save(self.model)
        return super().work(*args, **options)


def test_a_model_that_is_learnt_again_meanwhile_makes_no_extraction_under_the_key_of_the_old(store, document, folder):
    LearntAgain.model = folder / "receipts.model"
    first = learn([sample(number) for number in range(5)])
    first.save(LearntAgain.model)
    asked = ExtractRequest.of(fields=FIELDS, extractors=[f"learned:{LearntAgain.model}"])
    before = key_of(document, asked)
    made, _ = ExtractSteps(LearntAgain(store, workers=1)).extraction(document, asked)
    assert store.find(before) is None
    assert store.find(key_of(document, asked)) == made
    assert first.digest[:16] not in str(decode_extraction(store.load(made)).extractors)


def key_of(document: DocumentReference, asked: ExtractRequest) -> ArtifactKey:
    return extraction_key(document, asked, asked.versions())


def test_a_request_is_the_same_after_a_journal():
    schema = {"type": "object", "properties": {"total": {"type": "number"}}}
    again = ExtractRequest.of(fields="total", reread="echo", lang=["de"])
    for one in (ASKED, ExtractRequest.of(schema, min_confidence=0.25), again):
        assert ExtractRequest.from_json(one.to_json()) == one
    with pytest.raises(UsageError, match="the least confidence is 7; choose from 0 to 1"):
        ExtractRequest.of(fields="a", min_confidence=7)
    with pytest.raises(UsageError, match="there is no engine 'magic'"):
        ExtractRequest.of(fields="a", reread="magic")
