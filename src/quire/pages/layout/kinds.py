"""The kind of a paragraph: heading, list item, caption, footnote, formula, code or plain text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quire.core.pagetext import PageText
from quire.core.types import BlockKind
from quire.pages.layout.lines import Line, is_right_to_left
from quire.pages.layout.listings import is_listing
from quire.pages.layout.paragraphs import Paragraph
from quire.pages.layout.patterns import (
    STRONG_BULLETS,
    caption_marked,
    caption_of,
    ends_with_equation_number,
    is_address,
    is_contents_line,
    is_known_heading,
    is_page_number,
    list_number,
    section_number,
)

HEADING_SIZE = 1.1  # of the body's size: larger type is a heading
NUMBERED_SIZE = 1.05  # the same for one with a number
FORM_SIZE = 1.3  # the same on a form
FORM_HEADING = 30  # characters
LEAST_SIZE = 0.85  # of the body's size: that of a numbered heading in bold type
FOOTNOTE_SIZE = 0.93
TITLE_SIZE = 0.89  # of the body's size: a title in another font may be a little smaller
TITLE_LENGTH = (4, 110)
PROSE = 80  # characters that are enough to know the type of the text
COLOUR = 90  # of 255: how far that of a heading is from that of the text
TITLE_WORDS = 0.5  # of the letters of an OCR title: those in words
_OPERATORS = re.compile(r"[-=+−×·/<>≤≥≈()\[\]{}|\d.,]+\Z")
_NOTE_MARK = re.compile(r"^(?:[*†‡§¶]+|\d{1,3}|[a-z]\b)\s*\S")
_DOTTED = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,4}\.?\s")
_SENTENCE_END = re.compile(r"[.;,:]$")


@dataclass(frozen=True, slots=True)
class TypeSetting:
    """The type of a page's body and the extent of its text, against which the kinds of paragraphs are judged."""

    size: float
    font: int
    bold: bool
    height: float
    bottom: float
    note_rules: tuple[tuple[float, float, float], ...]
    """Short rulings in the lower part, as (left, right, y): footnotes follow below them."""
    recognised: bool = False
    """Sizes and weights are measured in the picture, slopes are unknown."""
    form: bool = False
    """A page of labels with values: names and addresses are a little larger than these."""
    color: int = 0
    """That of most characters."""
    label: tuple[int, float] | None = None
    """The font and size of most labels of a form."""


def body_setting(page: PageText, lines: Sequence[Line]) -> TypeSetting:
    """The most frequent size of type on a page, by characters, and its weight."""
    sizes: dict[float, int] = {}
    fonts: dict[int, int] = {}
    colors: dict[int, int] = {}
    bold = total = 0
    prose = [line for line in lines if not line.mono]
    if sum(len(line.text) for line in prose) >= PROSE:
        lines = prose  # a page full of code is judged by the text around it
    halves = [round(2 * line.size) / 2 for line in lines]
    for line, rounded in zip(lines, halves, strict=True):
        count = len(line.text)
        sizes[rounded] = sizes.get(rounded, 0) + count
        fonts[line.font] = fonts.get(line.font, 0) + count
        colors[line.color] = colors.get(line.color, 0) + count
        total += count
        bold += count if line.bold else 0
    size = max(sizes, key=lambda s: sizes[s]) if sizes else 10.0
    exact = [line.size for line, rounded in zip(lines, halves, strict=True) if rounded == size]
    rules = [
        (x0, x1, y0)
        for x0, y0, x1, y1, _ in zip(*[iter(page.rulings[:5000])] * 5, strict=True)
        if y0 == y1 and 30 < x1 - x0 < 0.45 * page.width and y0 > 0.3 * page.height
    ]
    return TypeSetting(
        size=sum(exact) / len(exact) if exact else size,
        font=max(fonts, key=lambda f: fonts[f]) if fonts else 0,
        bold=2 * bold > total,
        height=page.height,
        bottom=max((line.bottom for line in lines), default=page.height),
        note_rules=tuple(rules),
        recognised=bool(page.engine) and page.recognised == 0,
        color=max(colors, key=lambda c: colors[c]) if colors else 0,
    )


