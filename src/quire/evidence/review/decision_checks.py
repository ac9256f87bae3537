"""Checks of a decision against the schema, the values of the extraction, and earlier decisions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from quire.core.context import Json
from quire.core.errors import UsageError
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.value_paths import field_of, value_at
from quire.evidence.extract.values import Extraction
from quire.evidence.review.decisions import Decision, typed_value
from quire.evidence.review.items import ReviewItem, added_item

MOST_AHEAD = 100
"""The farthest row behind the last one of a list that may be added."""
_SHOWN = 200
_ROW = re.compile(r"\[(0|[1-9][0-9]{0,8})\]")


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The content of a review: the extraction as it was, and its items by path in their order."""

    extraction: Extraction
    given: Json
    """The schema as it was given."""
    schema: ExtractSchema
    items: Mapping[str, ReviewItem]

    def item(self, path: str) -> ReviewItem:
        """The item of a path: of the extraction, or of a row that a reviewer adds to a list of the schema.

        Raises UsageError for a path that the schema does not have, with those that it has.
        """
        if path in self.items:
            return self.items[path]
        leaf = self.schema.leaf(path)
        if leaf is None or "[" not in path or "[" in _ROW.sub("", path):
            raise UsageError(f"{self.extraction.name} has no value {path[:_SHOWN]}; choose from {self._fields()}")
        return added_item(path, leaf)

    def checked(self, path: str, decision: Decision, known: Mapping[str, Decision | None]) -> Decision:
        """The decision about a path as it is recorded. `known` are the values of its part by path, with the decision
        that counts.

        Raises UsageError for a path or a value that the extraction cannot have.
        """
        item = self.item(path)
        self._check_rows(path, known)
        if decision.action != "approve" and any(_has_value(one, path, known[one]) for one in known):
            raise UsageError(f"{path} has rows; decide about the values in them")
        if decision.action == "correct":
            return replace(decision, value=typed_value(decision.value, item.leaf))
        before = known.get(path)
        if decision.action == "approve" and before is not None and before.action == "correct":
            return replace(before, note=decision.note or before.note)  # what is shown, and approved, is the correction
        if decision.action == "approve" and path not in self.items:
            raise UsageError(f"{path} has no value to approve; correct it, or say that it is not in the document")
        return Decision(decision.action, note=decision.note)

    def _check_rows(self, path: str, known: Mapping[str, Decision | None]) -> None:
        """A row is one that there is, or one of the next: several may be added at once, and come in any order."""
        for found in _ROW.finditer(path):
            whole = path[: found.start()]
            there = [int(row[1]) for one in known if one.startswith(whole) and (row := _ROW.match(one, len(whole)))]
            rows = max(there, default=-1) + 1
            if not rows and self._is_single(path[: found.end()], known):
                raise UsageError(f"{path}: {whole} is a single value; decide about {whole}")
            if int(found[1]) >= rows + MOST_AHEAD:
                raise UsageError(f"{path}: {whole} has {rows} rows; add the next one as {whole}[{rows}]")

    def _is_single(self, row: str, known: Mapping[str, Decision | None]) -> bool:
        """Whether the list of a row, of which there is none yet, is a leaf of the schema with one value."""
        leaf = self.schema.leaf(row)
        whole = row.rpartition("[")[0]
        if leaf is None or leaf.path == field_of(row):
            return False
        return not leaf.several or value_at(self.extraction.values, whole) is not None or known.get(whole) is not None

    def _fields(self) -> str:
        listed = [leaf.path for leaf in self.schema.leaves if "[]" in leaf.path]
        return ", ".join(dict.fromkeys([*(item.field for item in self.items.values()), *listed]))[:2000]


def _has_value(path: str, whole: str, decision: Decision | None) -> bool:
    """Whether a reviewer gave a value to a row of a list."""
    return path.startswith(f"{whole}[") and decision is not None and decision.action == "correct"
