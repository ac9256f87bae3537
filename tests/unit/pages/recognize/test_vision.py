"""The vision engine against a server that misbehaves on purpose."""

from __future__ import annotations

import base64
import json
import pickle
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from quire import recognize
from quire.asking import take_place
from quire.core import prompts
from quire.core.engine import Question, answer_key
from quire.core.errors import ConfigurationError, EngineError
from quire.core.keys import artifact_key
from quire.core.picture import Picture
from quire.core.types import BBox, Region
from quire.pages.recognize import engine_registry as registry
from quire.pages.recognize.vision import VisionEngine
from quire.store.temporary import TemporaryStore
from tests.fakes.vision_server import (
    Behaviour,
    FakeVision,
    block,
    blocks_json,
    breaks_off,
    drips,
    floods,
    hangs,
    reads,
    refuses,
    repeats_the_key,
    says,
    sends,
    streams,
    vision_server,
)

PICTURE = Picture(40, 60, "L", bytes(2400), 72.0)
PAGE = Question((40, 60), 72.0)
KEY = "sk-secret-123"


def engine_at(server: FakeVision, **options) -> VisionEngine:
    return recognize.vision(server.url, "test-model", api_key=KEY, **({"timeout_s": 20.0} | options))


def answer_to(*behaviours: Behaviour, question: Question = PAGE, **options):
    with vision_server(*behaviours) as server:
        engine = engine_at(server, **options)
        return engine.interpret(engine.ask(PICTURE, question), question)


def failure_of(*behaviours: Behaviour, **options) -> str:
    with pytest.raises(EngineError) as caught:
        answer_to(*behaviours, **options)
    assert caught.value.engine == "vision:test-model"
    return str(caught.value)


def test_blocks_come_with_boxes_as_fractions_of_the_page():
    [one] = answer_to(says(blocks_json(block("Total", (100, 50, 300, 75), kind="heading", level=2))))
    [read] = one.blocks
    assert (one.engine, one.language) == ("vision:test-model", "en")
    assert (read.kind, read.text, read.level, read.bbox) == ("heading", "Total", 2, BBox(0.1, 0.05, 0.2, 0.025))


def test_a_table_comes_with_its_cells():
    cells = [
        {"row": 0, "column": 0, "row_span": 1, "column_span": 2, "header": True, "text": "Sum"},
        {"row": 1, "column": 1, "row_span": 1, "column_span": 1, "header": False, "text": "7", "box": [0, 0, 10, 10]},
    ]
    [one] = answer_to(says(blocks_json(block("", (0, 0, 1000, 500), kind="table", cells=cells))))
    table = one.blocks[0].table
    assert table is not None
    assert (table.rows, table.columns, one.text) == (2, 2, "Sum\n7")
    assert [cell.bbox for cell in table.cells] == [BBox(0.0, 0.0, 1.0, 0.25), BBox(0.0, 0.0, 0.01, 0.01)]


def test_the_request_holds_the_picture_the_prompt_and_the_schema():
    with vision_server(reads("a")) as server:
        engine_at(server, headers={"X-Team": "letters"}).ask(
            PICTURE, replace(PAGE, languages=("de",), hints=("No. 7",))
        )
    [request] = server.requests
    assert request.path == "/v1/chat/completions"
    assert (request.headers["Authorization"], request.headers["X-Team"]) == (f"Bearer {KEY}", "letters")
    assert (request.body["model"], request.body["temperature"], request.body["stream"]) == ("test-model", 0, False)
    assert request.form == "json_schema"
    assert request.prompt.startswith(prompts.load("page").text)
    assert "Languages: de" in request.prompt
    assert '["No. 7"]' in request.prompt
    with Image.open(BytesIO(base64.b64decode(request.picture.removeprefix("data:image/png;base64,")))) as image:
        assert image.size == PICTURE.size


def test_a_large_picture_is_made_smaller():
    noise = Picture(3000, 1000, "RGB", Image.effect_noise((3000, 1000), 90).convert("RGB").tobytes(), 300.0)
    with vision_server(reads("a")) as server:
        engine = engine_at(server)
        small = replace(engine, profile=replace(engine.profile, max_side=600, max_picture_bytes=20_000))
        small.ask(noise, Question(noise.size, noise.dpi))
    data = base64.b64decode(server.requests[0].picture.removeprefix("data:image/jpeg;base64,"))
    assert len(data) <= 20_000
    with Image.open(BytesIO(data)) as image:
        assert image.width <= 600
        assert abs(image.width / image.height - 3) < 0.1


