"""The LaTeX of a formula from its symbols and rules: accents, fractions, roots, limits, matrices, scripts, rows.

Parts are composed from the inside out: what has been composed is one item with a place, like a symbol.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from quire.pages.geometry.extents import box_of
from quire.pages.layout.formulas.brackets import cells_of, columns_of, joined_brackets, partner_of, rows_of
from quire.pages.layout.formulas.joins import joined_signs
from quire.pages.layout.formulas.labelled_signs import HorizontalBrace, braced, braces_of, labelled, with_brace
from quire.pages.layout.formulas.latex_row import as_script, written
from quire.pages.layout.formulas.marks import covers, crosses, struck, under_accent, without_strokes
from quire.pages.layout.formulas.placed_symbols import AXIS, DrawnRule, Symbol, SymbolKind
from quire.pages.layout.formulas.scripts import Scripts, all_scripts, is_script, main_of
from quire.pages.layout.formulas.signs import ACCENTS, INTEGRALS, PIECES, WIDE_ACCENTS, WITH_LIMITS
from quire.pages.layout.formulas.stacks import belongs_before, limits_of, next_to, root_of

TALL = 1.55  # of the size: brackets of at least this height may contain several rows


SMALLEST = 0.65  # of the size of the formula: there is no smaller type than this


class Parsed(NamedTuple):
    """LaTeX, and whether a part of it is a guess."""

    latex: str
    unsure: bool


_PLAIN = frozenset(("letter", "word", "relation", "binary", "open", "close"))
_SPECIAL = frozenset(ACCENTS) | frozenset(PIECES) | WITH_LIMITS | frozenset("\u0338/.ħℏ")
"""Signs that are perhaps part of something else; without one, and with nothing but plain kinds, a part has one row or
rows below each other."""


def parse(items: Sequence[Symbol], rules: Sequence[DrawnRule]) -> Parsed:
    """The LaTeX of the symbols of a formula and the rules drawn in it."""
    if len(items) == 1:
        latex = written(items)
        return Parsed(latex, "\ufffd" in latex)
    parser = _Parser(max([item.size for item in items if item.kind != "operator"], default=0.0))
    latex = parser.layout(list(items), list(rules))
    return Parsed(latex, parser.unsure or "\ufffd" in latex)


def _is_part(rule: DrawnRule, brace: HorizontalBrace) -> bool:
    """Whether a rule is the straight part of a brace."""
    left, top, right, bottom = brace.edge
    return left - 1 <= rule.left and rule.right <= right + 1 and top - 1 <= rule.y <= bottom + 1


def _is_before(script: Symbol, base: Symbol, size: float) -> bool:
    """Whether a script after a relation belongs to what comes next: a space is between them."""
    return base.kind in ("relation", "binary") and script.left - base.right > 0.12 * size


class _Parser:
    def __init__(self, size: float) -> None:
        self.unsure = False
        self.size = size

    def layout(self, items: list[Symbol], rules: list[DrawnRule] | None = None) -> str:
        """One part of a formula, of one or more rows."""
        if len(items) == 1:
            return written(items)
        if not rules and all(item.kind in _PLAIN and item.sign not in _SPECIAL for item in items):
            return self._plain(items)
        items = joined_signs(joined_brackets(items))
        braces = braces_of(items)
        if braces:
            parts = {id(part) for brace in braces for part in brace.parts}
            items = [item for item in items if id(item) not in parts]
            rules = [rule for rule in rules or () if not any(_is_part(rule, brace) for brace in braces)]
        if not items:  # what the braces embrace is elsewhere
            self.unsure = True
            return "".join(brace.command + "{}" for brace in braces)
        self.unsure = self.unsure or any(item.kind == "brace" for item in items)
        items = self._accents(items)
        if rules:
            items = self._ruled(items, rules)
        for brace in braces:
            inside = braced(items, brace)
            items = with_brace(items, inside, brace, self.layout) if inside else items
            self.unsure = self.unsure or not inside
        items = self._limits(items)
        items = labelled(items, self.layout)
        items = self._matrices(items)
        return self._in_rows(items)

    def _plain(self, items: list[Symbol]) -> str:
        """A part of letters, relations and brackets of one row: it has nothing but scripts and labels."""
        first = items[0]
        if all(item.base == first.base and item.size == first.size for item in items):
            return written(sorted(items, key=lambda item: item.left))
        return self._in_rows(self._matrices(labelled(items, self.layout)))

    def _in_rows(self, items: list[Symbol]) -> str:
        rows = rows_of(items)
        if len(rows) == 1:
            return self.line(rows[0])
        lines = [self._aligned(row) for row in rows]
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def _aligned(self, row: list[Symbol]) -> str:
        """A row of several, with a mark at its first relation."""
        ordered = sorted(row, key=lambda item: item.left)
        for place, item in enumerate(ordered):
            if item.kind == "relation" and not is_script(item, main_of(row)):
                before, after = ordered[:place], ordered[place:]
                return f"{self.line(before) if before else ''} &{self.line(after)}".strip()
        return self.line(row)

    def _accents(self, items: list[Symbol]) -> list[Symbol]:
        """Accents and strokes through relations joined with what they belong to."""
        items = without_strokes(items)
        marks = [
            item
            for item in items
            if item.sign in ACCENTS or item.sign == "\u0338" or (item.sign == "/" and crosses(item, items))
        ]
        for mark in marks:
            if mark not in items:
                continue
            if mark.sign in WIDE_ACCENTS:
                items = self._wide_accent(items, mark)
                continue
            stroke = mark.sign in ("\u0338", "/") and mark.kind != "accent"
            others = [item for item in items if item is not mark and item.kind != "accent"]
            base = min(
                (item for item in others if covers(item, mark, stroke=stroke)),
                key=lambda item: abs(item.middle - mark.middle) + abs(item.base - mark.base) * 0.1,
                default=None,
            )
            if base is None:
                if mark.kind == "accent":
                    self.unsure = True
                continue
            if not stroke and mark.kind != "accent" and not mark.base < base.base - 0.15 * base.size:
                continue
            latex = struck(base) if stroke else rf"\{ACCENTS[mark.sign]}{{{base.latex}}}"
            latex = r"\cong" if base.sign == "=" and not stroke else latex
            made = Symbol(
                base.kind, latex, box_of([base, mark]), base.base, base.size, sign=base.sign, spaced=base.spaced
            )
            made.left, made.right = base.left, base.right
            items = [made if item is base else item for item in items if item is not mark]
        return items

    def _wide_accent(self, items: list[Symbol], mark: Symbol) -> list[Symbol]:
        inside = under_accent(items, mark)
        if not inside:
            self.unsure = True
            return items
        main = main_of(inside)
        latex = rf"\{ACCENTS[mark.sign]}{{{self.line(inside)}}}"
        made = Symbol("letter", latex, box_of(inside), main.base, main.size, spaced=inside[0].spaced)
        return [*(item for item in items if item not in inside and item is not mark), made]

    def _ruled(self, items: list[Symbol], rules: list[DrawnRule]) -> list[Symbol]:
        """Roots, fractions and overlines: what a rule belongs to, the shortest rules first."""
        waiting = sorted(rules, key=lambda rule: rule.width)
        while waiting:
            rule = waiting.pop(0)
            root = root_of(items, rule, waiting)
            if root is not None:
                items = self._root(items, rule, root, waiting)
                continue
            above = next_to(items, rule, waiting, up=True)
            below = next_to(items, rule, waiting, up=False)
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
                made = Symbol("whole", latex, box, main_of(parts).base, size)
            items = [item for item in items if item not in parts]
            items.append(made)
        return items

    def _root(self, items: list[Symbol], rule: DrawnRule, root: Symbol, waiting: list[DrawnRule]) -> list[Symbol]:
        inside = [item for item in next_to(items, rule, waiting, up=False) if item is not root]
        if root.centred:
            inside = [
                item
                for item in items
                if item is not root
                and rule.left - 0.3 <= item.middle <= rule.right + 0.3
                and root.top < item.axis < root.bottom
            ]
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
        index = [item for item in index if not belongs_before(item, items, root)]
        size = max(item.size for item in inside)
        degree = f"[{self.layout(index)}]" if index else ""
        latex = rf"\sqrt{degree}{{{self.layout(inside)}}}"
        parts = [*inside, *index]
        _, _, right, bottom = box_of(inside)
        box = (min([root.left, *(i.left for i in index)]), rule.y, max(right, rule.right), bottom)
        made = Symbol("whole", latex, box, main_of(inside).base, size, spaced=root.spaced)
        return [*(item for item in items if item not in parts and item is not root), made]

    def _limits(self, items: list[Symbol]) -> list[Symbol]:
        """Operators with what stands above and below them."""
        operators = [item for item in items if item.kind == "operator" or item.sign in WITH_LIMITS]
        for operator in operators:
            below = limits_of(items, operator, operators, up=False)
            above = limits_of(items, operator, operators, up=True)
            if not below and not above:
                continue
            latex = operator.latex if operator.sign not in INTEGRALS else operator.latex + r"\limits"
            if below:
                latex += f"_{{{self._rows(below)}}}"
            if above:
                latex += f"^{{{self.layout(above)}}}"
            parts = [operator, *below, *above]
            made = Symbol("operator", latex, box_of(parts), operator.base, operator.size, centred=operator.centred)
            made.axis = operator.axis
            items = [item for item in items if item not in parts]
            items.append(made)
        return items

    def _rows(self, limit: list[Symbol]) -> str:
        """The LaTeX of the items below an operator, in one row or more."""
        rows = rows_of(limit)
        if len(rows) == 1:
            return self.layout(limit)
        lines = r" \\ ".join([self.layout(row) for row in rows])
        return rf"\substack{{{lines}}}"

    def _matrices(self, items: list[Symbol]) -> list[Symbol]:
        """Tall brackets around several rows."""
        opening = [item for item in items if item.kind in ("open", "bar") and item.height > TALL * item.size]
        for bracket in sorted(opening, key=lambda item: -item.left):
            if bracket not in items:
                continue
            closing = partner_of(items, bracket)
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
        columns = columns_of(rows)
        cells = [[self.line(cell) if cell else "" for cell in cells_of(row, columns)] for row in rows]
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
        main = main_of(items)
        smallest = main.size < SMALLEST * self.size
        out: list[Symbol] = []
        base: Symbol | None = None
        scripts = Scripts()
        for item in sorted(items, key=lambda item: item.left):
            if (is_script(item, main, smallest=smallest) or scripts.continues(item)) and not (
                base is None and not scripts and all_scripts(items, main)
            ):
                if base is not None and not scripts and _is_before(item, base, main.size):
                    base = None
                scripts.add(item, main)
                continue
            if scripts:
                self._attach(out, base, scripts)
                scripts = Scripts()
            base = item
            out.append(item)
        if scripts:
            self._attach(out, base, scripts)
        self.unsure = self.unsure or any(item.kind == "root" for item in out)
        return written(out)

    def _attach(self, out: list[Symbol], base: Symbol | None, scripts: Scripts) -> None:
        """Write the scripts of the last symbol, or of none."""
        latex = base.latex if base else "{}"
        self.unsure = self.unsure or base is None
        primes = ""
        while scripts.above and scripts.above[0].sign in ("′", "'", "″", "‴"):
            primes += scripts.above.pop(0).latex
        below = f"_{{{as_script(self.layout(scripts.below))}}}" if scripts.below else ""
        above = f"^{{{as_script(self.layout(scripts.above))}}}" if scripts.above else ""
        if above and below and scripts.below[0].left > scripts.above[-1].right - 0.05 * scripts.below[0].size:
            latex += f"{primes}{above}{{}}{below}"  # of a tensor: one after the other
        else:
            latex += below + primes + above
        kind: SymbolKind = base.kind if base else "letter"
        if base:
            out.pop()
        first = base or (scripts.below + scripts.above)[0]
        made = Symbol(
            kind, latex, (first.left, first.top, first.right, first.bottom), first.base, first.size, sign=first.sign
        )
        made.spaced = first.spaced
        out.append(made)
