"""The test cases of a flow: run each, and report where its output differs from the expected output."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quire.core.context import Json, Store
from quire.core.errors import QuireError, UsageError
from quire.core.keys import Digest
from quire.durable.inline.flow_call import Flow
from quire.flow.definition import Case

SHOWN = 120
"""Maximum characters of a value in a difference."""


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """The outcome of a case: its differences or its error. It passed if it has neither."""

    flow: str
    case: str
    differences: tuple[str, ...] = ()
    error: str = ""

    @property
    def passed(self) -> bool:
        return not self.differences and not self.error


def run_case(flow: Flow, case: Case, store: Store, *, workers: int | None = None) -> CaseOutcome:
    """Run a case in this process. Cases that share a store make nothing twice."""
    try:
        output = flow.run(inputs=_placed(flow, case.input), store=store, workers=workers).output
        return CaseOutcome(flow.name, case.name, tuple(differences(case.output, output, store=store)))
    except QuireError as error:
        return CaseOutcome(flow.name, case.name, error=str(error))


def differences(expected: Json, found: Json, place: str = "output", *, store: Store | None = None) -> Iterator[str]:
    """The differences between two values: additional keys are allowed, lists must have the same length, `text` is that
    of a file.

    `{$contains: …}` expects a substring or an item of a list, `{$matches: …}` a match of a regular expression.
    """
    match expected:
        case {"$contains": wanted}:
            if not isinstance(found, (str, list)) or wanted not in found:
                yield f"{place}: {_shown(wanted)} is not in {_shown(found)}"
        case {"$matches": str() as pattern}:
            if not isinstance(found, str) or not _matches(pattern, found):
                yield f"{place}: {_shown(found)} does not match {pattern}"
        case dict():
            yield from _in_mapping(expected, found, place, store)
        case list():
            if not isinstance(found, list) or len(found) != len(expected):
                yield f"{place}: expected {_count(expected)}, got {_shown(found)}"
                return
            for at, (wanted, given) in enumerate(zip(expected, found, strict=True)):
                yield from differences(wanted, given, f"{place}.{at}", store=store)
        case _ if expected != found or isinstance(expected, bool) is not isinstance(found, bool):
            yield f"{place}: expected {_shown(expected)}, got {_shown(found)}"


def _in_mapping(expected: Mapping[str, Json], found: Json, place: str, store: Store | None) -> Iterator[str]:
    if not isinstance(found, dict):
        yield f"{place}: expected a mapping, got {_shown(found)}"
        return
    for key, wanted in expected.items():
        if key == "text" and key not in found and store is not None and "digest" in found:
            text = store.load(Digest(found["digest"])).decode("utf-8", "replace")
            yield from differences(wanted, text, f"{place}.text")
        elif key not in found:
            yield f"{place}.{key}: is missing; the keys {_are(list(found))}"
        else:
            yield from differences(wanted, found[key], f"{place}.{key}", store=store)


def _placed(flow: Flow, given: Mapping[str, Json]) -> dict[str, Json]:
    """The inputs with the paths of documents relative to the folder of the flow."""
    documents = {name for name, one in flow.definition.inputs.items() if one.type.name == "document"}
    folder = flow.folder or Path()
    return {
        name: str((folder / value).resolve()) if name in documents and isinstance(value, str) else value
        for name, value in given.items()
    }


def _matches(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error as error:
        raise UsageError(f"{pattern!r} is not a valid regular expression: {error}") from error


def _shown(value: Json) -> str:
    shown = repr(value)
    return shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}..."


def _count(items: Sequence[Json]) -> str:
    return f"a list of {len(items)} item{'' if len(items) == 1 else 's'}"


def _are(names: Sequence[str]) -> str:
    return f"are {', '.join(names)}" if names else "are none"
