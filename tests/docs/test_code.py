"""What the pages show runs, and prints what they say."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from typer.testing import CliRunner

from quire.cli.app import command_line
from quire.core.errors import EXIT_COMPLETE, EXIT_PARTIAL
from tests import documents
from tests.docs.pages import EXAMPLES, PAGES, ROOT, CodeBlock, code_blocks, name_of

pytestmark = pytest.mark.processes

LEFT_OUT = ("…", "[…]", "[...]")
"""Lines that stand for output that is not shown."""

REFUSED = re.compile(r"quire: |[\w./-]+:\d+: ")
"""How lines begin that say why a command does not do what it is asked."""

SHELL = re.compile(r"[|&;<>$*?~`\\]")
"""Characters with which a command is for a shell, and not for `quire` alone."""

SERVER = "http://localhost:5001"
"""The server that the pages speak of."""
TUTORIAL = ROOT / "docs" / "tutorial.md"
RECEIPTS = ROOT / "docs" / "tutorial-receipts.md"
SOLVE = ROOT / "docs" / "tutorial-solve.md"
OF_THEIR_OWN = (TUTORIAL, RECEIPTS, SOLVE)
"""Pages with tests that run all of them."""
WITH_PYTHON = [page for page in PAGES if any(code_blocks(page, "python")) and page not in OF_THEIR_OWN]
WITH_CONSOLE = [page for page in PAGES if any(code_blocks(page, "console")) and page not in OF_THEIR_OWN]


@pytest.mark.parametrize("page", WITH_PYTHON, ids=name_of)
def test_python_of_a_page_runs_from_top_to_bottom(page: Path, desk: Path, request: pytest.FixtureRequest) -> None:
    names: dict[str, object] = {"__name__": "__page__"}
    for block in code_blocks(page):
        _lay_down(block, desk)
        if block.language != "python" or block.file:
            continue
        code = "\n" * (block.line - 1) + block.code  # so that a traceback names the line of the page
        if SERVER in code:
            code = code.replace(SERVER, request.getfixturevalue("served"))
        exec(compile(code, name_of(page), "exec", dont_inherit=True), names)


@pytest.mark.parametrize("page", WITH_CONSOLE, ids=name_of)
def test_commands_of_a_page_print_what_it_shows(page: Path, desk: Path) -> None:
    if page.name == "cli.md":  # speaks of a report of at least seven pages
        (desk / "report.pdf").write_bytes(documents.simple(8))
    for block in code_blocks(page):
        _lay_down(block, desk)
        if block.language == "console":
            check_commands(page, block)


@pytest.mark.parametrize("tutorial", [TUTORIAL, SOLVE], ids=name_of)
def test_tutorial_runs_as_written_in_a_checkout(
    tutorial: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is there but the examples: what the tutorial uses, it makes."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    names: dict[str, object] = {"__name__": "__page__"}
    for block in code_blocks(tutorial):
        match block.language:
            case "sh":
                subprocess.run(["sh", "-ec", block.code], check=True)
            case "console":
                check_commands(tutorial, block)
            case "python":
                code = "\n" * (block.line - 1) + block.code
                exec(compile(code, name_of(tutorial), "exec", dont_inherit=True), names)


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_example_runs_on_the_sample(example: Path, desk: Path) -> None:
    ran = subprocess.run([sys.executable, str(example)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip()


@pytest.mark.parametrize("flow", sorted((ROOT / "examples").glob("*/*.yaml")), ids=name_of)
def test_flow_of_an_example_passes_its_own_tests(flow: Path, desk: Path) -> None:
    ran = _run(f"quire flow test {flow}")
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_example_without_its_package_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "docling_core.py").write_text("raise ModuleNotFoundError(__name__)")
    example = ROOT / "examples" / "to_docling.py"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ran = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, env=environment)
    assert (ran.returncode, ran.stderr) == (1, "this example needs docling-core: pip install docling-core\n")


def test_every_example_is_shown_in_the_documentation() -> None:
    pages = "".join(page.read_text() for page in PAGES)
    assert [name for example in EXAMPLES if (name := name_of(example)) not in pages] == []


def check_commands(page: Path, block: CodeBlock) -> None:
    """Runs what stands behind each `$` and compares it with what is shown below."""
    for command, shown in _commands(block):
        if not command.startswith("quire"):
            continue
        ran = _run(command)
        refused = any(REFUSED.match(line) for line in shown)
        assert refused or ran.returncode in (EXIT_COMPLETE, EXIT_PARTIAL), f"{command}: {ran.stderr}"
        said, warned = ran.stdout.splitlines(), ran.stderr.splitlines()  # a terminal shows either first
        missing = _first_missing(shown, said + warned) and _first_missing(shown, warned + said)
        assert missing is None, f"{name_of(page)}, line {block.line}: `{command}` does not print {missing!r}"


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
    """Run a command of a page: in this process, where its workers stay for the next one, unless it needs a shell."""
    if not SHELL.search(command):
        _, *arguments = shlex.split(command)
        with patch.dict(os.environ):  # a command may change it, as --offline does
            ran = CliRunner().invoke(command_line(next(iter(arguments), None)), arguments, env={"COLUMNS": "100"})
        return subprocess.CompletedProcess(command, ran.exit_code, ran.stdout, ran.stderr)
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
