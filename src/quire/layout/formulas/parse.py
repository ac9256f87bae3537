"""The LaTeX of a formula from its symbols and rules: accents, fractions, roots, limits, matrices, scripts, rows.

Parts are composed from the inside out: what has been composed is one item with a place, like a symbol.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from quire.layout.formulas.items import AXIS, Symbol, SymbolKind, box_of
from quire.layout.formulas.signs import ACCENTS, COMMANDS, INTEGRALS, PIECES, WITH_LIMITS
from quire.median import median

SCRIPT = 0.86  # of the size: smaller type may be a script
RAISED, LOWERED = 0.18, 0.06  # of the size: how far a script's baseline is from that of its line
NEAR = 0.45  # of the size: the gap between the parts of what stands above or below a rule
LIMIT_GAP = 0.5  # of the size: the gap between an operator and its limits
ROW = 0.75  # of the size: rows are at least this far apart
COLUMN = 0.7  # of the size: the gap between the columns of a matrix
DOTS = 0.72  # of the size: from the first to the third dot of an ellipsis; nearer ones were typed one by one
TALL = 1.55  # of the size: brackets of at least this height may contain several rows


class DrawnRule(NamedTuple):
    """A drawn horizontal line."""

    left: float
    right: float
    y: float

    @property
    def width(self) -> float:
        return self.right - self.left


class Parsed(NamedTuple):
    """LaTeX, and whether a part of it is a guess."""

    latex: str
    unsure: bool


def parse(items: Sequence[Symbol], rules: Sequence[DrawnRule]) -> Parsed:
    """The LaTeX of the symbols of a formula and the rules drawn in it."""
    parser = _Parser()
    latex = parser.layout(list(items), list(rules))
    return Parsed(latex, parser.unsure or "\ufffd" in latex)


class _Parser:
    def __init__(self) -> None:
        self.unsure = False

    def layout(self, items: list[Symbol], rules: list[DrawnRule] | None = None) -> str:
        """One part of a formula, of one or more rows."""
        items = _brackets(items)
        items = self._accents(items)
        if rules:
            items = self._ruled(items, rules)
        items = self._limits(items)
        items = self._matrices(items)
        rows = rows_of(items)
        if len(rows) == 1:
            return self.line(rows[0])
        lines = [self._aligned(row) for row in rows]
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def _aligned(self, row: list[Symbol]) -> str:
        """A row of several, with a mark at its first relation."""
        ordered = sorted(row, key=lambda item: item.left)
        for place, item in enumerate(ordered):
            if item.kind == "relation" and not _is_script(item, _main(row)):
                before, after = ordered[:place], ordered[place:]
                return f"{self.line(before) if before else ''} &{self.line(after)}".strip()
        return self.line(row)

    def _accents(self, items: list[Symbol]) -> list[Symbol]:
        """Accents and strokes through relations joined with what they belong to."""
        items = _without_strokes(items)
        marks = [item for item in items if item.kind == "accent" or item.sign in ("\u0338", "̸") or item.sign in ACCENTS]
        for mark in marks:
            if mark not in items:
                continue
            stroke = mark.sign in ("\u0338", "/") and mark.kind != "accent"
            others = [item for item in items if item is not mark and item.kind != "accent"]
            base = min(
                (item for item in others if _covers(item, mark, stroke=stroke)),
                key=lambda item: abs(item.middle - mark.middle) + abs(item.base - mark.base) * 0.1,
                default=None,
            )
            if base is None:
                if mark.kind == "accent":
                    self.unsure = True
                continue
            if not stroke and mark.kind != "accent" and not mark.base < base.base - 0.15 * base.size:
                continue
            latex = _struck(base) if stroke else rf"\{ACCENTS[mark.sign]}{{{base.latex}}}"
            latex = r"\cong" if base.sign == "=" and not stroke else latex
            made = Symbol(
                base.kind, latex, box_of([base, mark]), base.base, base.size, sign=base.sign, spaced=base.spaced
            )
            made.left, made.right = base.left, base.right
            items = [made if item is base else item for item in items if item is not mark]
        return items

    def _ruled(self, items: list[Symbol], rules: list[DrawnRule]) -> list[Symbol]:
        """Roots, fractions and overlines: what a rule belongs to, the shortest rules first."""
        waiting = sorted(rules, key=lambda rule: rule.width)
        while waiting:
            rule = waiting.pop(0)
            root = _root_of(items, rule, waiting)
            if root is not None:
                items = self._root(items, rule, root, waiting)
                continue
            above = _next_to(items, rule, waiting, up=True)
            below = _next_to(items, rule, waiting, up=False)
            if above and below:
                latex = rf"\frac{{{self.layout(above)}}}{{{self.layout(below)}}}"
            elif below and min(item.top for item in below) - rule.y < 0.35 * below[0].size:
                latex = rf"\overline{{{self.layout(below)}}}"
            elif above and rule.y - max(item.base for item in above) < 0.5 * above[0].size:
                latex = rf"\underline{{{self.layout(above)}}}"
            else:
                left, top, right, bottom = box_of(items)
                self.unsure = self.unsure or (left < rule.left and rule.right < right and top < rule.y < bottom)
                continue
            parts = above + below
            size = max(item.size for item in parts)
            left, top, right, bottom = box_of(parts)
            box = (min(left, rule.left), top, max(right, rule.right), bottom)
            if above and below:
                made = Symbol("whole", latex, box, rule.y + AXIS * size, size, centred=True)
            else:
                made = Symbol("whole", latex, box, _main(parts).base, size)
            items = [item for item in items if item not in parts]
            items.append(made)
        return items

    def _root(self, items: list[Symbol], rule: DrawnRule, root: Symbol, waiting: list[DrawnRule]) -> list[Symbol]:
        inside = [item for item in _next_to(items, rule, waiting, up=False) if item is not root]
        if not inside:
            return items
        index = [
            item
            for item in items
            if item.size < 0.8 * root.size
            and root.left - 0.3 * root.size <= item.middle <= root.middle + 0.1 * root.size
            and item not in inside
            and rule.y - 0.4 * root.size < item.base < max(i.base for i in inside) + 0.1 * root.size
            and item.right <= rule.left + 0.1 * root.size
        ]
        index = [item for item in index if not _belongs_before(item, items, root)]
        size = max(item.size for item in inside)
        degree = f"[{self.layout(index)}]" if index else ""
        latex = rf"\sqrt{degree}{{{self.layout(inside)}}}"
        parts = [*inside, *index]
        _, _, right, bottom = box_of(inside)
        box = (min([root.left, *(i.left for i in index)]), rule.y, max(right, rule.right), bottom)
        made = Symbol("whole", latex, box, _main(inside).base, size, spaced=root.spaced)
        return [*(item for item in items if item not in parts and item is not root), made]

    def _limits(self, items: list[Symbol]) -> list[Symbol]:
        """Operators with what stands above and below them."""
        operators = [item for item in items if item.kind == "operator" or item.sign in WITH_LIMITS]
        for operator in operators:
            below = _limit(items, operator, operators, up=False)
            above = _limit(items, operator, operators, up=True)
            if not below and not above:
                continue
            latex = operator.latex if operator.sign not in INTEGRALS else operator.latex + r"\limits"
            if below:
                latex += f"_{{{self.layout(below)}}}"
            if above:
                latex += f"^{{{self.layout(above)}}}"
            parts = [operator, *below, *above]
            made = Symbol("operator", latex, box_of(parts), operator.base, operator.size, centred=operator.centred)
            made.axis = operator.axis
            items = [item for item in items if item not in parts]
            items.append(made)
        return items

    def _matrices(self, items: list[Symbol]) -> list[Symbol]:
        """Tall brackets around several rows."""
        opening = [item for item in items if item.kind in ("open", "bar") and item.height > TALL * item.size]
        for bracket in sorted(opening, key=lambda item: -item.left):
            if bracket not in items:
                continue
            closing = _partner(items, bracket)
            if closing is None and bracket.sign not in "{(":
                continue
            right = closing.left if closing else float("inf")
            reach = 0.35 * bracket.size
            inside = [
                item
                for item in items
                if bracket.right - 1 <= item.middle <= right + 1
                and item is not bracket
                and item is not closing
                and bracket.top - reach < item.axis < bracket.bottom + reach
            ]
            rows = rows_of(inside) if inside else []
            if len(rows) < 2:
                continue
            latex = self._grid(rows, bracket, closing)
            parts = [*inside, bracket, *([closing] if closing else [])]
            left, top, far, bottom = box_of(parts)
            made = Symbol("whole", latex, (left, top, far, bottom), bracket.base, bracket.size, centred=True)
            made.axis = bracket.axis
            items = [item for item in items if item not in parts]
            items.append(made)
        return items

    def _grid(self, rows: list[list[Symbol]], bracket: Symbol, closing: Symbol | None) -> str:
        columns = _columns(rows)
        cells = [[self.line(cell) if cell else "" for cell in _cells(row, columns)] for row in rows]
        body = r" \\ ".join(" & ".join(row).rstrip(" &") for row in cells)
        if closing is None:
            return rf"\begin{{cases}} {body} \end{{cases}}"
        if bracket.sign == "(" and len(rows) == 2 and len(columns) == 1:
            return rf"\binom{{{cells[0][0]}}}{{{cells[1][0]}}}"
        name = {"(": "pmatrix", "[": "bmatrix", "{": "Bmatrix", "|": "vmatrix", "‖": "Vmatrix"}.get(
            bracket.sign, "matrix"
        )
        return rf"\begin{{{name}}} {body} \end{{{name}}}"

    def line(self, items: Sequence[Symbol]) -> str:
        """One row from left to right, with the scripts of each symbol."""
        main = _main(items)
        out: list[Symbol] = []
        base: Symbol | None = None
        scripts = _Scripts()
        for item in sorted(items, key=lambda item: item.left):
            if (_is_script(item, main) or scripts.continues(item)) and not (
                base is None and not scripts and _alone(items, main)
            ):
                scripts.add(item, main)
                continue
            self._attach(out, base, scripts)
            base, scripts = item, _Scripts()
            out.append(item)
        self._attach(out, base, scripts)
        self.unsure = self.unsure or any(item.kind == "root" for item in out)
        return written(out)

    def _attach(self, out: list[Symbol], base: Symbol | None, scripts: _Scripts) -> None:
        if not scripts:
            return
        latex = base.latex if base else "{}"
        self.unsure = self.unsure or base is None
        primes = ""
        while scripts.above and scripts.above[0].sign in ("′", "'", "″", "‴"):
            primes += scripts.above.pop(0).latex
        if scripts.below:
            latex += f"_{{{_small(self.layout(scripts.below))}}}"
        latex += primes
        if scripts.above:
            latex += f"^{{{_small(self.layout(scripts.above))}}}"
        kind: SymbolKind = base.kind if base else "letter"
        if base:
            out.pop()
        first = base or (scripts.below + scripts.above)[0]
        made = Symbol(
            kind, latex, (first.left, first.top, first.right, first.bottom), first.base, first.size, sign=first.sign
        )
        made.spaced = first.spaced
        out.append(made)


class _Scripts:
    """The sub- and superscripts of one symbol, as they are found from left to right."""

    def __init__(self) -> None:
        self.above: list[Symbol] = []
        self.below: list[Symbol] = []

    def __bool__(self) -> bool:
        return bool(self.above or self.below)

    def continues(self, item: Symbol) -> bool:
        """Whether an item is a script of one of these scripts, wherever that puts it."""
        return any(
            item.size < SCRIPT * max(i.size for i in group)
            and -0.1 * item.size < item.left - max(i.right for i in group) < 0.2 * item.size
            for group in (self.above, self.below)
            if group
        )

    def add(self, item: Symbol, main: Symbol) -> None:
        groups = [group for group in (self.above, self.below) if group]
        level = [group for group in groups if abs(group[0].base - item.base) < 0.1 * main.size]
        if level:
            level[0].append(item)
            return
        nested = [
            group
            for group in groups
            if item.size < SCRIPT * max(i.size for i in group)
            and item.left - max(i.right for i in group) < 0.25 * main.size
            and item.left > group[0].left
        ]
        if nested:
            min(nested, key=lambda group: abs(item.left - max(i.right for i in group))).append(item)
        elif _shift(item, main) > 0:
            self.above.append(item)
        else:
            self.below.append(item)


def _shift(item: Symbol, main: Symbol) -> float:
    """How far an item is above the line, in points; of what has its middle on the axis, that of the axis."""
    return main.axis - item.axis if item.centred else main.base - item.base


def _is_script(item: Symbol, main: Symbol) -> bool:
    if item.size > SCRIPT * main.size:
        return False
    shift = _shift(item, main) / main.size
    return abs(shift) > 0.3 if item.centred else shift > RAISED or shift < -LOWERED


def _alone(items: Sequence[Symbol], main: Symbol) -> bool:
    """Whether all items are scripts of nothing."""
    return all(_is_script(item, main) for item in items)


def _main(items: Sequence[Symbol]) -> Symbol:
    """An item that stands on the baseline of the row."""
    plain = [item for item in items if item.kind != "root"] or list(items)
    size = max(item.size for item in plain)
    full = [item for item in plain if item.size > SCRIPT * size]
    level = [item for item in full if not item.centred] or full
    base = median([item.base for item in level])
    return min(level, key=lambda item: abs(item.base - base))


def _brackets(items: list[Symbol]) -> list[Symbol]:
    """Large brackets that are built from parts joined to one each."""
    pieces = [item for item in items if item.sign in PIECES and not item.latex]
    bars = [item for item in items if item.sign in ("|", "∥", "‖")]
    pieces += [bar for bar in bars if any(bar is not other and _stacked(bar, other) for other in bars)]
    if not pieces:
        return items
    rest = [item for item in items if item not in pieces]
    while pieces:
        first = min(pieces, key=lambda item: (item.left, item.top))
        column = [item for item in pieces if abs(item.middle - first.middle) < 0.5 * first.size]
        column.sort(key=lambda item: item.top)
        stack = [column[0]]
        for item in column[1:]:
            if item.top > max(i.bottom for i in stack) + 0.5 * item.size:
                break
            stack.append(item)
        pieces = [item for item in pieces if item not in stack]
        sign = next((found for item in stack if (found := PIECES.get(item.sign, item.sign))), "|")
        kind: SymbolKind = "open" if sign in "([{" else "close" if sign in ")]}" else "bar"
        left, top, right, bottom = box_of(stack)
        size = stack[0].size
        base = (top + bottom) / 2 + AXIS * size
        latex = COMMANDS.get(sign, sign)
        rest.append(Symbol(kind, latex, (left, top, right, bottom), base, size, sign=sign, centred=True))
    return rest


def _stacked(bar: Symbol, other: Symbol) -> bool:
    """Whether a bar continues another one above or below."""
    near = 0.2 * bar.size < abs(bar.base - other.base) < 1.1 * bar.size
    return bar.sign == other.sign and near and abs(bar.left - other.left) < 0.05 * bar.size


def _without_strokes(items: list[Symbol]) -> list[Symbol]:
    """Without the h that a font draws its stroke on: both are one symbol."""
    bars = [item for item in items if item.sign in ("ħ", "ℏ")]
    return [
        item
        for item in items
        if not (
            item.sign == "h"
            and any(abs(item.middle - bar.middle) < 0.2 * bar.size and abs(item.base - bar.base) < 1 for bar in bars)
        )
    ]


def _covers(base: Symbol, mark: Symbol, *, stroke: bool) -> bool:
    """Whether a letter stands under an accent, or a relation at the place of a stroke."""
    if stroke:
        return base.kind in ("relation", "letter") and abs(base.left - mark.left) < 0.8 * base.size
    if mark.sign == "∼" and base.sign == "=":
        return (
            abs(base.middle - mark.middle) < 0.2 * base.size
            and 0.1 * base.size < base.base - mark.base < 0.6 * base.size
        )
    if base.kind not in ("letter", "word", "whole", "operator"):
        return False
    reach = 0.12 * base.size
    inside = base.left - reach <= mark.middle <= base.right + reach + 0.1 * base.size
    return inside and -0.3 * base.size < base.base - mark.base < 1.1 * base.size and mark.size > 0.6 * base.size


def _struck(base: Symbol) -> str:
    return {"=": r"\neq", "∈": r"\notin", "≡": r"\not\equiv", "∣": r"\nmid", "|": r"\nmid"}.get(
        base.sign, rf"\not {base.latex}"
    )


def _root_of(items: Sequence[Symbol], rule: DrawnRule, others: Sequence[DrawnRule]) -> Symbol | None:
    """The root sign whose bar the rule is: of several rules that begin at it, the highest."""
    for item in items:
        reach = 0.25 * item.size
        if item.kind != "root" or abs(item.right - rule.left) > reach or not _spans(item, rule):
            continue
        if not any(
            abs(item.right - other.left) < reach and _spans(item, other) and other.y < rule.y for other in others
        ):
            return item
    return None


def _spans(root: Symbol, rule: DrawnRule) -> bool:
    """Whether a rule is at the height of a root sign."""
    if root.centred:
        return abs(root.top - rule.y) < 0.3 * root.size or root.top < rule.y < root.bottom
    return -0.9 * root.size < rule.y - root.base < 0.4 * root.size


def _next_to(items: Sequence[Symbol], rule: DrawnRule, others: Sequence[DrawnRule], *, up: bool) -> list[Symbol]:
    """The items directly above or below a rule, as far as they follow each other without a gap."""
    slack = 0.3
    found = []
    for item in items:
        inside = rule.left - slack <= item.middle <= rule.right + slack and item.left > rule.left - 0.5 * item.size
        if not inside or (item.axis < rule.y) != up:
            continue
        low, high = sorted((item.axis, rule.y))
        if not any(
            o.left - 1 <= item.middle <= o.right + 1 and low < o.y < high and o.width > rule.width for o in others
        ):
            found.append(item)
    found.sort(key=lambda item: -item.bottom if up else item.top)
    edge = rule.y
    kept: list[Symbol] = []
    for item in found:
        gap = edge - item.bottom if up else item.top - edge
        if gap > NEAR * item.size:
            continue
        kept.append(item)
        edge = min(edge, item.top) if up else max(edge, item.bottom)
    return kept


def _belongs_before(item: Symbol, items: Sequence[Symbol], root: Symbol) -> bool:
    """Whether a small symbol before a root is a script of what comes before, not the degree of the root."""
    return item.right < root.left + 0.15 * root.size


def _limit(items: Sequence[Symbol], operator: Symbol, operators: Sequence[Symbol], *, up: bool) -> list[Symbol]:
    """What stands directly above or below an operator, and beside that on its line."""
    size = operator.size

    def beyond(item: Symbol) -> bool:
        if item is operator or item in operators or item.size > SCRIPT * size:
            return False
        if operator.kind == "operator":
            gap = operator.top - item.bottom if up else item.top - operator.bottom
            return -0.35 * size < gap < LIMIT_GAP * size and (
                item.axis < operator.top if up else item.axis > operator.bottom
            )
        shift = operator.base - item.base
        return 0.75 * size < shift < 1.3 * size if up else 0.4 * size < -shift < 1.2 * size

    seeds = [
        item
        for item in items
        if beyond(item) and operator.left - 0.1 * size < item.middle < operator.right + 0.1 * size
    ]
    if not seeds:
        return []
    kept = list(seeds)
    others = [item for item in items if item not in kept and beyond(item)]
    grown = True
    while grown:
        grown = False
        left, right = min(i.left for i in kept), max(i.right for i in kept)
        for item in others:
            if item not in kept and item.left < right + 0.35 * size and item.right > left - 0.35 * size:
                kept.append(item)
                grown = True
    return kept


def rows_of(items: Sequence[Symbol]) -> list[list[Symbol]]:
    """The rows of a part, from top to bottom."""
    size = max(item.size for item in items)
    full = sorted(
        (item for item in items if item.size > SCRIPT * size and item.kind != "root"), key=lambda item: item.axis
    )
    if not full:
        return [list(items)]
    rows: list[list[Symbol]] = [[full[0]]]
    for last, item in pairwise(full):
        if item.axis - last.axis > ROW * size and not _beside(rows[-1], item):
            rows.append([item])
        else:
            rows[-1].append(item)
    if len(rows) == 1:
        return [list(items)]
    axes = [median([item.axis for item in row]) for row in rows]
    rest = [item for item in items if not any(item in row for row in rows)]
    for item in rest:
        nearest = min(range(len(rows)), key=lambda i: abs(item.axis - axes[i]))
        rows[nearest].append(item)
    return rows


def _beside(row: Sequence[Symbol], item: Symbol) -> bool:
    """Whether an item is at the height of something tall in a row."""
    return any(other.centred and other.top < item.axis < other.bottom and other.height > 2 * item.size for other in row)


def _partner(items: Sequence[Symbol], bracket: Symbol) -> Symbol | None:
    """The bracket that closes this one."""
    closing = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "⌊": "⌋", "⌈": "⌉"}.get(bracket.sign, bracket.sign)
    found = [
        item
        for item in items
        if item.sign == closing
        and item.left >= bracket.right
        and abs(item.axis - bracket.axis) < 0.3 * bracket.size
        and abs(item.height - bracket.height) < 0.3 * bracket.height
    ]
    return min(found, key=lambda item: item.left, default=None)


def _columns(rows: Sequence[Sequence[Symbol]]) -> list[tuple[float, float]]:
    """The columns of a matrix as extents, from the gaps that go through all rows."""
    spans = sorted((item.left, item.right) for row in rows for item in row)
    size = max(item.size for row in rows for item in row)
    columns = [spans[0]]
    for left, right in spans[1:]:
        if left - columns[-1][1] > COLUMN * size:
            columns.append((left, right))
        else:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
    return columns


def _cells(row: Sequence[Symbol], columns: Sequence[tuple[float, float]]) -> list[list[Symbol]]:
    cells: list[list[Symbol]] = [[] for _ in columns]
    for item in row:
        place = min(range(len(columns)), key=lambda i: max(columns[i][0] - item.middle, item.middle - columns[i][1], 0))
        cells[place].append(item)
    return cells


def _small(latex: str) -> str:
    """A script: its dots stand close together, and its numbers are bold where the letter is."""
    return _BOLD_NUMBER.sub(r"\1", latex.replace("...", r"\ldots"))


_BOLD_NUMBER = re.compile(r"\\mathbf\{(\d)\}")
_WORDS = re.compile(r"\\[A-Za-z]+\Z")


def written(items: Sequence[Symbol]) -> str:
    """The LaTeX of the items of a row, one after the other."""
    latex = ""
    last: Symbol | None = None
    joined = _joined(items)
    for place, item in enumerate(joined):
        piece = item.latex
        if piece == ":" and last is not None and place + 1 < len(joined) and _is_colon(last, item, joined[place + 1]):
            piece = r"\colon"
        sign = item.kind == "binary" and (
            last is None or last.kind in ("relation", "binary", "open") or last.sign == ","
        )
        wide = (item.kind in ("relation", "binary") and not sign) or (last is not None and last.kind == "relation")
        wide = wide or (last is not None and last.kind == "binary" and latex.endswith(" " + last.latex))
        if latex and (wide or (_WORDS.search(latex) and piece[:1].isalpha())):
            latex += " "
        latex += piece
        last = item
    return _modulo(latex)


def _is_colon(before: Symbol, colon: Symbol, after: Symbol) -> bool:
    """Whether a colon stands nearer to what comes before it, like punctuation, and not like a relation."""
    return colon.left - before.right < 0.13 * colon.size < after.left - colon.right


def _modulo(latex: str) -> str:
    return _MODULO.sub(lambda match: rf"\pmod{{{match[1]}}}", latex)


_MODULO = re.compile(r"\(\\mathrm\{mod\}\s*((?:[^()])+)\)")
_SEQUENCES = (
    (("·", "·", "·"), r"\cdots"),
    (("⋅", "⋅", "⋅"), r"\cdots"),
    ((".", ".", "."), r"\ldots"),
    (("−", "→"), r"\longrightarrow"),
    (("←", "−"), r"\longleftarrow"),
    (("=", "⇒"), r"\Longrightarrow"),
    (("⇐", "="), r"\Longleftarrow"),
    (("⇐", "⇒"), r"\Longleftrightarrow"),
    (("|", "="), r"\models"),
    (("↦", "→"), r"\mapsto"),
)


def _joined(items: Sequence[Symbol]) -> list[Symbol]:
    """Items with those that make up one symbol joined: dots, long arrows; upright letters to words."""
    out: list[Symbol] = []
    place = 0
    items = list(items)
    while place < len(items):
        for signs, latex in _SEQUENCES:
            part = items[place : place + len(signs)]
            plain = [item.sign for item in part] == list(signs) and all(
                i.latex in (COMMANDS.get(i.sign), i.sign) for i in part
            )
            near = len(part) > 1 and part[1].left - part[0].right < (0.05 if signs[0] == "↦" else -0.03) * part[0].size
            if signs[0] in "·⋅.":
                near = signs[0] != "." or (len(part) > 2 and part[2].left - part[0].left > DOTS * part[0].size)
            if plain and near:
                out.append(
                    Symbol(
                        "letter" if signs[0] in "·⋅." else "relation", latex, box_of(part), part[0].base, part[0].size
                    )
                )
                place += len(signs)
                break
        else:
            item = items[place]
            last = out[-1] if out else None
            joins = (
                last is not None
                and item.latex.startswith(r"\mathrm{")
                and last.latex.startswith(r"\mathrm{")
                and re.fullmatch(r"\\mathrm\{\w*\}", last.latex)
                and not item.spaced
            )
            if joins and last is not None:
                last.latex = last.latex[:-1] + item.latex[len(r"\mathrm{") :]
            else:
                out.append(item)
            place += 1
    return out
