"""`quire ask` and the pictures of `quire search`: what people see, with language models that err and invent."""

from __future__ import annotations

import json
from io import BytesIO

import pytest
from PIL import Image

import quire
from quire.cli.hit_pictures import terminal_protocol
from tests.conftest import ROOT
from tests.fakes.vision_server import Behaviour, hangs, refuses, says, vision_server
from tests.unit.cli.batches import Desk

pytestmark = pytest.mark.processes
PLACE = "inner harbour kind:table page:2"
QUESTION = "How many passengers did the inner harbour have in 2031? kind:table page:2"


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> Desk:
    """A report that was indexed, by words alone."""
    desk = Desk(tmp_path_factory.mktemp("library"))
    desk.add("sample.pdf", (ROOT / "examples/sample.pdf").read_bytes())
    desk.quire("index", desk.folder / "in", "--store", desk.folder / "store", "--embedder", "none", "-q")
    return desk


@pytest.fixture
def ask(library, monkeypatch):
    """The answer of `quire ask`, with what a language model says, if one is there."""
    for name in ("QUIRE_LLM_URL", "QUIRE_LLM_MODEL", "QUIRE_LLM_KEY"):
        monkeypatch.delenv(name, raising=False)

    def asked(*options: str, model: Behaviour | None = None, code: int = 0, question: str = QUESTION):
        place = ("--store", library.folder / "store", "--embedder", "none", "-q")
        command = ["ask", question, library.folder / "in", *place, *options]
        if model is None:
            return library.quire(*command, code=code)
        with vision_server(model) as server:
            monkeypatch.setenv("QUIRE_LLM_URL", server.url)
            monkeypatch.setenv("QUIRE_LLM_MODEL", "small")
            monkeypatch.setenv("QUIRE_LLM_KEY", "secret-key")
            result = library.quire(*command, code=code)
        assert "secret-key" not in result.output
        return result

    return asked


def sentences(*given: tuple[str, list[object]]) -> Behaviour:
    listed = [{"text": text, "passages": passages} for text, passages in given]
    return says(f"```json\n{json.dumps({'sentences': listed})}\n```")


def test_without_a_model_there_are_passages_with_their_pages(ask):
    said = ask().stdout
    assert said.startswith(" 1. sample.pdf, page 2")
    assert "Inner harbour" in said


def test_an_answer_cites_the_passages_below_it(ask):
    said = ask(model=sentences(("Inner harbour had 163 thousand passengers in 2031.", [1]))).stdout
    assert said.startswith("Inner harbour had 163 thousand passengers in 2031. [1]\n\n 1. sample.pdf, page 2")


def test_what_a_model_invents_is_left_out_and_said(ask):
    model = sentences(
        ("Inner harbour had 163 thousand passengers in 2031.", [1]),
        ("Inner harbour had 175 thousand passengers in 2032.", [1]),
        ("The inner harbour is punctual.", [99]),
        ("The inner harbour is punctual.", ["1", None, True]),
    )
    answer = json.loads(ask("--json", model=model).stdout)["answer"]
    assert [one["passages"] for one in answer["sentences"]] == [[1]]
    assert [one["reason"] for one in answer["dropped"]] == [
        "it says 175, which is not in passage 1",
        "it cites passage 99, which does not exist",
        "it cites no passage",
    ]


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (says("Inner harbour had 163 thousand passengers."), "the answer is not the requested JSON"),
        (says(""), "the answer is empty"),
        (says('{"sentences": [{"text": "half'), "the answer is not the requested JSON"),
        (says('{"sentences": 7}'), "the answer is not the requested JSON"),
        (refuses(401, "unknown key secret-key"), "the server answered 401"),
    ],
)
def test_a_model_that_gives_no_answer_leaves_the_passages(ask, model, said):
    result = ask(model=model, code=3)
    assert f"quire: no answer, only passages: language model small: {said}" in result.stderr
    assert result.stdout.startswith(" 1. sample.pdf, page 2")


def test_a_model_that_never_answers_is_given_up(ask, monkeypatch):
    monkeypatch.setattr("quire.net.language_model.TIMEOUT_S", 0.2)
    assert "no complete answer in time" in ask(model=hangs, code=3).stderr


def test_a_model_that_finds_no_answer_is_believed(ask):
    result = ask(model=sentences(), code=3)
    assert result.stdout.startswith("The passages do not answer it, as far as the model can show.\n\n 1. sample.pdf")


def test_half_of_a_configuration_is_an_error_before_anything_is_read(ask, monkeypatch):
    monkeypatch.setenv("QUIRE_LLM_MODEL", "small")
    assert "QUIRE_LLM_URL is missing" in ask(code=4).stderr


def test_nothing_is_answered_without_evidence(ask):
    result = ask(model=sentences(("It is blue.", [1])), question="zeppelin?", code=3)
    assert result.stdout == "nothing was found\n"


def test_a_hit_is_saved_as_a_picture_of_its_place(library, tmp_path):
    result = library.quire("search", PLACE, "--k", "1", "--save", tmp_path, "--store", library.folder / "store")
    (file,) = tmp_path.iterdir()
    assert f"picture: {file}" in result.stdout
    assert file.name == "01-sample-p2.png"
    with quire.Index(library.folder / "store") as index:
        (hit,) = index.search(PLACE, k=1)
        assert index.crop(hit) == file.read_bytes()
        narrow, wide = (Image.open(BytesIO(index.crop(hit, margin=margin))) for margin in (0, 0.1))
        assert narrow.width < wide.width and narrow.height < wide.height
        with pytest.raises(quire.UsageError, match="margin is 2"):
            index.crop(hit, margin=2)


def test_a_file_that_has_changed_has_no_picture_and_says_so(tmp_path):
    desk = Desk(tmp_path)
    file = desk.add("sample.pdf", (ROOT / "examples/sample.pdf").read_bytes())
    desk.quire("index", file, "--store", tmp_path / "store", "--embedder", "none", "-q")
    file.write_bytes(b"%PDF-1.7 another")
    said = desk.quire("search", "harbour", "--show", "--k", "1", "--store", tmp_path / "store").stdout
    assert "sample.pdf, page" in said
    assert "no picture: sample.pdf" in said


@pytest.mark.parametrize(
    ("environment", "protocol"),
    [
        ({}, None),
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"KITTY_WINDOW_ID": "1", "TERM": "xterm-256color"}, "kitty"),
        ({"TERM_PROGRAM": "ghostty"}, "kitty"),
        ({"TERM_PROGRAM": "iTerm.app"}, "iterm2"),
        ({"TERM_PROGRAM": "WezTerm", "TERM": "xterm-256color"}, "iterm2"),
        ({"KITTY_WINDOW_ID": "1", "TERM": "tmux-256color"}, None),
        ({"TERM_PROGRAM": "iTerm.app", "TMUX": "/tmp/tmux"}, None),
    ],
)
def test_a_terminal_says_whether_it_shows_pictures(environment, protocol):
    assert terminal_protocol(environment) == protocol


def test_a_search_below_a_path_that_is_not_indexed_indexes_it_first(library, tmp_path):
    store, file = tmp_path / "store", library.folder / "in" / "sample.pdf"
    found = json.loads(library.quire("search", "fleet", file, "--json", "--store", store).stdout)
    assert found["query"] == "fleet" and {hit["name"] for hit in found["hits"]} == {"sample.pdf"}
    with quire.Index(store) as index:
        assert [(version.documents, version.is_current) for version in index.versions()] == [(1, True)]
        assert index.add_unknown(file) is None
