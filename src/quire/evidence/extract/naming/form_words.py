"""The words of which the labels of forms are made."""

from __future__ import annotations

from quire.evidence.extract.naming.concepts import CONCEPTS
from quire.evidence.extract.naming.labels import label_words
from quire.evidence.extract.naming.words import FORM_WORDS

_KNOWN = FORM_WORDS | {word for one in CONCEPTS for label in one.labels for word in label_words(label)}


def is_form_word(word: str) -> bool:
    """Whether one of the words of `label_words` is usual in labels."""
    return word in _KNOWN


def is_form_label(text: str) -> bool:
    """Whether a text is made of such words alone."""
    words = label_words(text)
    return bool(words) and all(map(is_form_word, words))
