"""States, provinces and countries, of which an agreement may choose the law."""

from __future__ import annotations

import re

from quire.lexicon.words import alternatives, words_by_language, words_of

_OF_USA = alternatives(words_of("us_states"))
PLACE = alternatives(words_by_language("countries")["en"] + words_of("us_states") + words_of("other_states"))
"""A pattern; case does not matter."""
ADJECTIVE = alternatives(words_of("nationalities"))
_PLACE = re.compile(rf"(?:the\s+)?(?:State\s+of\s+)?{PLACE}", re.IGNORECASE)
_STATE_OF_USA = re.compile(rf"\b{_OF_USA}\b|\bU\.?S\.?A\b", re.IGNORECASE)
_COUNTRY_OF_STATES = re.compile(r"United\s+States(?:\s+of\s+America)?|Canada|Australia|United\s+Kingdom", re.IGNORECASE)


def is_place(text: str) -> bool:
    """Whether a text is the name of a state or a country and nothing else."""
    return _PLACE.fullmatch(text.strip()) is not None


def has_states(place: str) -> bool:
    """Whether a country has states with laws of their own."""
    return _COUNTRY_OF_STATES.fullmatch(place) is not None


def names_state_of_usa(text: str) -> bool:
    """Whether a text names a state of the United States."""
    return _STATE_OF_USA.search(text) is not None
