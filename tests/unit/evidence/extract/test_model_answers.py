"""What a server of language models says besides its answer: that it was cut off, and how likely each token was."""

from __future__ import annotations

import json
import math
import re
from signal import SIGINT, pthread_kill
from threading import Event, current_thread
from threading import enumerate as living

import pytest

from quire.core.context import Json
from quire.core.errors import EngineError, StoreError
from quire.evidence.extract.extraction import extract
from quire.evidence.extract.language_model import LanguageModelExtractor
from quire.evidence.extract.language_model.language_model_extractor import MOST_HALVINGS
from quire.evidence.extract.language_model.passages import halved
from quire.evidence.extract.language_model.recorded_calls import answered_by, each_answered
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import Extraction
from quire.reading.model_answers import RecordedAnswers
from quire.store.files import FileStore
from tests.fakes.chat_server import FakeChat, answers, chat_server, cited, says_with, text_of, tokens
from tests.fakes.vision_server import Behaviour, refuses, says
from tests.unit.evidence.extract.bills import bill_catalog
from tests.unit.evidence.extract.test_language_model import TOTAL, TOTAL_ONLY, model_at

pytestmark = pytest.mark.both_readers

CUT_OFF = says('{"values": {"total": {"record": "p1-', reason="length")
NOTHING = answers(total=None)
WRITTEN = json.dumps({"values": {"total": TOTAL}})


def extracted(server: FakeChat, schema: Json = TOTAL_ONLY) -> Extraction:
    return extract(bill_catalog(), ExtractSchema.of(schema), [LanguageModelExtractor(model_at(server))])


def records_of(request: object) -> list[str]:
    return re.findall(r"^\[(p\d-b\d)\]$", text_of(request), re.MULTILINE)


def test_an_answer_that_is_cut_off_is_asked_for_in_halves_and_paid_for_once(tmp_path):
    store = FileStore(tmp_path)
    behaviours = {"INV-2041": [CUT_OFF, NOTHING], "EUR 1,250.00": [answers(total=TOTAL)]}
    with answered_by(RecordedAnswers(store)), chat_server(behaviours) as server:
        for _ in range(2):
            found = extracted(server)
            assert (found.values, found["total"].status, found.failures) == ({"total": 1250}, "found", ())
    whole, *halves = map(records_of, server.requests)
    assert len(halves) == 2
    assert [record for half in sorted(halves) for record in half] == whole
    store.close()


def test_rows_keep_their_order_when_a_half_is_cut_off_again():
    rows: Json = {"properties": {"lines": {"items": {"properties": {"name": {"type": "string"}}}}}}

    def row(record: str, text: str) -> Behaviour:
        return answers(lines=[{"name": cited(record, text, text)}])

    behaviours = {
        "INV-2041": [CUT_OFF, row("p1-b1", "INV-2041")],
        "Paid": [CUT_OFF, row("p1-b4", "yes")],
        "": [row("p2-b1", "Summary")],
    }
    with chat_server(behaviours) as server:
        found = extracted(server, rows)
    assert [one["name"] for one in found.values["lines"]] == ["INV-2041", "yes", "Summary"]
    assert len(server.requests) == 5


def test_a_model_that_never_ends_is_not_asked_for_ever():
    with chat_server({"": [CUT_OFF]}) as server, pytest.raises(EngineError, match="the answer was cut off"):
        extracted(server)
    assert len(server.requests) <= 2 ** (MOST_HALVINGS + 2)
    asked_freely = [records_of(one) for one in server.requests if "response_format" not in one]
    assert sorted(asked_freely) == [[record] for record in records_of(server.requests[0])]


def test_a_part_of_one_record_is_divided_under_its_id_and_one_line_is_not():
    catalog = bill_catalog()
    assert halved("[p1-b1]\none\ntwo\nthree", catalog) == ("[p1-b1]\none", "[p1-b1]\ntwo\nthree")
    assert halved("[p1-b1]\n[12]\n[p1-b2]\ntext", catalog) == ("[p1-b1]\n[12]", "[p1-b2]\ntext")
    assert halved("[p1-b1]\none", catalog) is None


def test_the_least_likely_token_of_a_value_is_its_confidence():
    before, after = WRITTEN.split("1250")
    said = tokens(("```json\n", -3.0), (before, -4.0), ("12", math.log(0.9)), ("50", math.log(0.65)), (after, -5.0))
    with chat_server({"": [says_with(WRITTEN, said)]}) as server:
        found = extracted(server)
    assert (found["total"].status, found["total"].confidence["extractor"]) == ("found", 0.65)
    assert server.requests[0]["logprobs"] is True


@pytest.mark.parametrize(
    "said",
    [
        None,
        {"content": None},
        {"content": []},
        {"content": [{"token": "another text", "logprob": -0.1}]},
        {"content": [{"token": WRITTEN}]},
        {"content": [{"token": WRITTEN, "logprob": "likely"}]},
        {"content": [{"token": WRITTEN, "logprob": float("nan")}]},
        {"content": [7]},
        [],
    ],
)
def test_probabilities_that_make_no_sense_leave_the_constant(said):
    with chat_server({"": [says_with(WRITTEN, said)]}) as server:
        assert extracted(server)["total"].confidence["extractor"] == 0.8


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_does_not_know_logprobs_is_asked_without_them_and_with_the_form(status):
    refusal = refuses(status, "unknown parameter")
    with chat_server({"": [refusal, answers(total=TOTAL)]}) as server:
        assert extracted(server)["total"].status == "found"
    asked = [("logprobs" in one, "response_format" in one) for one in server.requests]
    assert asked == [(True, True), (False, True)]


def test_answers_that_were_recorded_without_probabilities_stay_valid(tmp_path):
    store = FileStore(tmp_path)
    with answered_by(RecordedAnswers(store)):
        with chat_server({"": [refuses(400, "no logprobs here"), answers(total=TOTAL)]}) as server:
            extracted(server)
        with chat_server({"": [refuses(500, "must not be asked")]}) as other:
            assert extracted(other)["total"].status == "found"
    assert other.requests == []
    store.close()


def test_an_interrupt_waits_for_no_answer_and_asks_for_nothing_more():
    over, asked, returned, main = Event(), [], [], current_thread()

    def ask(request: bytes) -> bytes:
        asked.append(request)
        if len(asked) == 2:
            pthread_kill(main.ident, SIGINT)
        returned.append(over.wait(20))
        return request

    with pytest.raises(KeyboardInterrupt):
        each_answered(ask, [b"%d" % number for number in range(6)], 2)
    assert returned == []
    over.set()
    for thread in living():
        if thread.name == "quire-model":
            assert thread.daemon, "the program ends without it"
            thread.join(20)
    assert len(asked) == 2


def test_answers_under_way_are_waited_for_when_another_cannot_be_recorded():
    failed, ended = Event(), []

    def ask(request: bytes) -> bytes:
        if request == b"0":
            failed.set()
            raise StoreError("the disk is full")
        failed.wait(20)
        ended.append(request)
        return request

    with pytest.raises(StoreError, match="full"):
        each_answered(ask, [b"0", b"1"], 2)
    assert ended == [b"1"]
