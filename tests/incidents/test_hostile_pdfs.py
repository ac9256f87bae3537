"""Small PDFs that are built to exhaust the reader, read in the caller's own process by both readers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests import bombs

pytestmark = pytest.mark.processes

DEADLINE_S = 120  # so that a regression ends; each takes about a second
MOST_KILOBYTES = 400_000  # of the whole program; most of it is Python and its modules

PROGRAM = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
import quire
from quire.core.document import Document, RenderOptions

def read(path):
    result = quire.read(path, ocr="never")
    return [[page.status, page.info.reason or page.text] for page in result.pages]

def draw(path):
    with Document(path) as document:
        pages = range(1, document.page_count + 1)
        document.reader.outline()
        list(document.reader.text(pages))
        drawn = document.reader.render(pages, RenderOptions(dpi=36))
        return [["failed", str(page)] if isinstance(page, Exception) else ["ok", ""] for page in drawn]

how = {"read": read, "draw": draw}[sys.argv[1]]
for path in sys.argv[2:]:
    try:
        told = how(path)
    except quire.QuireError as error:
        told = [[type(error).__name__, str(error)]]
    # Not ru_maxrss, which a new process takes over from the one that started it.
    peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(json.dumps([told, peak]), flush=True)
"""


@pytest.fixture(params=["1", "0"], ids=["compiled", "pure"])
def program(request, tmp_path: Path):
    """Runs `PROGRAM` on files with these bytes, in a process of its own: what it says of each."""
    if request.param == "1" and find_spec("quire_native") is None:
        (pytest.fail if os.environ.get("QUIRE_EXPECT_NATIVE") == "1" else pytest.skip)("quire_native is not installed")

    def run(how: str, *files: bytes) -> list[Any]:
        paths = [tmp_path / f"{number}.pdf" for number in range(len(files))]
        for path, data in zip(paths, files, strict=True):
            path.write_bytes(data)
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, how, *map(str, paths)],
            env={**os.environ, "QUIRE_NATIVE": request.param},
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
        )
        assert (done.returncode, done.stderr) == (0, "")
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert max(peak for _, peak in answers) < MOST_KILOBYTES
        return [told for told, _ in answers]

    return run


@pytest.mark.parametrize(
    ("kind", "words"),
    [("marked_content", "nested more than 4000 levels deep"), ("doubling_forms", "too many for a file of this size")],
)
def test_a_page_that_would_exhaust_the_reader_fails_and_the_others_are_read(program, kind, words):
    (((first, text), (second, reason)),) = program("read", bombs.KNOWN[kind]())

    assert (first, text) == ("ok", bombs.HARMLESS)
    assert second == "failed"
    assert words in reason


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("claimed_pages", "claims 1000000 pages in 322 bytes"),
        ("repeated_page", "claims 200000 pages"),
        ("form_fields", "more than 4000 form fields side by side"),
    ],
)
def test_a_document_that_would_exhaust_the_reader_is_refused(program, kind, words):
    (((error, message),),) = program("read", bombs.KNOWN[kind]())

    assert error == "LimitError"
    assert words in message


def test_the_relatives_of_the_known_ones_fail_alike(program):
    answers = program("draw", *(bomb() for bomb in bombs.RELATIVES.values()))

    assert len(answers) == len(bombs.RELATIVES)
    for kind, ((first, _), (second, reason)) in zip(bombs.RELATIVES, answers, strict=True):
        assert (kind, first, second) == (kind, "ok", "failed")
        assert "page 2: it" in reason


def test_what_pdfium_bounds_by_itself_is_left_to_it(program):
    answers = program("draw", *(bomb() for bomb in bombs.HARMLESS_RELATIVES.values()))

    assert len(answers) == len(bombs.HARMLESS_RELATIVES)
    assert all(status in ("ok", "failed") for pages in answers for status, _ in pages)
