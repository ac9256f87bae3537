"""From the files that a runner wrote to a verified answer, and from that to the files of the result.

`answer.json` has the values by the schema. Each line of `evidence.jsonl` is about one of them:

    {"path": "items[0].price", "record": "p3-b12:r2c4", "quote": "12.50"}
    {"path": "growth", "derivation": {"rule": "percentage", "parts": [{"text": "110", "record": "p1-b2"}, …]}}
    {"path": "vat_id", "not_found": true, "pages": [1, 2], "reason": "…"}

Pages and boxes come from the catalog, never from a runner; those of Quire's own extractors say which of several places
is meant, and are checked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from quire.core.context import Json
from quire.core.runner import RunnerFailed
from quire.core.types import BBox, Part
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.extraction import extract
from quire.evidence.extract.extraction_json import evidence_json
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.shown_values import PagePicture, with_shown
from quire.evidence.extract.value_paths import value_at, values_by_path
from quire.evidence.extract.values import Derivation, Extraction, Missing, Proposal
from quire.solving.joined_catalog import JoinedCatalog

ANSWER, EVIDENCE, NOTES = "answer.json", "evidence.jsonl", "notes.md"
CONFIDENCE = 0.8
"""Of a value of a runner: how sure it is does not count, the check of the value does."""
MOST_VALUES = 20_000
LONGEST_QUOTE = 1000
_RULES = ("sum", "difference", "product", "percentage", "unit")


@dataclass(frozen=True, slots=True)
class ClaimedAnswer:
    """What a runner claims: the values, what each cites, what it did not find, and remarks. Nothing is checked."""

    values: Json
    cited: Mapping[str, Mapping[str, Any]]
    missing: Mapping[str, Missing]
    notes: str = ""
    signed: bool = field(default=False)
    """Whether the lines of evidence have the confidences, signs and boxes of Quire's own extractors."""

    @classmethod
    def of(cls, files: Mapping[str, bytes], runner: str, *, signed: bool = False) -> ClaimedAnswer:
        """The claims in the files of a runner. Raises RunnerFailed for an answer that is not a JSON object."""
        values = _json(files.get(ANSWER, b""), runner)
        if not isinstance(values, dict):
            raise RunnerFailed(runner, f"{ANSWER} is missing, or not a JSON object", "invalid_output")
        cited: dict[str, Mapping[str, Any]] = {}
        missing: dict[str, Missing] = {}
        for line in _lines(files.get(EVIDENCE, b"")):
            path = line.get("path")
            if not isinstance(path, str):
                continue
            if line.get("not_found"):
                pages = tuple(page for page in line.get("pages") or () if isinstance(page, int))
                missing[path] = Missing(path, pages, str(line.get("reason") or "")[:LONGEST_QUOTE])
            else:
                cited.setdefault(path, line)
        notes = files.get(NOTES, b"").decode("utf-8", "replace")
        return cls(values, cited, missing, notes, signed)

    def proposals(self, runner: str) -> list[Proposal]:
        """The values as proposals, which verification checks."""
        found = ((path, value) for path, value in values_by_path(self.values) if value is not None and value != "")
        return [self._proposal(path, value, runner) for path, value in _first(found)]

    def _proposal(self, path: str, value: Json, runner: str) -> Proposal:
        line = self.cited.get(path, {})
        made = Proposal(
            path, value, _records(line), _text(line.get("quote")), CONFIDENCE, runner, derivation=_rule(line)
        )
        if not self.signed:
            return made
        signs = {name: float(sign) for name, sign in (line.get("signs") or {}).items()}
        return replace(
            made,
            confidence=float(line.get("confidence", CONFIDENCE)),
            extractor=_text(line.get("extractor")) or runner,
            label=_text(line.get("label")),
            signs=signs,
            places=tuple(Part(int(page), BBox(*box)) for page, *box in line.get("places") or ()),
        )