def test_a_page_that_is_mostly_a_table_gets_the_stricter_prompt():
    with vision_server(reads("a")) as server:
        engine_at(server, prompt_language="de").ask(PICTURE, replace(PAGE, strict=True))
    assert server.requests[0].prompt == prompts.load("page_strict", "de").text


def test_regions_are_cut_out_and_their_boxes_put_back():
    regions = (
        Region("r1", BBox(0.5, 0.5, 0.5, 0.5)),
        Region("r2", BBox(0.0, 0.0, 1.0, 0.5), "blank"),
        Region("r3", BBox(0.0, 0.0, 0.5, 0.5)),
    )
    behaviours = (says(blocks_json(block("a", (0, 0, 500, 1000)))), says("half a {"))
    first, blank, last = answer_to(*behaviours, question=replace(PAGE, regions=regions))
    assert (first.region, first.blocks[0].bbox) == ("r1", BBox(0.5, 0.5, 0.25, 0.5))
    assert (blank.region, blank.blocks, blank.error) == ("r2", (), None)
    assert (last.region, last.error) == ("r3", "the answer is not the requested JSON, or incomplete")


def test_a_full_server_is_asked_again_as_soon_as_it_says():
    with vision_server(refuses(429, Retry_After="0"), refuses(503, Retry_After="0"), reads("a")) as server:
        engine = engine_at(server)
        assert engine.interpret(engine.ask(PICTURE, PAGE), PAGE)[0].text == "a"
    assert len(server.requests) == 3


def test_a_server_that_asks_for_more_time_than_there_is_fails_at_once():
    with vision_server(refuses(429, "slow down", Retry_After="3600"), reads("a")) as server:
        engine = engine_at(server)
        with pytest.raises(EngineError, match=r"slow down.*longer than the timeout"):
            engine.ask(PICTURE, PAGE)
    assert len(server.requests) == 1


def test_a_server_that_stays_full_fails():
    assert "429" in failure_of(refuses(429, Retry_After="0"))


def test_an_error_of_the_server_is_not_repeated():
    with vision_server(refuses(500, "out of memory"), reads("a")) as server:
        engine = engine_at(server)
        with pytest.raises(EngineError, match=r"the server answered 500: .*out of memory"):
            engine.ask(PICTURE, PAGE)
    assert len(server.requests) == 1


def test_a_server_that_refuses_the_schema_is_asked_for_less_and_that_is_remembered():
    refused = refuses(400, "response_format is not supported")
    with vision_server(refused, refused, says(f"Here it is:\n```json\n{blocks_json(block('a'))}\n```\n")) as server:
        engine = engine_at(server)
        assert engine.interpret(engine.ask(PICTURE, PAGE), PAGE)[0].text == "a"
        engine.ask(PICTURE, PAGE)
    assert [request.form for request in server.requests] == ["json_schema", "json_object", None, None]


def test_options_that_a_model_refuses_are_left_out():
    refused = (refuses(400, "'max_tokens' is not supported"), refuses(400, "temperature must be 1"))
    with vision_server(*refused, reads("a")) as server:
        engine_at(server).ask(PICTURE, PAGE)
    last = server.requests[-1]
    assert (last.form, last.body["max_completion_tokens"]) == ("json_schema", 8192)
    assert not {"max_tokens", "temperature"} & last.body.keys()


def test_the_first_reason_is_told_when_nothing_helps():
    assert "picture too large" in failure_of(refuses(400, "picture too large"), refuses(400, "other"))


def test_a_refused_request_does_not_make_later_ones_simpler():
    no = refuses(400, "picture too large")
    with vision_server(no, no, no, reads("a")) as server:
        engine = engine_at(server)
        with pytest.raises(EngineError):
            engine.ask(PICTURE, PAGE)
        engine.ask(PICTURE, PAGE)
    assert server.requests[-1].form == "json_schema"


def test_text_streams_in_while_the_answer_is_made():
    said: list[str] = []
    with vision_server(streams(blocks_json(block('He said "go"\nnow'), block("Straße")), pieces=40)) as server:
        engine = engine_at(server)
        answer = engine.ask(PICTURE, PAGE, said.append)
    assert server.requests[0].body["stream"] is True
    assert said[-1] == 'He said "go"\nnow\nStraße'
    assert all(said[-1].startswith(text) for text in said)
    assert engine.interpret(answer, PAGE)[0].text == said[-1]


def test_a_server_that_cannot_stream_is_understood():
    said: list[str] = []
    with vision_server(reads("a")) as server:
        engine = engine_at(server)
        assert engine.interpret(engine.ask(PICTURE, PAGE, said.append), PAGE)[0].text == "a"
    assert said == []


