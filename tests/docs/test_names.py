"""Every command, option, public name, format, event and error is documented."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from dataclasses import fields
from importlib import import_module
from types import ModuleType
from typing import get_args

import typer

import quire
from quire import batch, classify, correct, detect, pipeline, recognize
from quire.batch.manifest import FIELDS as MANIFEST
from quire.cli.app import app
from quire.core import errors
from quire.core.engine import CAPABILITIES, Outcome
from quire.core.events import EventKind
from quire.core.types import BLOCK_KINDS, PageStatus
from quire.output import export
from quire.reading import page_stages as stages
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


def public(module: ModuleType) -> list[str]:
    """The names of a public module, which has a list of them only where some are loaded lazily."""
    return getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]


def missing(names: Iterable[str], *pages: str) -> list[str]:
    """The names that one of the pages does not mention."""
    return [name for name in dict.fromkeys(names) if not all(mentioned(page, name) for page in pages)]


def test_commands_are_documented() -> None:
    assert [name for name in COMMANDS if f"## `quire {name}" not in CLI] == []


def test_commands_of_groups_are_documented() -> None:
    assert missing((f"quire {group} {name}" for group, name in GROUPED), CLI) == []


def test_options_are_documented_with_their_command() -> None:
    every = CLI.partition("## Options of every command\n")[2].partition("\n## ")[0]
    sections = {name: CLI.partition(f"## `quire {name}")[2].partition("\n## ")[0] for name in COMMANDS}
    assert [
        f"{command} {option}"
        for command, option in dict.fromkeys(OPTIONS)
        if option.startswith("-") and not mentioned(sections[command], option) and not mentioned(every, option)
    ] == []


def test_every_option_of_the_documentation_exists() -> None:
    known = {option for _, option in OPTIONS} | {"-h", "--help", "--version"}
    assert set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*\b(?=[^`\n]*`)", CLI)) - known <= {"-o"}


def test_public_names_are_documented() -> None:
    assert missing(quire.__all__, PYTHON) == []


def test_names_of_batches_are_documented() -> None:
    assert missing([*batch.__all__, *(one.name for one in fields(batch.StageOptions)), *MANIFEST], BATCH) == []


def test_names_of_packages_are_documented() -> None:
    assert missing((name for package in PACKAGES for name in (package.__name__, *public(package))), PIPELINES) == []


def test_public_classes_have_one_section_each() -> None:
    kinds = {kind for kind, _ in MEMBERS}
    assert [kind for kind in kinds if sum(f"\n## `{kind}`\n" in page for page in (PYTHON, PIPELINES)) != 1] == []


def test_public_members_are_documented_in_the_section_of_their_class() -> None:
    page = PYTHON + PIPELINES
    sections = {kind: page.partition(f"\n## `{kind}`\n")[2].partition("\n## ")[0] for kind, _ in MEMBERS}
    assert [f"{kind}.{member}" for kind, member in MEMBERS if not mentioned(sections[kind], member)] == []


def test_arguments_of_read_are_documented() -> None:
    assert missing(inspect.signature(quire.read).parameters, PYTHON) == []


def test_kinds_and_statuses_are_documented() -> None:
    assert missing([*BLOCK_KINDS, *get_args(PageStatus)], PYTHON) == []


def test_outcomes_of_attempts_are_documented() -> None:
    assert missing(get_args(Outcome), PYTHON, EVENTS, SCANS) == []


def test_capabilities_are_documented() -> None:
    assert missing(CAPABILITIES, ENGINES.partition("\n## Capabilities\n")[2].partition("\n## ")[0]) == []


def test_exports_are_documented() -> None:
    assert missing([*export.__all__, *export.FORMATS], FORMATS) == []


def test_formats_are_in_the_reference_of_the_command_line() -> None:
    assert missing(export.FORMATS, CLI) == []


def test_events_and_stages_are_documented() -> None:
    made = (stages.NativeText, stages.RecognisedText, stages.PageBlocks, stages.AssembleDocument)
    assert missing([*get_args(EventKind), "read", "sink", *(stage.name for stage in made)], EVENTS) == []


def test_errors_are_in_the_table_with_their_exit_codes() -> None:
    rows = dict(re.findall(r"^\| `(\w+)`[^|]*\| *(\d+) *\|", ERRORS, re.MULTILINE))
    assert {kind.__name__: rows.get(kind.__name__) for kind in FAMILY} == {
        kind.__name__: str(kind.exit_code) for kind in FAMILY
    }
    assert missing((kind.__name__ for kind in FAMILY), PYTHON) == []


def test_table_of_classes_of_errors_is_the_one_that_retries_go_by() -> None:
    section = ERRORS.partition("\n## Classes of errors\n")[2].partition("\n## ")[0]
    shown = re.findall(r"^\| `(\w+)` \| (yes|no) \|", section, re.MULTILINE)
    assert shown == [(category, "yes" if retryable else "no") for category, retryable in errors.RETRYABLE.items()]


def test_exit_codes_are_documented() -> None:
    codes = sorted({kind.exit_code for kind in FAMILY} | {0, 3, 130, 141})
    assert [code for code in codes if not re.search(rf"^\| .*\b{code}\b.* \|", CLI, re.MULTILINE)] == []


def test_the_public_modules_are_those_of_the_reference():
    section = PYTHON.partition("## Public modules")[2]
    documented = set(re.findall(r"`quire\.([a-z_.]+)`", "".join(re.findall(r"(?m)^\| (`quire[^|]*)\|", section))))
    package = ROOT / "src" / "quire"
    doors = {path.stem for path in package.glob("*.py") if not path.stem.startswith("_")}
    assert documented == doors | {"batch", "runtime.local"}


def test_every_name_of_a_public_module_exists():
    for path in sorted((ROOT / "src" / "quire").glob("[!_]*.py")):
        module = import_module(f"quire.{path.stem}")
        assert public(module)
        assert all(hasattr(module, name) for name in public(module))


def test_a_public_module_has_what_the_package_behind_it_lists():
    assert public(import_module("quire.export")) == export.__all__
    for module in (detect, classify, correct):
        assert public(module) == import_module(f"quire.pipelines.{module.__name__.rpartition('.')[2]}").__all__