class _Claims:
    """An extractor that proposes what a runner has claimed."""

    def __init__(self, claimed: ClaimedAnswer, name: str, version: str) -> None:
        self._claimed, self.name, self.version = claimed, name, version

    def propose(self, catalog: SourceCatalog, schema: ExtractSchema) -> Sequence[Proposal]:
        return self._claimed.proposals(self.name)


def verified_answer(
    claimed: ClaimedAnswer,
    schema: ExtractSchema,
    documents: JoinedCatalog,
    runner: str,
    version: str,
    picture: PagePicture | None = None,
) -> Extraction:
    """The answer of a runner, every value checked against the documents: the same for each runner, without a model.

    `picture` is that of a page of the whole: a value at whose place nothing is to be seen is not supported.
    """
    made = extract(documents.whole, schema, [_Claims(claimed, runner, version)])
    if picture is not None:
        made = with_shown(made, documents.whole, picture)
    searched = tuple(_searched(one, claimed.missing.get(one.path)) for one in made.not_found)
    return documents.separated(replace(made, not_found=searched))


def answer_files(answer: Extraction, notes: str = "") -> dict[str, bytes]:
    """The files of a verified answer: values, evidence by path with page and boxes, and remarks."""
    lines = [
        {"path": path, "value": value_at(answer.values, path), **evidence_json(one)}
        for path, one in answer.evidence.items()
    ]
    return {
        ANSWER: _encoded(json.dumps(answer.values, indent=2, ensure_ascii=False, allow_nan=False) + "\n"),
        EVIDENCE: _encoded("".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)),
        NOTES: _encoded(notes.strip() + "\n" if notes.strip() else ""),
    }


def claimed_files(
    values: Json, cited: Mapping[str, Mapping[str, Json]], missing: Sequence[Missing] = (), notes: str = ""
) -> dict[str, bytes]:
    """The files in which a runner hands over its claims."""
    lines = [{"path": path, **line} for path, line in cited.items()]
    lines += [{"path": one.path, "not_found": True, "pages": list(one.pages), "reason": one.reason} for one in missing]
    return {
        ANSWER: _encoded(json.dumps(values, indent=2, ensure_ascii=False) + "\n"),
        EVIDENCE: _encoded("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)),
        NOTES: _encoded(notes),
    }


def _searched(found: Missing, claimed: Missing | None) -> Missing:
    """What is missing, with the reason that the runner gives."""
    if claimed is None or not claimed.reason:
        return found
    return replace(found, reason=f"{claimed.reason} ({found.reason})")


def _first(found: Iterator[tuple[str, Json]]) -> Iterator[tuple[str, Json]]:
    for number, one in enumerate(found):
        if number >= MOST_VALUES:
            return
        yield one


def _records(line: Mapping[str, Any]) -> tuple[str, ...]:
    given = line.get("records", line.get("record"))
    listed = given if isinstance(given, list) else [given]
    return tuple(one.strip(" []") for one in listed if isinstance(one, str) and one.strip(" []"))[:8]


def _rule(line: Mapping[str, Any]) -> Derivation | None:
    given = line.get("derivation")
    if not isinstance(given, dict) or given.get("rule") not in _RULES or not isinstance(given.get("parts"), list):
        return None
    parts = [one for one in given["parts"] if isinstance(one, dict)]
    return Derivation(given["rule"], tuple((_text(one.get("text")), _text(one.get("record"))) for one in parts))


def _text(given: object) -> str:
    return given[:LONGEST_QUOTE].strip() if isinstance(given, str) else ""


def _json(data: bytes, runner: str) -> Json:
    try:
        return json.loads(data.decode("utf-8-sig")) if data else None
    except (ValueError, RecursionError) as error:
        raise RunnerFailed(runner, f"{ANSWER} is not JSON: {error}", "invalid_output") from error


def _lines(data: bytes) -> Iterator[Mapping[str, Any]]:
    """The lines that are JSON objects: one broken line loses its citation, and nothing else."""
    for line in data.decode("utf-8-sig", "replace").splitlines():
        try:
            found = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")  # broken fonts map to lone surrogates: JSON escapes them
