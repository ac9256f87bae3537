"""Run-in headings: a title in the bold of another typeface, behind whose point the paragraph goes on."""

from __future__ import annotations

from quire.core.fonts import family
from quire.core.pagetext import PageText
from quire.pages.layout.kinds import TypeSetting
from quire.pages.layout.lines import Line
from quire.pages.layout.paragraphs import Paragraph
from quire.pages.layout.patterns import caption_of, is_address

LONGEST = 120  # characters of a title
LEAST_TEXT = 25  # characters that follow it
LINES = 3  # that it may cover


def without_title(page: PageText, paragraph: Paragraph, setting: TypeSetting) -> tuple[list[Line], list[Line]] | None:
    """The lines of the title and those of the text behind it; None when the paragraph has no such title."""
    first = paragraph.lines[0]
    if setting.bold or setting.recognised or paragraph.marker or first.tag >= 0 or first.cap:
        return None
    looks, fonts = page.font_table, page.fonts
    lead = looks[fonts[first.runs[0]]]
    if not lead.look.bold or family(lead.name) == family(looks[setting.font].name):
        return None  # bold words in the typeface of the text stress its beginning
    for number, line in enumerate(paragraph.lines[:LINES]):
        place = next((i for i, run in enumerate(line.runs) if not looks[fonts[run]].look.bold), None)
        if place is None:
            continue
        title = [*paragraph.lines[:number], *([Line(page, line.runs[:place])] if place else [])]
        text = [*([Line(page, line.runs[place:])] if place else [line]), *paragraph.lines[number + 1 :]]
        return (title, text) if _is_title(title) and _is_text(text) else None
    return None


def _is_title(lines: list[Line]) -> bool:
    text = " ".join([line.text for line in lines])
    if not text.endswith(".") or len(text) > LONGEST or " " not in text or text[0].islower():
        return False
    return not caption_of(text) and not is_address(text) and text.count(",") < 3


def _is_text(lines: list[Line]) -> bool:
    text = " ".join([line.text for line in lines])
    return len(text) >= LEAST_TEXT and (text[0].isupper() or text[0].isdigit())
