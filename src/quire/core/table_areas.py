"""Settings of finding tables, and areas of tables that users name by hand.

Areas come from the caller, from `[[area]]` in `quire.toml`, or from a file beside the document
(`report.pdf.quire.toml`). What is given for a page is part of the key of its blocks.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Any, Literal, NamedTuple, get_args

from quire.core.errors import UsageError
from quire.core.keys import digest_of
from quire.core.page_ranges import check_pages, has_page

TablesMode = Literal["auto", "lines", "words", "none"]
TABLES_MODES: tuple[TablesMode, ...] = get_args(TablesMode)
"""Tables by drawn lines and by the places of words; by one of them alone; or none."""

SIDECAR = ".quire.toml"
"""The ending of the file beside a document that has its areas: `report.pdf.quire.toml`."""
MOST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class TableArea:
    """A table that is given by hand, or how the tables of some pages are found.

    `pages` is a selection like `1-3,7`, all pages by default. `box` is left, top, width and height as fractions of the
    displayed page; what is in it becomes one table. `columns` are the positions between its columns, as fractions of
    the width of the page; without a box, the whole page is the table. `tables` says how the tables of these pages, or
    the rows of the box, are found.
    """

    pages: str | None = None
    box: tuple[float, float, float, float] | None = None
    columns: tuple[float, ...] = ()
    tables: TablesMode | None = None

    def __post_init__(self) -> None:
        if self.pages is not None and not isinstance(self.pages, str):
            raise UsageError(f"pages is {self.pages!r}; write a text like '1-3,7'")
        check_pages(self.pages)
        if self.box is not None:
            object.__setattr__(self, "box", _checked_box(self.box))
        object.__setattr__(self, "columns", _checked_columns(self.columns, self.box))
        if self.tables is not None:
            check_mode(self.tables)
        if not self.is_table and self.tables is None:
            raise UsageError("an area needs a box, columns or tables")
        if self.is_table and self.tables == "none":
            raise UsageError("an area with a box or columns is a table; tables = 'none' is for pages without them")

    @property
    def is_table(self) -> bool:
        return self.box is not None or bool(self.columns)

    def to_json(self) -> dict[str, Any]:
        """As in a request of the HTTP API: only what is given."""
        return {name: value for name, value in asdict(self).items() if value not in (None, ())}

    @classmethod
    def of_json(cls, value: object) -> TableArea:
        """Raises UsageError for unknown names and wrong values."""
        if not isinstance(value, Mapping):
            raise UsageError(f"an area is {value!r}; it must be a table with pages, box, columns or tables")
        known = [field.name for field in fields(cls)]
        if unknown := [str(name) for name in value if name not in known]:
            raise UsageError(f"there is no {unknown[0]!r} in an area; known are {', '.join(known)}")
        lists: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in value.items()}
        return cls(**lists)


@dataclass(frozen=True, slots=True)
class TableOptions:
    """Settings of finding the tables of a document, or of one page."""

    mode: TablesMode = "auto"
    areas: tuple[TableArea, ...] = ()

    def __post_init__(self) -> None:
        check_mode(self.mode)

    def __bool__(self) -> bool:
        """Whether anything is asked for."""
        return self.mode != "auto" or bool(self.areas)

    def of_page(self, number: int) -> TableOptions:
        """The tables that are given for a page, and how the others on it are found."""
        here = [area for area in self.areas if has_page(area.pages, number)]
        modes = [area.tables for area in here if area.tables and not area.is_table]
        return TableOptions(modes[-1] if modes else self.mode, tuple(area for area in here if area.is_table))

    def key(self, number: int) -> tuple[str, ...]:
        """The part of the key of a page that these settings add; nothing by default."""
        options = self.of_page(number)
        if not options:
            return ()
        areas = [{**area.to_json(), "pages": ""} for area in options.areas]
        return (f"tables {digest_of([options.mode, areas])}",)

    def describe(self) -> str:
        """For the ledger entry of a page: `2 areas by hand`, `words`; nothing by default."""
        count = len(self.areas)
        by_hand = [f"{count} area{'' if count == 1 else 's'} by hand"] if count else []
        return ", ".join(by_hand if self.mode == "auto" else [*by_hand, self.mode])


class PatternArea(NamedTuple):
    """An area for the documents whose path matches a pattern, from `quire.toml`."""

    files: str
    area: TableArea


def areas_for(path: str | PurePath, patterns: Sequence[PatternArea]) -> tuple[TableArea, ...]:
    """The areas of the document at a path: a pattern without `/` matches its name, others the end of the path."""
    return tuple(area for pattern, area in patterns if PurePath(path).match(pattern))


def areas_beside(path: str | Path) -> tuple[TableArea, ...]:
    """The areas in the file beside a document, if there is one. Raises UsageError naming the file and the entry."""
    if not os.path.isfile(f"{path}{SIDECAR}"):  # noqa: PTH113 - faster: it is asked for every document of a batch
        return ()
    beside = Path(f"{path}{SIDECAR}")
    import tomllib  # takes time to import, and most documents have no such file

    try:
        if beside.stat().st_size > MOST_BYTES:
            raise UsageError(f"{beside} has more than {MOST_BYTES:,} bytes; it should hold only areas of tables")
        tree = tomllib.loads(beside.read_text())
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {beside}: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{beside}: {error}") from error
    if unknown := [name for name in tree if name != "area"]:
        raise UsageError(f"{beside}: there is no {unknown[0]!r} here; write [[area]] for each area")
    return tuple(listed_areas(tree.get("area", []), str(beside)))


def listed_areas(entries: object, file: str) -> list[TableArea]:
    """The areas of `[[area]]` entries. Raises UsageError naming the file and the number of the entry."""
    if not isinstance(entries, list):
        raise UsageError(f"{file}: areas are a list: write [[area]], with two brackets")
    areas = []
    for number, entry in enumerate(entries, start=1):
        try:
            areas.append(TableArea.of_json(entry))
        except UsageError as error:
            raise UsageError(f"{file}: [[area]] {number}: {error}") from None
    return areas


def check_mode(mode: object) -> None:
    if mode not in TABLES_MODES:
        raise UsageError(f"tables is {mode!r}; choose from {', '.join(TABLES_MODES)}")


def _checked_box(box: Any) -> tuple[float, float, float, float]:
    if not isinstance(box, tuple) or len(box) != 4 or not all(map(_is_number, box)):
        raise UsageError(f"box is {_shown(box)}; write [left, top, width, height] as fractions of the page")
    left, top, width, height = map(float, box)
    if min(left, top) < 0 or min(width, height) <= 0 or left + width > 1.0001 or top + height > 1.0001:
        raise UsageError(f"box is {_shown(box)}, which is not on the page: its values are fractions from 0 to 1")
    return left, top, width, height


def _checked_columns(columns: Any, box: tuple[float, float, float, float] | None) -> tuple[float, ...]:
    if not isinstance(columns, tuple) or not all(map(_is_number, columns)):
        raise UsageError(f"columns is {_shown(columns)}; write positions like [0.3, 0.55], fractions of the page")
    start, end = (box[0], box[0] + box[2]) if box else (0.0, 1.0)
    if any(not start < x < end for x in columns) or any(b <= a for a, b in pairwise(columns)):
        where = "of the page" if box is None else "inside the box"
        raise UsageError(f"columns is {_shown(columns)}; the positions must rise and lie {where}")
    return tuple(map(float, columns))


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _shown(value: object) -> str:
    return repr(list(value)) if isinstance(value, tuple) else repr(value)
