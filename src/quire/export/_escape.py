"""Characters that Markdown would take for markup, escaped only where it would."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_BACKSLASH = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_ENTITY = re.compile(r"&(?=#\d{1,7};|#[xX][0-9a-fA-F]{1,6};|[A-Za-z][A-Za-z0-9]{1,31};)")
_TAG = re.compile(r"<(?=[A-Za-z/!?][^<]*>|!--)")
_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")
_SPECIAL = re.compile(r"[\\&<`*_~\[]")

_START = re.compile(
    r"""(?P<before>\d{1,9})(?P<number>[.)](?=\s|$))                  # would be a numbered list
      | (?P<mark>\#{1,6}(?=\s|$) | [-+*](?=\s|$) | > | ``` | ~~~     # heading, bullet, quotation, code
      | ([-*_])(\s*\4){2,}\s*$ | =+\s*$                               # rule, underline
      | <(?=[A-Za-z/!?]) | \[(?=[^\]]+\]:))                          # HTML, definition of a link
    """,
    re.VERBOSE,
)


def escape(text: str) -> str:
    """Text within a line."""
    if not _SPECIAL.search(text):
        return text
    text = _BACKSLASH.sub(r"\\\\", text)
    text = _ENTITY.sub(r"\\&", text)
    text = _TAG.sub(r"\\<", text)
    text = _LINK.sub(r"\\[", text)
    if text.count("`") > 1:
        text = text.replace("`", "\\`")
    if text.count("~~") > 1:
        text = text.replace("~~", "\\~\\~")
    for mark, opens in (("*", _left_flanking), ("_", _opens_underscore)):
        if text.count(mark) > 1:
            text = _escape_pairs(text, mark, opens)
    return text


def escape_start(line: str) -> str:
    """A line of which nothing but the text shall be seen: no heading, no list, no rule."""
    match = _START.match(line)
    if match is None:
        return line
    at = len(match["before"]) if match["number"] else 0
    return f"{line[:at]}\\{line[at:]}"


def can_emphasise(before: str, text: str, after: str) -> bool:
    """Whether `*` around `text` is read as emphasis between these characters (CommonMark 6.2)."""
    if before.endswith(("*", "\\")) or after.startswith("*"):
        return False
    left = not _is_punctuation(text[0]) or _is_edge(before[-1:])
    right = not _is_punctuation(text[-1]) or _is_edge(after[:1])
    return left and right


def _escape_pairs(text: str, mark: str, opens: Callable[[str, str], bool]) -> str:
    """Every mark that could open or close an emphasis, if there is one that opens before one that closes."""
    sides = [(m.start(), text[m.start() - 1 : m.start()], text[m.end() : m.end() + 1]) for m in _runs(mark, text)]
    openers = [at for at, before, after in sides if before != "\\" and opens(before, after)]
    closers = [at for at, before, after in sides if before != "\\" and opens(after, before)]
    if not openers or not closers or min(openers) >= max(closers):
        return text
    active = {*openers, *closers}
    return _runs_pattern(mark).sub(
        lambda m: "".join(f"\\{c}" for c in m.group()) if m.start() in active else m.group(), text
    )


def _runs_pattern(mark: str) -> re.Pattern[str]:
    return re.compile(re.escape(mark) + "+")


def _runs(mark: str, text: str) -> list[re.Match[str]]:
    return list(_runs_pattern(mark).finditer(text))


def _left_flanking(before: str, after: str) -> bool:
    return bool(after) and not after.isspace() and (not _is_punctuation(after) or _is_edge(before))


def _opens_underscore(before: str, after: str) -> bool:
    return _left_flanking(before, after) and _is_edge(before)


def _is_edge(character: str) -> bool:
    return not character or character.isspace() or _is_punctuation(character)


def _is_punctuation(character: str) -> bool:
    return bool(character) and unicodedata.category(character)[0] in "PS"