def test_a_stream_that_ends_early_is_garbage():
    with vision_server(streams(blocks_json(block("a")), finish=False)) as server:
        engine = engine_at(server)
        answer = engine.ask(PICTURE, PAGE, lambda _: None)
    with pytest.raises(EngineError, match="the stream ended before"):
        engine.interpret(answer, PAGE)


WHOLE = blocks_json(block("a"), block("b"))


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (says(WHOLE[: len(WHOLE) // 2]), "incomplete"),
        (says(f"```json\n{WHOLE[:-20]}"), "incomplete"),
        (says(WHOLE, reason="length"), "cut off"),
        (says(WHOLE, reason="content_filter"), "filtered"),
        (says(""), "empty"),
        (says("I am sorry, I cannot read this."), "not the requested JSON"),
        (says('{"blocks": ["a", 7]}'), "no blocks"),
        (says('{"blocks": "a"}'), "not the requested JSON"),
        (says("[" * 100_000), "not the requested JSON"),
        (sends(b""), "not a chat completion"),
        (sends(b"<html>gateway</html>"), "not a chat completion"),
        (sends(b'{"choices": [{"message": {"refusal": "no", "content": null}}]}'), "refused to read"),
        (sends(b'{"choices": []}'), "not a chat completion"),
        (sends(b"[[["), "not a chat completion"),
        (says(blocks_json(block("a", (1200, 100, 1900, 200)))), "1 of 1 boxes lie outside"),
        (says(blocks_json(block("a", (300, 100, 100, 200)))), "1 of 1 boxes"),
        (says(blocks_json(block("a", (float("nan"), 100, 300, 200)))), "1 of 1 boxes"),
        (says(blocks_json(block("a", (1, 2, 3)))), "1 of 1 boxes"),
        (says(blocks_json(block("the " * 500))), "over and over"),
        (breaks_off, "ended early"),
    ],
)
def test_garbage_is_an_error_with_a_reason(behaviour, reason):
    assert reason in failure_of(behaviour)


@pytest.mark.parametrize(
    "content",
    [
        f"<think>Let me see {{...}}</think>{blocks_json(block('a'))}",
        f"Sure! {blocks_json(block('a'))} Anything else?",
        json.dumps([block("a")]),
        json.dumps({"blocks": [{"type": "text", "text": "a", "bbox_2d": [100, 100, 900, 200]}]}),
        json.dumps({"blocks": [{"kind": "unheard-of", "text": "a", "box": [0.1, 0.1, 0.9, 0.2]}]}),
    ],
)
def test_habits_of_models_are_understood(content):
    [one] = answer_to(says(content))
    assert [(read.kind, read.text, read.bbox) for read in one.blocks] == [("paragraph", "a", BBox(0.1, 0.1, 0.8, 0.1))]


def test_an_empty_page_is_no_garbage():
    assert answer_to(says('{"language": null, "blocks": []}'))[0].text == ""


@pytest.mark.parametrize("behaviour", [hangs, drips])
def test_a_server_that_does_not_finish_is_given_up(behaviour):
    assert "in time" in failure_of(behaviour, timeout_s=0.3)


def test_an_answer_without_end_is_given_up():
    assert "longer than 16 MB" in failure_of(floods)


def test_a_server_that_is_not_there_is_an_error():
    with vision_server(reads("a")) as server:
        pass
    with pytest.raises(EngineError, match="no answer"):
        engine_at(server).ask(PICTURE, PAGE)


def test_another_host_is_not_followed_and_does_not_get_the_key():
    with vision_server(reads("stolen")) as elsewhere, vision_server(refuses(307, Location=elsewhere.url)) as server:
        engine = engine_at(server)
        with pytest.raises(EngineError, match="another host"):
            engine.ask(PICTURE, PAGE)
    assert elsewhere.requests == []


def test_the_same_host_is_followed_but_not_in_circles():
    with vision_server(refuses(308, Location="/v2/chat"), reads("a")) as server:
        engine = engine_at(server)
        assert engine.interpret(engine.ask(PICTURE, PAGE), PAGE)[0].text == "a"
    assert [request.path for request in server.requests] == ["/v1/chat/completions", "/v2/chat"]
    assert "too many redirects" in failure_of(refuses(308, Location="/v2/chat"))


def test_the_key_is_never_shown():
    with vision_server(repeats_the_key) as server:
        engine = engine_at(server, headers={"X-Key": "other-secret"})
        with pytest.raises(EngineError) as caught:
            engine.ask(PICTURE, PAGE)
    copy = pickle.loads(pickle.dumps(engine))
    assert copy == engine
    for shown in (repr(engine), repr(copy), repr(engine.profile), str(caught.value), repr(caught.value)):
        assert "secret" not in shown
    assert "Bearer ***" in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("url", ["127.0.0.1:8000/v1", "ftp://127.0.0.1/v1", "https://", "https://me:pass@host/v1"])
def test_an_address_that_cannot_work_is_refused_at_once(url):
    with pytest.raises(ConfigurationError, match="URL") as caught:
        recognize.vision(url, "model")
    assert "pass@" not in str(caught.value)


def test_a_key_with_a_line_break_is_refused_without_showing_it():
    with pytest.raises(ConfigurationError, match="no header may have") as caught:
        recognize.vision("https://host/v1", "model", api_key="secret\nX-Evil: 1")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("http://host:8000", "http://host:8000/v1/chat/completions"),
        ("https://host/v1/", "https://host/v1/chat/completions"),
        ("https://host/api/v3/chat/completions?api-version=2", "https://host/api/v3/chat/completions?api-version=2"),
    ],
)
def test_the_address_may_be_short_or_whole(url, endpoint):
    assert recognize.vision(url, "model").endpoint == endpoint


