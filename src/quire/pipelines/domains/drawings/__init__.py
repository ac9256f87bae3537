"""Piping and instrumentation diagrams, and other plans: the tags that are written on them.

`drawings.read("pid.pdf").tags` are the tags of equipment, instruments, valves and lines, each with its box and angle. A
sheet with text is read from the file, a picture in tiles, at full resolution.
"""

from quire.pipelines.domains.drawings.grammar import TAG_KINDS as TAG_KINDS
from quire.pipelines.domains.drawings.grammar import TagKind as TagKind
from quire.pipelines.domains.drawings.grammar import TagText as TagText
from quire.pipelines.domains.drawings.grammar import tag_of as tag_of
from quire.pipelines.domains.drawings.sheet import Drawing as Drawing
from quire.pipelines.domains.drawings.sheet import Sheet as Sheet
from quire.pipelines.domains.drawings.sheet_text import DrawingReader as DrawingReader
from quire.pipelines.domains.drawings.sheet_text import read as read
from quire.pipelines.domains.drawings.sheet_text import reader as reader
from quire.pipelines.domains.drawings.tags import DrawingTag as DrawingTag
from quire.pipelines.domains.drawings.tags import TagGrammar as TagGrammar
from quire.pipelines.domains.drawings.texts import SheetText as SheetText