def kind_of(
    page: PageText,
    paragraph: Paragraph,
    setting: TypeSetting,
    *,
    last_of_column: bool,
    alone: bool,
    below: Paragraph | None = None,
) -> BlockKind:
    """The kind of one paragraph, judged from its type, its position and how it begins.

    `alone` says that white space surrounds it; `last_of_column` that only footnotes may follow; `below` is the
    paragraph that follows it.
    """
    lines = paragraph.lines
    first = lines[0]
    text = first.text
    if len(lines) > 1 and all(line.mono for line in lines) and is_listing(lines):
        return "code"
    if any(line.signs for line in lines) and is_formula(page, paragraph):
        return "formula"
    if caption_of(text) and (caption_marked(text) or first.bold) and first.size <= 1.1 * setting.size:
        return "caption"
    if paragraph.marker and paragraph.marker in STRONG_BULLETS:
        return "list_item"
    if _is_footnote(paragraph, setting, last_of_column):
        return "footnote"
    if paragraph.marker and not list_number(text):
        return "list_item"
    if is_heading(page, paragraph, setting, alone=alone) or _is_title_of(page, paragraph, below, setting):
        return "heading"
    if paragraph.marker:
        return "list_item"
    return "paragraph"


def is_heading(page: PageText, paragraph: Paragraph, setting: TypeSetting, *, alone: bool) -> bool:
    lines = paragraph.lines
    if len(lines) > 4:
        return False
    text = " ".join([line.text for line in lines])
    if len(text) > 220 or _list_of_names(text) or is_address(text) or is_contents_line(text) or is_page_number(text):
        return False
    letters = sum(map(str.isalpha, text))
    if 2 * sum(map(str.isdigit, text)) > 3 * letters:
        return False  # an amount, a date or a number
    if letters < 2 or (setting.recognised and not _reads_like_a_title(text)):
        return False
    size = max(line.size for line in lines)
    caps = text.isupper() and letters > 3
    if caps:  # the first letters of small capitals
        size = max(size, max(page.sizes[run] for line in lines for run in line.runs))
    if text[0].islower() and size <= 1.4 * setting.size:
        return False  # the rest of a sentence
    counted = section_number(text) or (_DOTTED.match(text) and all(line.bold for line in lines))
    if setting.form and (len(lines) > 1 or size <= FORM_SIZE * setting.size) and not counted:
        return _is_heading_of_form(lines, setting, alone=alone)
    larger = size > HEADING_SIZE * setting.size
    if larger and (size > 1.25 * setting.size or not _SENTENCE_END.search(text)):
        return len(lines) <= 3 or size > 1.4 * setting.size
    coloured = alone and size > 0.94 * setting.size and _is_coloured(lines, setting)
    if coloured and is_right_to_left(text) and len(text) < 90 and text[-1] not in ".،؛,;":
        return True
    if _SENTENCE_END.search(text) and not section_number(text):
        return False
    numbered = bool(section_number(text)) and len(text) < 120
    bold = all(line.bold for line in lines) and not setting.bold
    italic = all(line.italic for line in lines)
    small = LEAST_SIZE if numbered and (bold or (italic and alone)) else 0.94
    if size < small * setting.size or len(lines) > 2:
        return False
    known = is_known_heading(text)
    if bold:
        return alone or numbered or known
    if known or (caps and alone and letters > 0.6 * len(text.replace(" ", ""))):
        return alone or known
    if setting.recognised and numbered and alone and len(lines) == 1 and len(text) < 60:
        return True
    larger = size > NUMBERED_SIZE * setting.size
    return numbered and alone and len(text) < 90 and (italic or caps or larger or _title_case(text))


def _is_heading_of_form(lines: Sequence[Line], setting: TypeSetting, *, alone: bool) -> bool:
    """Whether type that is hardly larger begins a part of a form: a bold line of words, no label and no value."""
    text = lines[0].text
    if len(lines) > 1 or not lines[0].bold or setting.bold or not alone:
        return False
    if (lines[0].font, lines[0].size) == setting.label:
        return False
    return not any(map(str.isdigit, text)) and not _SENTENCE_END.search(text) and len(text) <= FORM_HEADING


def _is_coloured(lines: Sequence[Line], setting: TypeSetting) -> bool:
    """Whether lines are set in a colour that is not that of the text."""
    return all(_far(line.color, setting.color) for line in lines)


