"""Piping and instrumentation diagrams, and other plans: the tags that are written on them.

`drawings.read("pid.pdf").tags` are the tags of equipment, instruments, valves and lines, each with its box and angle. A
sheet with text is read from the file, a picture in tiles, at full resolution.
"""

from __future__ import annotations

from quire.domains.drawings.grammar import TAG_KINDS, TagKind, TagText, tag_of
from quire.domains.drawings.reading import DrawingReader, read, reader
from quire.domains.drawings.sheet import Drawing, Sheet
from quire.domains.drawings.tags import DrawingTag, TagGrammar
from quire.domains.drawings.texts import SheetText

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
