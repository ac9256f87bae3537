"""Piping and instrumentation diagrams, and other plans: the tags that are written on them.

`drawings.read("pid.pdf").tags` are the tags of equipment, instruments, valves and lines, each with its box and angle. A
sheet with text is read from the file, a picture in tiles, at full resolution.
"""

from __future__ import annotations

from quire.pipelines.domains.drawings.grammar import TAG_KINDS, TagKind, TagText, tag_of
from quire.pipelines.domains.drawings.sheet import Drawing, Sheet
from quire.pipelines.domains.drawings.sheet_text import DrawingReader, read, reader
from quire.pipelines.domains.drawings.tags import DrawingTag, TagGrammar
from quire.pipelines.domains.drawings.texts import SheetText

__all__ = [
    "TAG_KINDS",
    "Drawing",
    "DrawingReader",
    "DrawingTag",
    "Sheet",
    "SheetText",
    "TagGrammar",
    "TagKind",
    "TagText",
    "read",
    "reader",
    "tag_of",
]
