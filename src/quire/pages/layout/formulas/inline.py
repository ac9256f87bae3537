"""Formulas within the text: which runs of a paragraph make up each, and their LaTeX."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from quire.core.pagetext import SPACE
from quire.pages.layout.formulas.formula_runs import ANCHOR, MATHEMATICAL, SOFT, VARIABLE, FormulaRuns
from quire.pages.layout.formulas.parse import Parsed
from quire.pages.layout.formulas.signs import BINARY, CLOSING, FUNCTIONS, GREEK, OPENING, OPERATORS, RELATIONS
from quire.pages.layout.formulas.zones import runs_latex
from quire.pages.layout.lines import Line

SCRIPT = 0.86  # of the line's size: smaller type is a script
_END = re.compile(r"[.,:;!?'’]+\Z")
_HYPHEN = re.compile("[-\u2010\u00ad]\\Z")
_CITATION = re.compile(r"\[\d[\d,–\- ]*\]\Z")
_RELATING = (RELATIONS | BINARY | OPERATORS) - frozenset("-\u2010\u2013/")
_LONE = frozenset("aAIeoyuàéöÀÉ")
"""Letters that are words of the text."""

_NAME = re.compile(r"[(\[{]*[A-Za-z]{2,8}[)\]}]*(?P<after>[(\[{]+)?[.,;:]?\Z")


class InlineFormula(NamedTuple):
    """A formula within the text: its runs, how many characters of the last run are not part of it, and its LaTeX."""

    runs: Sequence[int]
    tail: int
    parsed: Parsed


def inline_formulas(reader: FormulaRuns, lines: Sequence[Line]) -> list[InlineFormula]:
    """The formulas within lines of text, in order."""
    runs = [run for line in lines for run in line.runs]
    if not reader.any(runs, ANCHOR | VARIABLE):
        return []
    sizes = {run: line.size for line in lines for run in line.runs}
    rows = {run: number for number, line in enumerate(lines) for run in line.runs}
    flags = _membership(reader, runs, sizes)
    found: list[InlineFormula] = []
    start = 0
    while start < len(runs):
        if not flags[start]:
            start += 1
            continue
        end = start
        while end < len(runs) and flags[end]:
            end += 1
        formula = _formula(reader, runs, start, end, rows)
        if formula:
            found.append(formula)
        start = end
    return found


def _membership(reader: FormulaRuns, runs: Sequence[int], sizes: dict[int, float]) -> list[bool]:
    """Whether each run may be part of a formula."""
    page = reader.page
    codes = reader.codes
    flags: list[bool] = []
    for place, run in enumerate(runs):
        if codes[run] & (ANCHOR | VARIABLE | SOFT | MATHEMATICAL):
            flags.append(True)
        elif page.sizes[run] < SCRIPT * sizes[run] and place and flags[-1] and not page.flags[run] & SPACE:
            flags.append(not all(reader.is_punctuation(before) for before in runs[place - 1 : place]))
        else:
            flags.append(False)
    for place, run in enumerate(runs):
        if not flags[place] and page.sizes[run] > SCRIPT * sizes[run] and _is_name(reader, runs, flags, place):
            flags[place] = True
    return flags


def _is_name(reader: FormulaRuns, runs: Sequence[int], flags: Sequence[bool], place: int) -> bool:
    """Whether a word is the name of a function or a set in a formula: by the bracket, script or signs beside it."""
    page = reader.page
    match = _NAME.match(page.texts[runs[place]])
    if not match:
        return False
    if place and flags[place - 1] and not page.flags[runs[place]] & SPACE and page.texts[runs[place - 1]][-1] in "/(":
        return True  # a unit
    if match["after"]:
        return _holds_formula(reader, runs, flags, place)
    after = runs[place + 1] if place + 1 < len(runs) else None
    if after is None or not flags[place + 1]:
        return False
    if not page.flags[after] & SPACE:
        if page.texts[after][0] in "([{":
            return _holds_formula(reader, runs, flags, place + 1)
        lowered = page.baselines[after] > page.baselines[runs[place]] + 0.5 and not page.texts[after].isdigit()
        if (lowered or reader.is_anchor(after)) and page.sizes[after] < SCRIPT * page.sizes[runs[place]]:
            return True
    before = runs[place - 1] if place and flags[place - 1] else None
    operator = before is not None and page.texts[before][-1] in RELATIONS | BINARY and reader.is_anchor(before)
    return operator and (reader.is_anchor(after) or reader.is_variable(after))


def _holds_formula(reader: FormulaRuns, runs: Sequence[int], flags: Sequence[bool], start: int) -> bool:
    """Whether the bracket that opens at `start` contains variables and nothing but a formula."""
    depth = 0
    variables = False
    for place in range(start, min(start + 40, len(runs))):
        if place > start and not flags[place]:
            return False
        variables = variables or reader.is_anchor(runs[place]) or reader.is_variable(runs[place])
        for sign in reader.page.texts[runs[place]]:
            depth += sign in OPENING
            depth -= sign in CLOSING
            if depth <= 0 and sign in CLOSING:
                return variables
    return False


def _formula(
    reader: FormulaRuns, runs: Sequence[int], start: int, end: int, rows: Mapping[int, int]
) -> InlineFormula | None:
    start, end, tail = _trimmed(reader, runs, start, end)
    part = runs[start:end]
    if not part or not _is_formula(reader, runs, start, end):
        return None
    latex: list[str] = []
    unsure = False
    for _, group in groupby(part, key=rows.__getitem__):
        piece = list(group)
        parsed = runs_latex(reader, piece, tail=tail if piece[-1] == part[-1] else 0)
        latex.append(parsed.latex)
        unsure = unsure or parsed.unsure
    return InlineFormula(part, tail, Parsed(" ".join(latex), unsure))


def _trimmed(reader: FormulaRuns, runs: Sequence[int], start: int, end: int) -> tuple[int, int, int]:
    """Without punctuation, brackets and numbers of the text at both ends."""
    page = reader.page
    texts = page.texts
    changed = True
    while changed and start < end:
        changed = False
        first, last = runs[start], runs[end - 1]
        after = runs[start + 1] if start + 1 < end else None
        before = runs[end - 2] if end - 2 >= start else None
        if not reader.is_anchor(first) and _is_loose(reader, runs, start, end, after):
            start += 1
            changed = True
        elif not reader.is_anchor(last) and _trails(reader, runs, start, end, before):
            end -= 1
            changed = True
    tail = 0
    if start < end:
        last = runs[end - 1]
        match = _HYPHEN.search(texts[last]) or (None if reader.is_math_font(last) else _END.search(texts[last]))
        if match and match.start():
            tail = len(texts[last]) - match.start()
        depth = _depth(reader, runs[start:end])
        while depth < 0 and len(texts[last]) - tail > 1 and texts[last][len(texts[last]) - tail - 1] in ")]}":
            tail += 1
            depth += 1
    return start, end, tail


def _is_loose(reader: FormulaRuns, runs: Sequence[int], start: int, end: int, after: int | None) -> bool:
    """Whether the first run belongs to the text before the formula."""
    page = reader.page
    text = page.texts[runs[start]]
    if reader.is_punctuation(runs[start]) or text in ")]}" or _CITATION.match(text):
        return True
    if reader.is_variable(runs[start]):
        return False
    depth = _depth(reader, runs[start:end])
    if (text[0] in "([{" and depth > 0) or (
        text[-1] in ")]}" and text[0] not in "([{" and _depth(reader, runs[start : start + 1]) < 0
    ):
        return True
    if reader.is_word(runs[start]):
        return False
    if after is None:
        return True
    spaced = bool(page.flags[after] & SPACE)
    if text.isalpha() and len(text) == 1:
        sign = page.texts[after][0]
        if spaced and text in _LONE and not page.font_table[page.fonts[runs[start]]].look.bold:
            return True
        return spaced and sign not in RELATIONS and sign not in BINARY and sign not in "(["
    if text in FUNCTIONS:
        return spaced and not (reader.is_anchor(after) or reader.is_variable(after))
    if text[0].isdigit() and spaced:
        sign = page.texts[after][0]
        return not (sign in RELATIONS or sign in BINARY or reader.is_anchor(after) or reader.is_variable(after))
    return text in ("-", "–", "/") and spaced


def _trails(reader: FormulaRuns, runs: Sequence[int], start: int, end: int, before: int | None) -> bool:
    """Whether the last run belongs to the text after the formula."""
    page = reader.page
    last = runs[end - 1]
    text = page.texts[last]
    if text == "..." and before is not None and page.texts[before].endswith(","):
        return False
    if reader.is_punctuation(last) or text in ("(", "[", "{") or (_CITATION.match(text) and page.flags[last] & SPACE):
        return True
    depth = _depth(reader, runs[start:end])
    core = text.rstrip(".,:;!?'’")
    if core and not core.strip(")]}") and -depth >= len(core):
        return True
    if text[-1] in ")]}":
        return False
    script = page.sizes[last] < SCRIPT * max(page.sizes[run] for run in runs[start:end])
    if script and before is not None and reader.is_punctuation(before):
        return True  # the mark of a note
    if reader.is_variable(last) or script:
        return False
    spaced = bool(page.flags[last] & SPACE)
    if before is None:
        return not reader.is_word(last)
    sign = page.texts[before][-1]
    if text.isalpha() and len(text) == 1:
        return spaced and sign not in RELATIONS and sign not in BINARY and sign not in ",(["
    if text in FUNCTIONS and spaced:
        return True
    if text[0].isdigit() and spaced:
        return not (sign in RELATIONS or sign in BINARY or sign in "(,[" or reader.is_anchor(before))
    return text in ("–",)


def _depth(reader: FormulaRuns, runs: Sequence[int]) -> int:
    text = "".join(reader.page.texts[run] for run in runs)
    return sum(text.count(sign) for sign in "([{") - sum(text.count(sign) for sign in ")]}")


def _is_formula(reader: FormulaRuns, runs: Sequence[int], start: int, end: int) -> bool:
    """Whether anything in the runs makes them a formula: a sign or font of one, or a variable among upright text."""
    part = runs[start:end]
    page = reader.page
    if reader.any(part, ANCHOR):
        return reader.has_fonts or _says_more(reader, part)
    variables = [run for run in part if reader.is_variable(run)]
    if not variables or not reader.has_fonts:
        return False
    italic = page.font_table
    beside = [runs[place] for place in (start - 1, end) if 0 <= place < len(runs)]
    if any(italic[page.fonts[run]].look.italic for run in beside):
        return False  # one letter of a text in italics
    return len(part) > 1 or page.texts[part[0]] not in ("a", "A", "I", "e", "i")


def _says_more(reader: FormulaRuns, part: Sequence[int]) -> bool:
    """Whether the runs have a letter and a sign that relates it to something: in a text font, one sign says little,
    and a hyphen or a slash nothing."""
    text = "".join(reader.page.texts[run] for run in part)
    letters = reader.any(part, VARIABLE) or any(sign in GREEK or "\U0001d400" <= sign <= "\U0001d7ff" for sign in text)
    return letters and any(sign in _RELATING for sign in text)
