"""The tutorial about twenty receipts, from the first command to the gain: its commands, and its keys in a browser."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.docs.pages import ROOT, CodeBlock, code_blocks, name_of
from tests.docs.test_code import RECEIPTS, SERVER, check_commands
from tests.servers import chromium
from tests.servers.quire_server import form
from tests.unit.service.api.conftest import Answer, Serving, serving

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("browser")]

PATIENCE_MS = 60_000
REVIEWERS = ("Ada", "Bob")

# The document and the field that a reviewer has, when it is another than before; no text when nothing is left.
SHOWN = """(before) => {
  if (document.querySelector(".desk-end h1")) return { at: "" };
  if (document.querySelector(".desk-panel")?.getAttribute("aria-busy") !== "false") return null;
  const name = document.querySelector(".document-name")?.textContent;
  const path = document.querySelector(".value-card")?.dataset.path;
  return name && path && `${name}/${path}` !== before ? { at: `${name}/${path}` } : null;
}"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with nothing but the examples: what the tutorial uses, it makes."""
    shutil.copytree(ROOT / "examples" / "receipts", tmp_path / "examples" / "receipts")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def server(desk: Path) -> Iterator[Serving]:
    """`quire serve` as the tutorial starts it."""
    with serving(desk / "served", tenants=False, learned=str(desk / "models")) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium.browsing() as running:
        yield running


def test_the_receipts_of_the_tutorial_are_learnt_from_corrections_in_the_browser(
    desk: Path, server: Serving, browser: Browser
) -> None:
    names: dict[str, object] = {"__name__": "__page__"}
    answers: list[Answer] = []
    for block in code_blocks(RECEIPTS):
        if block.language == "console":
            check_commands(RECEIPTS, block)
        elif block.language == "python":
            exec(compile("\n" * (block.line - 1) + block.code, name_of(RECEIPTS), "exec", dont_inherit=True), names)
        elif "examples/receipts" in block.code:
            shutil.copytree("examples/receipts", "receipts")
        elif "quire serve" not in block.code:
            answers.append(_asked(server, block))
            if len(answers) == 1:
                _review(server, browser, _values())
    sent, samples, learnt = answers
    assert [one["name"] for one in sent.json["documents"]] == [f"receipt-0{number}.pdf" for number in range(1, 6)]
    assert len(samples.body.splitlines()) == 5
    (document,) = learnt.json["documents"]
    found = server.get(f"/api/documents/{document['id']}/extraction").json
    assert found["values"] == _values()["receipt-20.pdf"]
    assert server.get("/api/review/queue?doubt=not_found").json["total"] == 0
    assert server.get("/api/review/queue?doubt=low").json["total"] == 2, "what was learnt is for a person to see"


def _review(server: Serving, browser: Browser, values: Mapping[str, Mapping[str, str]]) -> None:
    """What the section about the browser says, by keys alone: two reviewers at once, who decide in turn."""
    pages = [_begun(server, browser, name) for name in REVIEWERS]
    at = ["/" for _ in pages]
    while any(at):
        for number, page in enumerate(pages):
            if not at[number]:
                continue
            at[number] = page.wait_for_function(SHOWN, arg=at[number]).json_value()["at"]
            assert at.count(at[number]) == 1 or not at[number], "a value is given to one reviewer alone"
            if at[number]:
                name, field = at[number].split("/")
                _decide(page, field, values[name][field])
    for page in pages:
        expect(page.get_by_role("heading", name="Everything is reviewed")).to_be_visible()
        page.keyboard.press("s")
        expect(page.get_by_text("documents are samples").or_(page.get_by_text("document is a sample"))).to_be_visible()
        page.keyboard.press("u")
        expect(page.locator(".review-row")).to_have_count(5)
    expect(pages[1].get_by_role("checkbox", name="Sample", checked=True)).to_have_count(5)
    with pages[1].expect_download() as download:
        pages[1].get_by_role("button", name="Download the samples").press("Enter")
    assert len(download.value.path().read_text().splitlines()) == 5
    history = [
        entry
        for review in server.get("/api/review").json["reviews"]
        for entry in server.get(f"/api/review/{review['id']}/history").json["history"]
    ]
    assert {entry["reviewer"] for entry in history} == set(REVIEWERS)
    assert [entry["action"] for entry in history] == ["correct"] * 10
    for page in pages:
        page.context.close()


def _begun(server: Serving, browser: Browser, reviewer: str) -> Page:
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.context.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    page.goto(server.url)
    expect(page.get_by_role("link", name="Review receipt-")).to_have_count(5)
    page.goto(f"{server.url}/#/review")
    expect(page.locator(".review-row")).to_have_count(5)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("main"), "it skips to the content, and stays on the page").to_be_focused()
    expect(page.get_by_label("Field").locator("option")).to_have_count(3)
    page.get_by_label("Your name").press_sequentially(reviewer)
    page.get_by_role("button", name="Start").press("Enter")
    return page


def _decide(page: Page, field: str, value: str) -> None:
    if field == "total":
        page.keyboard.press("e")
        page.keyboard.type(value)
    else:
        page.keyboard.press("k")
        page.keyboard.press("Enter")
    expect(page.locator("#correct")).to_be_focused()
    expect(page.locator("#correct")).to_have_value(value)
    page.keyboard.press("Enter")


def _asked(server: Serving, block: CodeBlock) -> Answer:
    """Does what a `curl` of the tutorial does, and waits for the run that it starts."""
    program, *options = shlex.split(block.code.replace("\\\n", ""))
    assert program == "curl"
    path = options.pop().removeprefix(SERVER)
    given = list(zip(options[::2], options[1::2], strict=True))
    if given and given[0][0] == "-o":
        answer = server.get(path)
        Path(given[0][1]).write_bytes(answer.body)
        return answer
    parts = [value.partition("=")[::2] for _, value in given]
    files = [Path(value[1:]) for name, value in parts if name == "files"]
    extract = next(value for name, value in parts if name == "extract")
    body, content_type = form(*((file.name, file.read_bytes()) for file in files), extract=extract)
    answer = server.ask("POST", path, body, {"Content-Type": content_type})
    assert answer.status == 201, answer.body
    server.service.runtime.result(answer.json["id"], timeout_s=120)
    return answer


def _values() -> dict[str, dict[str, str]]:
    rows = map(json.loads, Path("receipts/values.jsonl").read_text().splitlines())
    return {row["file"]: {name: value for name, value in row["values"].items() if name != "clerk"} for row in rows}
