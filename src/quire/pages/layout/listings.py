"""Code, told from text that is only set in a font of fixed width: typescripts, forms, the hidden text of a scan."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.pages.layout.lines import Line

TYPED = 0.6  # of the letters of a page: when more are in a font of fixed width, the font alone says nothing
SIGNED = 0.15  # of the lines of a listing have a sign of code
SIGNED_PAGE = 0.3  # of such lines on a page without any other font

_SIGN = re.compile(
    r"[{};\\]\s*\Z|^\s*(?://|/\*|\*/|#\w|#!|[$>]\s+[a-z]|>>>|@\w+\b(?!\.)|<[/!?\w][^>]*>)"
    r"|\w\(|\)\s*[{:]|[=!+\-*/&|<>]=|=>|->|::|&&|\|\||(?<!\w)--?[a-z]|\w\[\w|\w=\S|^\s*\w+\s=\s\S|\w_\w|(?<!\w)/\w+/\w"
    r"|^\s*(?:def|class|import|from|return|function|var|let|const|public|private|static|void|int|if|for|while|end)\b\s+\w"
    r"|^\s*[\w\"'.-]+:\s+[\"'\[{\w]+\s*,?\Z"
)


def has_sign_of_code(text: str) -> bool:
    return _SIGN.search(text) is not None


def is_listing(lines: Sequence[Line]) -> bool:
    """Whether lines in a font of fixed width are code: some of them have brackets, operators or keywords."""
    return sum(has_sign_of_code(line.text) for line in lines) >= SIGNED * len(lines)


def is_typescript(lines: Sequence[Line]) -> bool:
    """Whether a page is set in a font of fixed width like a letter from a typewriter, and is not code."""
    mono = [line for line in lines if line.mono]
    if not mono or sum(len(line.text) for line in mono) < TYPED * sum(len(line.text) for line in lines):
        return False
    return sum(has_sign_of_code(line.text) for line in mono) < SIGNED_PAGE * len(mono)
