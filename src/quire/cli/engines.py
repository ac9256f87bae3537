"""`quire engines`: the OCR engines of this machine, and their languages."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Annotated, TypedDict

from typer import Option

from quire.cli import options
from quire.cli.command_errors import print_report
from quire.core.errors import EXIT_COMPLETE, ConfigurationError

EXAMPLES = """\b
Examples:
  quire engines
  quire engines --languages
  quire engines --languages --json
"""

_WIDTH = 100
DUMMY = "echo"
"""The dummy engine, which does no OCR."""


class EngineReport(TypedDict):
    name: str
    usable: bool
    reason: str  # why it is not usable
    version: str
    policy: str
    capabilities: list[str]
    languages: list[str] | None  # None: any language
    dummy: bool  # for tests: does no OCR


class LanguageReport(TypedDict):
    code: str
    name: str
    script: str
    engines: list[str]
    traineddata: str | None  # of Tesseract, where it is installed
    package: str  # the Debian package with it


def engines(
    languages: Annotated[bool, Option("--languages", help="List the languages, their engines and packages.")] = False,
    as_json: options.Json = False,
) -> int:
    """List the OCR engines: what each can do, or why it is not usable."""
    found = engine_reports()
    if languages:
        known = language_reports(found)
        print_report({"languages": known}, _language_lines(known, found), as_json=as_json)
    else:
        print_report({"engines": found}, _engine_lines(found), as_json=as_json)
    return EXIT_COMPLETE


def engine_reports() -> list[EngineReport]:
    """Every engine of the installed packages, by name; the dummy comes last."""
    from quire.pages.recognize import engine_registry as registry

    return [_engine_report(name) for name in sorted(registry.names(), key=lambda name: (name == DUMMY, name))]


def language_reports(found: Sequence[EngineReport]) -> list[LanguageReport]:
    """Every language of the table, by code, with the engines that list it."""
    from quire.pages.recognize.languages import all_languages

    available = _traineddata()
    return [
        {
            "code": language.code,
            "name": language.name,
            "script": language.script,
            "engines": [one["name"] for one in found if language.code in (one["languages"] or ())],
            "traineddata": language.installed(available),
            "package": language.package,
        }
        for language in all_languages()
    ]


def _engine_report(name: str) -> EngineReport:
    from quire.pages.recognize import engine_registry as registry

    try:
        engine = registry.make(name)
        return {
            "name": name,
            "usable": True,
            "reason": "",
            "version": engine.version,
            "policy": engine.policy,
            "capabilities": sorted(engine.capabilities),
            "languages": None if engine.languages is None else sorted(engine.languages),
            "dummy": name == DUMMY,
        }
    except ConfigurationError as error:
        reason = str(error)
    except Exception as error:  # a third-party plugin may raise anything: it must not hide the others
        reason = f"{type(error).__name__}: {error}"
    return {
        "name": name,
        "usable": False,
        "reason": reason,
        "version": "",
        "policy": "",
        "capabilities": [],
        "languages": [],
        "dummy": name == DUMMY,
    }


def _traineddata() -> tuple[str, ...]:
    from quire.pages.recognize.tesseract.program import find

    try:
        return find().traineddata
    except ConfigurationError:
        return ()


def _engine_lines(found: Sequence[EngineReport]) -> Iterator[str]:
    width = max((len(one["name"]) for one in found), default=0)
    for one in found:
        head, *rest = _facts(one)
        yield f"{one['name']:<{width}}  {head}"
        yield from (f"{'':<{width}}  {line}" for line in rest)


def _facts(one: EngineReport) -> list[str]:
    if not one["usable"]:
        return textwrap.wrap(f"not usable: {one['reason']}", _WIDTH, break_on_hyphens=False, break_long_words=False)
    if one["dummy"]:
        return ['a dummy for tests: does no OCR, and returns "echo" for every page']
    named = one["languages"]
    speaks = "any language" if named is None else f"{len(named)} language{'' if len(named) == 1 else 's'}"
    can = ", ".join(capability.replace("_", " ") for capability in one["capabilities"])
    return [f"usable ({one['policy']}), version {one['version']}", *textwrap.wrap(f"{can}; {speaks}", _WIDTH)]


def _language_lines(known: Sequence[LanguageReport], found: Sequence[EngineReport]) -> Iterator[str]:
    columns = [("language", "", "read by", "data for Tesseract")]
    for one in known:
        data = f"{one['traineddata']} is installed" if one["traineddata"] else f"apt install {one['package']}"
        columns.append((one["code"], one["name"], ", ".join(one["engines"]) or "-", data))
    widths = [max(len(row[at]) for row in columns) for at in range(3)]
    for row in columns:
        yield "  ".join([*(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)), row[3]])
    if unrestricted := [
        one["name"] for one in found if one["usable"] and not one["dummy"] and one["languages"] is None
    ]:
        yield ""
        yield f"For any language: {', '.join(unrestricted)}."
