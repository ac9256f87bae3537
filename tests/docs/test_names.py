"""Every command, option, public name, format, event and error is documented."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from typing import get_args

import pytest
import typer

import quire
from quire import batch, classify, correct, detect, errors, export, pipeline, recognize
from quire.batch.manifest import FIELDS as MANIFEST
from quire.cli.app import app
from quire.engine import CAPABILITIES, Outcome
from quire.events import EventKind
from quire.reading import page_stages as stages
from quire.types import BLOCK_KINDS, PageStatus
from tests.docs.pages import ROOT

CLI = (ROOT / "docs" / "reference" / "cli.md").read_text()
PYTHON = (ROOT / "docs" / "reference" / "python.md").read_text()
PIPELINES = (ROOT / "docs" / "reference" / "pipelines.md").read_text()
BATCH = (ROOT / "docs" / "reference" / "batch.md").read_text()
EVENTS = (ROOT / "docs" / "reference" / "events.md").read_text()
FORMATS = (ROOT / "docs" / "reference" / "formats.md").read_text()
ERRORS = (ROOT / "docs" / "guides" / "errors.md").read_text()
SCANS = (ROOT / "docs" / "guides" / "scans.md").read_text()
ENGINES = (ROOT / "docs" / "guides" / "engines.md").read_text()

COMMANDS = {name: one for name, one in typer.main.get_command(app).commands.items() if not one.hidden}  # type: ignore[attr-defined]
OPTIONS = [
    (name, option)
    for name, command in COMMANDS.items()
    for one in (command, *getattr(command, "commands", {}).values())  # a group has commands of its own
    for p in one.params
    if not getattr(p, "hidden", False)
    for option in (*p.opts, *p.secondary_opts)
]
GROUPED = [
    (group, name)
    for group, command in COMMANDS.items()
    for name, one in getattr(command, "commands", {}).items()
    if not one.hidden
]
CLASSES = [
    name for name in quire.__all__ if getattr(getattr(quire, name), "__name__", "") == name and name[0].isupper()
]
MEMBERS = [
    (name, member)
    for name in CLASSES
    if not issubclass(getattr(quire, name), BaseException)
    for member in vars(getattr(quire, name)).keys() | getattr(getattr(quire, name), "__annotations__", {}).keys()
    if not member.startswith("_")
]
PACKAGES = [pipeline, recognize, detect, classify, correct]
FAMILY = [kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, errors.QuireError)]


def mentioned(text: str, name: str) -> bool:
    """Whether a page has the name in code: `name`, `name(…)`, `.name`."""
    return bool(re.search(rf"`[^`\n]*(?<![\w-]){re.escape(name)}(?![\w-])[^`\n]*`", text))


@pytest.mark.parametrize("name", COMMANDS)
def test_command_is_documented(name: str) -> None:
    assert f"## `quire {name}" in CLI


@pytest.mark.parametrize(("group", "name"), GROUPED)
def test_command_of_a_group_is_documented(group: str, name: str) -> None:
    assert mentioned(CLI, f"quire {group} {name}")


@pytest.mark.parametrize(("command", "option"), [pair for pair in dict.fromkeys(OPTIONS) if pair[1].startswith("-")])
def test_option_is_documented(command: str, option: str) -> None:
    section = CLI.partition(f"## `quire {command}")[2].partition("\n## ")[0]
    every = CLI.partition("## Options of every command\n")[2].partition("\n## ")[0]
    assert mentioned(section, option) or mentioned(every, option)


def test_every_option_of_the_documentation_exists() -> None:
    known = {option for _, option in OPTIONS} | {"-h", "--help", "--version"}
    assert set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*\b(?=[^`\n]*`)", CLI)) - known <= {"-o"}


@pytest.mark.parametrize("name", quire.__all__)
def test_public_name_is_documented(name: str) -> None:
    assert mentioned(PYTHON, name)


@pytest.mark.parametrize("name", [*batch.__all__, *(one.name for one in fields(batch.StageOptions)), *MANIFEST])
def test_name_of_batches_is_documented(name: str) -> None:
    assert mentioned(BATCH, name)


@pytest.mark.parametrize("name", [f"{package.__name__}.{name}" for package in PACKAGES for name in package.__all__])
def test_name_of_a_package_is_documented(name: str) -> None:
    package, _, own = name.rpartition(".")
    assert mentioned(PIPELINES, package) and mentioned(PIPELINES, own)


@pytest.mark.parametrize(("kind", "member"), MEMBERS)
def test_public_member_is_documented(kind: str, member: str) -> None:
    pages = [page for page in (PYTHON, PIPELINES) if f"\n## `{kind}`\n" in page]
    assert len(pages) == 1, f"{kind} has no section of its own, or two"
    section = pages[0].partition(f"\n## `{kind}`\n")[2].partition("\n## ")[0]
    assert mentioned(section, member), f"{kind}.{member}"


@pytest.mark.parametrize("argument", inspect.signature(quire.read).parameters)
def test_argument_of_read_is_documented(argument: str) -> None:
    assert mentioned(PYTHON, argument)


@pytest.mark.parametrize("value", [*BLOCK_KINDS, *get_args(PageStatus)])
def test_kind_and_status_are_documented(value: str) -> None:
    assert mentioned(PYTHON, value)


@pytest.mark.parametrize("outcome", get_args(Outcome))
def test_outcome_of_an_attempt_is_documented(outcome: str) -> None:
    assert all(mentioned(page, outcome) for page in (PYTHON, EVENTS, SCANS))


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_capability_is_documented(capability: str) -> None:
    assert mentioned(ENGINES.partition("\n## Capabilities\n")[2].partition("\n## ")[0], capability)


@pytest.mark.parametrize("name", [*export.__all__, *export.FORMATS])
def test_export_is_documented(name: str) -> None:
    assert mentioned(FORMATS, name)


@pytest.mark.parametrize("format", export.FORMATS)
def test_format_is_in_the_help_and_the_reference_of_the_command_line(format: str) -> None:
    assert mentioned(CLI, format)


@pytest.mark.parametrize("name", [*get_args(EventKind), "read", "sink"])
def test_event_is_documented(name: str) -> None:
    assert mentioned(EVENTS, name)


@pytest.mark.parametrize(
    "stage", [stages.NativeText, stages.RecognisedText, stages.PageBlocks, stages.AssembleDocument]
)
def test_stage_is_documented(stage: type) -> None:
    assert mentioned(EVENTS, stage.name)  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", FAMILY)
def test_error_is_in_the_table_with_its_exit_code(kind: type[errors.QuireError]) -> None:
    rows = [row for row in ERRORS.splitlines() if row.startswith(f"| `{kind.__name__}`")]
    assert [row.split("|")[2].strip() for row in rows] == [str(kind.exit_code)]
    assert mentioned(PYTHON, kind.__name__)


def test_table_of_classes_of_errors_is_the_one_that_retries_go_by() -> None:
    section = ERRORS.partition("\n## Classes of errors\n")[2].partition("\n## ")[0]
    shown = re.findall(r"^\| `(\w+)` \| (yes|no) \|", section, re.MULTILINE)
    assert shown == [(category, "yes" if retryable else "no") for category, retryable in errors.RETRYABLE.items()]


@pytest.mark.parametrize("code", sorted({kind.exit_code for kind in FAMILY} | {0, 3, 130, 141}))
def test_exit_code_is_documented(code: int) -> None:
    assert re.search(rf"^\| .*\b{code}\b.* \|", CLI, re.MULTILINE)
