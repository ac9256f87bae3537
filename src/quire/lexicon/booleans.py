"""Texts that say yes or no: in words, and by ticked boxes."""

from __future__ import annotations

import re

from quire.lexicon.phrases import folded, without_accents
from quire.lexicon.words import words_of

_YES, _NO = frozenset(words_of("yes")), frozenset(words_of("no"))
_TICKED, _EMPTY = "☑☒✓✔✗✘■●◉", "☐□○◯"


def said_boolean(text: str) -> bool | None:
    """The boolean that a text says: False where it denies something, True where it affirms; None if it does neither."""
    found = set(re.findall(r"[^\W\d_]+", folded(text, without_accents).replace("'", "")))
    if found & _NO:
        return False
    ticked, empty = any(one in text for one in _TICKED), any(one in text for one in _EMPTY)
    if ticked != empty:
        return ticked
    return True if found & _YES else None
