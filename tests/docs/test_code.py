"""What the pages show runs, and prints what they say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.errors import EXIT_COMPLETE, EXIT_PARTIAL
from tests import documents
from tests.docs.pages import EXAMPLES, PAGES, ROOT, CodeBlock, code_blocks, name_of

pytestmark = pytest.mark.processes

LEFT_OUT = ("…", "[…]", "[...]")
"""Lines that stand for output that is not shown."""

REFUSED = re.compile(r"quire: |[\w./-]+:\d+: ")
"""How lines begin that say why a command does not do what it is asked."""

WITH_PYTHON = [page for page in PAGES if any(code_blocks(page, "python"))]
WITH_CONSOLE = [page for page in PAGES if any(code_blocks(page, "console"))]


@pytest.mark.parametrize("page", WITH_PYTHON, ids=name_of)
def test_python_of_a_page_runs_from_top_to_bottom(page: Path, desk: Path) -> None:
    names: dict[str, object] = {"__name__": "__page__"}
    for block in code_blocks(page):
        _lay_down(block, desk)
        if block.language != "python" or block.file:
            continue
        code = "\n" * (block.line - 1) + block.code  # so that a traceback names the line of the page
        exec(compile(code, name_of(page), "exec", dont_inherit=True), names)


@pytest.mark.parametrize("page", WITH_CONSOLE, ids=name_of)
def test_commands_of_a_page_print_what_it_shows(page: Path, desk: Path) -> None:
    if page.name == "cli.md":  # speaks of a report of at least seven pages
        (desk / "report.pdf").write_bytes(documents.simple(8))
    for block in code_blocks(page):
        _lay_down(block, desk)
        for command, shown in _commands(block) if block.language == "console" else ():
            if not command.startswith("quire"):
                continue
            ran = _run(command)
            refused = any(REFUSED.match(line) for line in shown)
            assert refused or ran.returncode in (EXIT_COMPLETE, EXIT_PARTIAL), f"{command}: {ran.stderr}"
            said, warned = ran.stdout.splitlines(), ran.stderr.splitlines()  # a terminal shows either first
            missing = _first_missing(shown, said + warned) and _first_missing(shown, warned + said)
            assert missing is None, f"{name_of(page)}, line {block.line}: `{command}` does not print {missing!r}"


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_example_runs_on_the_sample(example: Path, desk: Path) -> None:
    ran = subprocess.run([sys.executable, str(example)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip()


@pytest.mark.parametrize("flow", sorted((ROOT / "examples").glob("*/*.yaml")), ids=name_of)
def test_flow_of_an_example_passes_its_own_tests(flow: Path, desk: Path) -> None:
    ran = _run(f"quire flow test {flow}")
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_every_example_is_shown_in_the_documentation() -> None:
    pages = "".join(page.read_text() for page in PAGES)
    assert [name for example in EXAMPLES if (name := name_of(example)) not in pages] == []


def _lay_down(block: CodeBlock, desk: Path) -> None:
    """A block that shows a file (```toml quire.toml) is one from there on."""
    if block.file:
        path = desk / block.file
        path.parent.mkdir(exist_ok=True)
        path.write_text(block.code)


def _commands(block: CodeBlock) -> Iterator[tuple[str, list[str]]]:
    """Each command behind a `$` with the output shown below it."""
    for piece in ("\n" + block.code).split("\n$ ")[1:]:
        command, *shown = piece.rstrip("\n").split("\n")
        yield command, shown


def _run(command: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "100"}
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=environment, timeout=60)


def _first_missing(shown: list[str], printed: list[str]) -> str | None:
    """The first line shown that is not printed, in this order; a line that ends with … may go on."""
    place = 0
    for line in shown:
        if not line.strip() or line.strip() in LEFT_OUT:
            continue
        cut, begin = line.endswith("…"), line.rstrip("… ")
        found = next(
            (i for i in range(place, len(printed)) if printed[i] == line or (cut and printed[i].startswith(begin))),
            None,
        )
        if found is None:
            return line
        place = found + 1
    return None


def test_pages_name_no_folder_of_the_machine_they_were_written_on() -> None:
    here = str(ROOT.parent)
    anywhere = ("/", tempfile.gettempdir())  # a checkout there says nothing about the machine
    assert here in anywhere or [name_of(page) for page in PAGES if f"{here}/" in page.read_text()] == []
