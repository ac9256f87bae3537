"""The tokens of BERT uncased, the vocabulary of most sentence models, without any package."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

_WORDS_KEPT = 200_000
_LONGEST_KEPT = 40  # scripts without spaces have words as long as a sentence, which do not come again
_LONGEST_WORD = 100  # longer ones are one unknown token
_SPECIAL = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")
_BETWEEN_SPACES = re.compile(r"[^ \t\n\r]+")
_ASCII_WORDS = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_CHINESE = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),  # as the package tokenizers has it: it begins at 2B820
    (0x2F800, 0x2FA1F),
)
"""Characters that are words of their own: Chinese, not kana and hangul."""


class WordPieces:
    """The tokenizer of BERT uncased: words without case and accents, each in the longest pieces of a vocabulary."""

    def __init__(self, vocabulary: Path) -> None:
        self._known = {piece: number for number, piece in enumerate(vocabulary.read_text(encoding="utf-8").split("\n"))}
        self._counts: dict[str, int] = {}
        self._ids: dict[str, list[int]] = {}

    def count(self, text: str) -> int:
        if "[" not in text:
            return self._count(text)
        parts = _SPECIAL.split(text)  # every other one is a special token
        return sum(map(self._count, parts[::2])) + len(parts) // 2

    def ids(self, text: str, most: int) -> list[int]:
        """The numbers of the tokens, at most `most` of them, between those of `[CLS]` and `[SEP]`."""
        known, found = self._ids, [self._known["[CLS]"]]
        for word in _BETWEEN_SPACES.findall(text):
            ids = known.get(word)
            if ids is None:
                ids = [number for part in _words(word) for number in self._numbers(part)]
                if len(word) <= _LONGEST_KEPT:
                    known[word] = ids
            found += ids
            if len(found) > most:
                break
        if len(known) > _WORDS_KEPT:
            known.clear()
        return [*found[: most + 1], self._known["[SEP]"]]

    def _count(self, text: str) -> int:
        counts, total = self._counts, 0
        for word in _BETWEEN_SPACES.findall(text):
            known = counts.get(word)
            if known is None:
                known = sum(map(self._pieces, _words(word)))
                if len(word) <= _LONGEST_KEPT:
                    counts[word] = known
            total += known
        if len(counts) > _WORDS_KEPT:
            counts.clear()
        return total

    def _pieces(self, word: str) -> int:
        return len(self._numbers(word))

    def _numbers(self, word: str) -> list[int]:
        """The pieces of a word; one, the unknown token, when no pieces make it up."""
        unknown = [self._known["[UNK]"]]
        if len(word) > _LONGEST_WORD:
            return unknown
        start, pieces = 0, []
        while start < len(word):
            prefix = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if prefix + word[start:end] in self._known), None)
            if end is None:
                return unknown
            pieces.append(self._known[prefix + word[start:end]])
            start = end
        return pieces


def _words(text: str) -> list[str]:
    """Words and punctuation, in lower case and without accents."""
    if text.isascii() and text.isprintable():
        return _ASCII_WORDS.findall(text.lower())
    cleaned = "".join(map(_cleaned, text))
    unaccented = "".join(c for c in unicodedata.normalize("NFD", cleaned) if unicodedata.category(c) != "Mn")
    return "".join(f" {c} " if _is_punctuation(c) else c for c in unaccented.lower()).split()


def _cleaned(character: str) -> str:
    if character in "\t\n\r" or unicodedata.category(character) == "Zs":
        return " "
    if character in "\0\ufffd" or unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs"):
        return ""
    code = ord(character)
    return f" {character} " if code > 0x33FF and any(first <= code <= last for first, last in _CHINESE) else character


def _is_punctuation(character: str) -> bool:
    if character < "\x7f":
        return not character.isalnum() and not character.isspace()
    return unicodedata.category(character).startswith("P")
