"""Escapes characters that Markdown would interpret as markup, only where it would."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection
from itertools import pairwise

_BACKSLASH = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_ENTITY = re.compile(r"&(?=#\d{1,7};|#[xX][0-9a-fA-F]{1,6};|[A-Za-z][A-Za-z0-9]{1,31};)")
_TAG = re.compile(r"<(?=[A-Za-z/!?][^<]*>|!--)")
_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")
_SPECIAL = re.compile(r"[\\&<`*_~\[$]")
_DOLLARS = re.compile(r"\$(?=\S)[^$]*?\S\$")
_DOUBLE_TILDE = re.compile("~(?=~)|(?<=~)~")
_MARKS = re.compile(r"\*+|_+")

_START = re.compile(
    r"""(?P<before>\d{1,9})(?P<number>[.)](?=\s|$))                  # would be a numbered list
      | (?P<mark>\#{1,6}(?=\s|$) | [-+*](?=\s|$) | > | ``` | ~~~     # heading, bullet, quotation, code
      | ([-*_])(\s*\4){2,}\s*$ | =+\s*$                               # rule, underline
      | <(?=[A-Za-z/!?]) | \[(?=[^\]]+\]:))                          # HTML, definition of a link
    """,
    re.VERBOSE,
)


def escape(text: str) -> str:
    """Text within a line, without markup."""
    return escaped(text, escapes(text)) if _SPECIAL.search(text) else text


def escaped(text: str, places: Collection[int], *, start: int = 0) -> str:
    """`text` with a backslash before every position in `places`; the text itself begins at position `start`."""
    inside = sorted(at - start for at in places if start <= at < start + len(text))
    edges = [0, *inside, len(text)]
    return "\\".join(text[a:b] for a, b in pairwise(edges)) if inside else text


def escapes(text: str) -> set[int]:
    """The positions in a line at which a character would be interpreted as markup."""
    places = {match.start() for pattern in (_BACKSLASH, _ENTITY, _TAG, _LINK) for match in pattern.finditer(text)}
    if text.count("`") > 1:
        places.update(_all("`", text))
    if text.count("~~") > 1:
        places.update(match.start() for match in _DOUBLE_TILDE.finditer(text))
    if text.count("$") > 1 and _DOLLARS.search(text):  # amounts of money that would be read as a formula
        places.update(_all("$", text))
    for mark, opens in (("*", _left_flanking), ("_", _opens_underscore)):
        if text.count(mark) > 1:
            places.update(_pairs(text, mark, opens))
    return places


def escapes_beside_marks(text: str) -> set[int]:
    """The additional positions when parts of the line will be marked with `*`, backticks or brackets."""
    places = {*_all("*", text), *_all("`", text), *_all("$", text)}
    for at in _all("_", text):
        if not (text[at - 1 : at].isalnum() and text[at + 1 : at + 2].isalnum()):
            places.add(at)
    return places


def escape_start(line: str) -> str:
    """A line that renders as plain text: no heading, no list, no rule."""
    match = _START.match(line)
    if match is None:
        return line
    at = len(match["before"]) if match["number"] else 0
    return f"{line[:at]}\\{line[at:]}"


def can_emphasise(before: str, text: str, after: str) -> bool:
    """Whether `*` around `text` is parsed as emphasis between these characters (CommonMark 6.2)."""
    if before.endswith(("*", "\\")) or after.startswith("*"):
        return False
    left = not _is_punctuation(text[0]) or _is_edge(before[-1:])
    right = not _is_punctuation(text[-1]) or _is_edge(after[:1])
    return left and right


def _all(character: str, text: str) -> list[int]:
    return [at for at, other in enumerate(text) if other == character] if character in text else []


def _pairs(text: str, mark: str, opens: Callable[[str, str], bool]) -> list[int]:
    """Every mark that could open or close emphasis, if an opening one precedes a closing one."""
    found = [match for match in _MARKS.finditer(text) if match.group()[0] == mark]
    sides = [(match, text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]) for match in found]
    openers = [match for match, before, after in sides if opens(before, after)]
    closers = [match for match, before, after in sides if opens(after, before)]
    if not openers or not closers or openers[0].start() >= closers[-1].start():
        return []
    return [at for match in {*openers, *closers} for at in range(*match.span())]


def _left_flanking(before: str, after: str) -> bool:
    return bool(after) and not after.isspace() and (not _is_punctuation(after) or _is_edge(before))


def _opens_underscore(before: str, after: str) -> bool:
    return _left_flanking(before, after) and _is_edge(before)


def _is_edge(character: str) -> bool:
    return not character or character.isspace() or _is_punctuation(character)


def _is_punctuation(character: str) -> bool:
    return bool(character) and unicodedata.category(character)[0] in "PS"
