"""Names in the plural that ask for the rows of a table: `items`, `quantities`."""

from __future__ import annotations

from typing import Literal, get_args

from quire.evidence.extract.schema import LeafSpec
from quire.lexicon.labels import label_words
from quire.lexicon.words import word_groups

ItemColumn = Literal["description", "quantity", "unit_price", "amount"]
_NAMES = word_groups("item_columns")
_COLUMNS: dict[tuple[str, ...], ItemColumn] = {
    label_words(name): column for column in get_args(ItemColumn) for name in _NAMES[column]
}


def rows_asked(leaf: LeafSpec) -> ItemColumn | None:
    """The column of items whose values a leaf asks for; None where it asks for one value. A number called `items` is
    how many there are."""
    if leaf.several is False or "[]" in leaf.path or leaf.enum:
        return None
    names = (name.replace("_", " ") for name in (leaf.name, leaf.title) if name)
    column = next((found for name in names if (found := _COLUMNS.get(label_words(name)))), None)
    return None if column == "description" and leaf.type != "string" else column