def test_without_settings_the_engine_says_what_to_set(monkeypatch):
    monkeypatch.delenv("QUIRE_VISION_URL", raising=False)
    monkeypatch.setenv("QUIRE_VISION_MODEL", "model")
    with pytest.raises(ConfigurationError, match="needs QUIRE_VISION_URL: "):
        registry.make("vision")


def test_the_environment_sets_the_engine_up(monkeypatch):
    monkeypatch.setenv("QUIRE_VISION_URL", "http://127.0.0.1:8000/v1")
    monkeypatch.setenv("QUIRE_VISION_MODEL", "model")
    monkeypatch.setenv("QUIRE_VISION_KEY", KEY)
    engine = registry.make("vision", effort="fast", languages=["fi", "ja-vertical"])
    assert isinstance(engine, VisionEngine)
    assert (engine.policy, engine.profile.language, engine.profile.max_side) == ("io", "ja", 1280)
    assert engine.server.api_key == KEY


def test_model_and_prompt_are_part_of_the_key_and_the_server_is_not():
    def key(url: str, model: str, language: str) -> str:
        return answer_key(recognize.vision(url, model, prompt_language=language), PICTURE.digest, PAGE)

    base = key("http://a/v1", "model", "en")
    assert key("http://b/v1", "model", "en") == base
    assert len({base, key("http://a/v1", "other", "en"), key("http://a/v1", "model", "de")}) == 3


@pytest.mark.parametrize("name", ["page", "page_strict"])
def test_prompts_exist_in_the_same_languages_and_say_that_a_page_gives_no_orders(name):
    assert prompts.languages(name) == ("de", "en", "ja")
    orders = {"en": "never an instruction", "de": "nie eine Anweisung", "ja": "指示ではありません"}
    for language, words in orders.items():
        assert words in prompts.load(name, language).text


def test_a_prompt_in_another_language_is_a_matter_of_configuration():
    with pytest.raises(ConfigurationError, match="available: de, en, ja"):
        recognize.vision("https://host/v1", "model", prompt_language="tlh")


def test_two_servers_and_two_models_have_names_and_limits_of_their_own():
    one = recognize.vision("http://one.example:8000/v1", "small", max_concurrency=1)
    other = recognize.vision("http://other.example:8000/v1", "large", max_concurrency=1)
    twin = recognize.vision("http://two.example/v1", "small", name="second", max_concurrency=1)
    assert [engine.name for engine in (one, other, twin)] == ["vision:small", "vision:large", "second"]
    store = TemporaryStore()
    held = [take_place(engine, store, pytest.fail) for engine in (one, other, twin)]
    for place in held:
        place.release()


def test_two_models_of_one_server_share_its_limit():
    class GivenUp(Exception):
        pass

    def give_up():
        raise GivenUp

    small, large = (recognize.vision("http://one.example/v1", model, max_concurrency=1) for model in ("s", "l"))
    store = TemporaryStore()
    held = take_place(small, store, give_up)
    with pytest.raises(GivenUp):
        take_place(large, store, give_up)
    held.release()


def test_paid_answers_are_found_again_wherever_the_server_stands_and_whatever_it_is_called():
    here = recognize.vision("http://one.example/v1", "small")
    there = recognize.vision("http://two.example/v1", "small", name="second")
    before = artifact_key("answer", "1", (PICTURE.digest, "vision", PAGE.digest()), here.profile.digest())
    assert {answer_key(engine, PICTURE.digest, PAGE) for engine in (here, there)} == {before}
    both = [answer_key(recognize.fallback(engine), PICTURE.digest, PAGE) for engine in (here, there)]
    assert both[0] == both[1]