def _far(color: int, other: int) -> bool:
    return max(abs((color >> shift & 255) - (other >> shift & 255)) for shift in (0, 8, 16)) > COLOUR


def _is_title_of(page: PageText, paragraph: Paragraph, below: Paragraph | None, setting: TypeSetting) -> bool:
    """Whether a short line in a font of its own stands directly above a paragraph in the font of the text."""
    if below is None or setting.recognised or len(paragraph.lines) > 2 or len(below.lines) < 2:
        return False
    line, first = paragraph.lines[-1], below.lines[0]
    names = page.font_table
    body = names[setting.font].name
    if names[first.font].name != body or any(_fonts_of(page, line, body) for line in paragraph.lines):
        return False
    text = " ".join([line.text for line in paragraph.lines])
    if not TITLE_LENGTH[0] <= len(text) <= TITLE_LENGTH[1] or _SENTENCE_END.search(text) or _list_of_names(text):
        return False
    reach = 3.3 if line.bold else 1.2
    below_it = abs(first.left - line.left) < 2 * line.size or (line.bold and _is_centred(line, paragraph))
    near = -0.5 * line.size < first.top - line.bottom < reach * line.size and below_it
    short = line.right < paragraph.column_right - 2 * line.size
    steady = TITLE_SIZE * setting.size < line.size
    return near and short and steady and (text[0].isupper() or text[0].isdigit()) and not is_address(text)


def _is_centred(line: Line, paragraph: Paragraph) -> bool:
    return abs(line.left + line.right - paragraph.column_left - paragraph.column_right) < line.size


def _fonts_of(page: PageText, line: Line, name: str) -> bool:
    """Whether any word of a line is set in the font of this name."""
    return any(page.font_table[page.fonts[run]].name == name for run in line.runs)


def _reads_like_a_title(text: str) -> bool:
    """Whether OCR text consists of words: formulas, amounts and dirt are often large as well."""
    if "=" in text:
        return False
    words = [word for word in text.split() if sum(map(str.isalpha, word)) > 2 or any(c > "\u2e80" for c in word)]
    return sum(map(len, words)) >= TITLE_WORDS * len(text.replace(" ", ""))


def _list_of_names(text: str) -> bool:
    """Authors and addresses are set like headings, but full of commas and marks."""
    return text.count(",") >= 3 or "@" in text or (text.count(",") >= 1 and bool(re.search(r"[∗†‡*]", text)))


def _title_case(text: str) -> bool:
    words = [word for word in text.split()[1:] if len(word) > 3]
    return bool(words) and sum(1 for word in words if word[0].isupper()) >= 0.7 * len(words)


def _is_footnote(paragraph: Paragraph, setting: TypeSetting, last_of_column: bool) -> bool:
    first = paragraph.lines[0]
    if first.size > FOOTNOTE_SIZE * setting.size or first.top < 0.4 * setting.height:
        return False
    marked = bool(_NOTE_MARK.match(first.text))
    if first.bold and not marked:
        return False
    reach = 400.0 if marked else 3 * first.size  # how far right of the edge of the ruling a note may begin
    ruled = any(
        left - 3 <= first.left <= min(right, left + reach) + 3 and 0 <= first.top - y < 400
        for left, right, y in setting.note_rules
    )
    if setting.recognised and not last_of_column:
        return False  # heights of scanned lines vary, and a rule may underline a heading
    return ruled or (last_of_column and marked)


def is_formula(page: PageText, paragraph: Paragraph) -> bool:
    """Mostly symbols in formula fonts, set apart from the text."""
    fonts, looks, texts = page.fonts, page.looks(), page.texts
    total = mathematical = words = 0
    for line in paragraph.lines:
        for run in line.runs:
            text = texts[run]
            total += len(text)
            look = looks[fonts[run]]
            if look.math or (look.italic and len(text) <= 2) or _OPERATORS.match(text):
                mathematical += len(text)
            elif len(text) > 3 and text.isalpha():
                words += len(text)
    if not total or mathematical < 2:
        return False
    last = paragraph.lines[-1]
    numbered = ends_with_equation_number(last.text)
    indented = paragraph.lines[0].left > paragraph.column_left + last.size
    share = mathematical / total
    return (share > 0.35 and words < 0.25 * total and (numbered or indented)) or (share > 0.5 and words < 0.1 * total)
