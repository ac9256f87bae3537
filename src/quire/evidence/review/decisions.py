"""Decisions of people about values, and the one that counts after a history of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from quire.core.context import Json
from quire.core.errors import UsageError
from quire.core.types import BBox
from quire.evidence.extract.extraction_json import boxes_of, value_json, value_of
from quire.evidence.extract.schema import LeafSpec
from quire.evidence.extract.schema_fit import Unfit, fitted
from quire.lexicon.dates import date_readings

Action = Literal["approve", "correct", "reject", "absent"]
"""`approve`: the value is right. `correct`: another one is. `reject`: it is wrong, and the right one is not known.
`absent`: the document does not say it."""
ACTIONS: tuple[Action, ...] = get_args(Action)
UNDO = "undo"
"""The entry of a history that withdraws the decision before it."""
ItemState = Literal["open", "confirmed", "corrected", "rejected", "absent"]
STATES: dict[str, ItemState] = {
    "approve": "confirmed",
    "correct": "corrected",
    "reject": "rejected",
    "absent": "absent",
}
LONGEST = 20_000
"""Characters of a value that a person gives."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision about one value. `value` and its place count for `correct` alone; `page` is None without a place."""

    action: Action
    value: Json = None
    quote: str = ""
    page: int | None = None
    bboxes: tuple[BBox, ...] = ()
    blocks: tuple[str, ...] = ()
    note: str = ""

    @property
    def state(self) -> ItemState:
        return STATES[self.action]

    def to_json(self) -> dict[str, Json]:
        return dict(value_json(self))

    @classmethod
    def of(cls, tree: Mapping[str, Any]) -> Decision:
        return value_of(cls, tree, bboxes=boxes_of(tree["bboxes"]), blocks=tuple(tree["blocks"]))


def in_force(history: Iterable[tuple[str, Json]]) -> Json:
    """The decision that counts after a history of actions with their decisions, in order; None if all are withdrawn."""
    standing: list[Json] = []
    for action, decision in history:
        if action != UNDO:
            standing.append(decision)
        elif standing:
            standing.pop()
    return standing[-1] if standing else None


def typed_value(given: Json, leaf: LeafSpec | None) -> Json:
    """The value that a person gave, as the schema wants it: numbers, dates and choices may be given as printed.

    Raises UsageError for a value that the leaf cannot have.
    """
    if isinstance(given, str):
        given = " ".join(given.split())
        if len(given) > LONGEST:
            raise UsageError(f"a value has at most {LONGEST:,} characters")
    if given is None or given == "":
        raise UsageError("the corrected value is empty; say that it is not in the document instead")
    if leaf is None:
        raise UsageError("this is a list; correct the values in its rows, or add rows")
    try:
        value = fitted(given, leaf)
    except Unfit as error:
        raise UsageError(f"{leaf.path}: {error}") from error
    if leaf.kind != "date" or not isinstance(value, str):
        return value
    readings = date_readings(value)
    return next(iter(readings)) if len(readings) == 1 else value  # 3/4/2026 stays as it is printed
