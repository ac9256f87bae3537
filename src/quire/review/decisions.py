"""What a person decides about a value, and what follows from a history of decisions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, get_args

from quire.context import Json
from quire.errors import UsageError
from quire.extract.schema import LeafSpec
from quire.types import BBox

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
        return {
            "action": self.action,
            "value": self.value,
            "quote": self.quote,
            "page": self.page,
            "bboxes": [{"left": b.left, "top": b.top, "width": b.width, "height": b.height} for b in self.bboxes],
            "blocks": list(self.blocks),
            "note": self.note,
        }

    @classmethod
    def of(cls, tree: Mapping[str, Any]) -> Decision:
        boxes = (BBox(b["left"], b["top"], b["width"], b["height"]) for b in tree["bboxes"])
        place = tree["page"], tuple(boxes), tuple(tree["blocks"])
        return cls(tree["action"], tree["value"], tree["quote"], *place, tree["note"])


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
    """The value that a person gave, as the schema wants it: numbers and truth values may be given as they are printed.

    Raises UsageError for a value that the leaf cannot have.
    """
    if isinstance(given, (dict, list)) or (isinstance(given, str) and len(given) > LONGEST):
        raise UsageError(f"a value is a text of at most {LONGEST:,} characters, a number, true or false")
    if given is None or given == "":
        raise UsageError("the corrected value is empty; say that it is not in the document instead")
    if leaf is None:
        return given
    value = _of_type(given, leaf)
    if leaf.enum and value not in leaf.enum:
        same = [one for one in leaf.enum if isinstance(one, str) and one.casefold() == str(value).casefold().strip()]
        if not same:
            raise UsageError(f"{leaf.path} is one of {', '.join(map(str, leaf.enum))}, not {str(value)[:100]!r}")
        value = same[0]
    return value


def _of_type(given: Json, leaf: LeafSpec) -> Json:
    text = str(given).strip()
    if leaf.type == "boolean":
        known = {"true": True, "yes": True, "1": True, "x": True, "false": False, "no": False, "0": False}
        if text.casefold() not in known:
            raise UsageError(f"{leaf.path} is yes or no, not {text[:100]!r}")
        return known[text.casefold()]
    if leaf.type in ("number", "integer"):
        number = _number(text)
        if number is None or (leaf.type == "integer" and number != int(number)):
            raise UsageError(
                f"{leaf.path} is {'a whole number' if leaf.type == 'integer' else 'a number'}, not {text[:100]!r}"
            )
        return int(number) if number == int(number) and leaf.type == "integer" else float(number)
    return " ".join(text.split()) if isinstance(given, str) else text


def _number(text: str) -> Decimal | None:
    """A number as it is printed: with separators of any kind, a sign or brackets, a currency or unit around it."""
    found = re.search(r"\d[\d.,'’\s\u00a0\u202f]*", text)
    if found is None:
        return None
    digits = re.sub(r"['’\s\u00a0\u202f]", "", found[0]).rstrip(".,")
    last = max(digits.rfind("."), digits.rfind(","))
    if last >= 0:
        mark, decimals = digits[last], len(digits) - last - 1
        thousands = digits.count(mark) > 1 or (
            decimals == 3 and len({*digits} & {".", ","}) == 1 and digits[:last] != "0"
        )
        whole = re.sub(r"[.,]", "", digits[:last])
        digits = f"{whole}{digits[last + 1 :]}" if thousands else f"{whole}.{digits[last + 1 :]}"
    negative = re.match(r"\s*(?:[-−–]|\()", text) is not None
    try:
        return -Decimal(digits) if negative else Decimal(digits)
    except InvalidOperation:
        return None
