"""The text of a task for a model: what is asked for, the documents, the answer so far and the findings about it.

Everything that comes from documents is JSON between tags, in which no tag can stand: data, and recognisable as such.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quire.core.context import Json
from quire.core.runner import TaskBrief
from quire.evidence.extract.language_model.form import described
from quire.evidence.extract.schema import asked_schema
from quire.evidence.extract.value_paths import value_at

LONGEST_PART = 60_000
"""Characters of the answer, or of the findings, that a prompt shows."""


def task_prompt(brief: TaskBrief) -> str:
    """A pure function of the brief."""
    return "\n\n".join(_sections(brief))


def _sections(brief: TaskBrief) -> Iterator[str]:
    yield f"The task:\n<task>\n{brief.task.strip()}\n</task>"
    schema = asked_schema(brief.schema, ())
    yield f"The values that are asked for, by their paths:\n<values>\n{described(schema)}\n</values>"
    documents = [
        {**({"document": one.short} if one.short else {}), "name": one.name, "pages": one.pages}
        for one in brief.documents
    ]
    yield f"The documents:\n<documents>\n{_lines(documents)}\n</documents>"
    if brief.answer is not None:
        yield f"The answer so far, as it was checked:\n<answer>\n{_lines(_answered(brief.answer))}\n</answer>"
    if brief.findings:
        yield f"Findings of the review, to be answered:\n<findings>\n{_lines(brief.findings)}\n</findings>"


def _answered(answer: Mapping[str, Any]) -> list[dict[str, Json]]:
    """The values of an extraction with what they cite, without boxes and confidences."""
    lines = []
    for path, one in answer.get("evidence", {}).items():
        line: dict[str, Json] = {"path": path, "value": value_at(answer.get("values"), path), "status": one["status"]}
        document = one.get("document") or ""
        records = [f"{document}/{name}" if document else name for name in one.get("records") or ()]
        kept = {"record": records[0] if records else "", "page": one.get("page"), "quote": one.get("quote")}
        line |= {name: given for name, given in kept.items() if given}
        lines.append({**line, "reason": one["reason"]} if one.get("reason") else line)
    return lines


def _lines(items: Sequence[Mapping[str, Json]]) -> str:
    """A line of JSON for each, as many as there is room for."""
    lines: list[str] = []
    used = 0
    for number, item in enumerate(items):
        line = json.dumps(item, ensure_ascii=False).replace("<", "\\u003c")
        used += len(line) + 1
        if used > LONGEST_PART:
            return "\n".join([*lines, f"and {len(items) - number} more"])
        lines.append(line)
    return "\n".join(lines)
