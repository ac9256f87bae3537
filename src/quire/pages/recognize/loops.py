"""Detects hallucinated text: endless lines, and repetition loops of language models."""

from __future__ import annotations

from collections.abc import Sequence

from quire.core.engine import ReadBlock, ReadLine, Recognition

MAX_LINE = 5_000
MAX_TEXT = 500_000
MAX_PARTS = 20_000
MAX_REPEATS = 200
"""Allowed repetitions of a word in a row. Five times as many for a number or a row of dots."""
LONGEST_PERIOD = 16


def absurdity(recognition: Recognition) -> str | None:
    """Why this cannot be the text of a page, or None."""
    parts: Sequence[ReadLine | ReadBlock] = (*recognition.lines, *recognition.blocks)
    if len(parts) > MAX_PARTS:
        return f"{len(parts)} lines on one page"
    longest = max((len(line.text) for line in recognition.lines), default=0)
    if longest > MAX_LINE:
        return f"a line of {longest} characters"
    total = sum(len(part.text) for part in parts)
    if total > MAX_TEXT:
        return f"{total} characters on one page"
    for block in recognition.blocks:
        if block.table and _loops(block.table.text.split("\n")):
            return "the same row of a table over and over"
    # Lines come from engines that read each one separately: paper with COPY printed all over it has hundreds alike.
    texts = [line.text for line in recognition.lines]
    texts.append(" ".join(block.text for block in recognition.blocks if not block.table))
    if any(map(_one_character, texts)):
        return "the same character over and over"
    if any(_loops(text.split()) for text in texts if len(text) > MAX_REPEATS):
        return "the same words over and over"
    return None


def _loops(tokens: Sequence[str]) -> bool:
    """Whether a sequence of up to `LONGEST_PERIOD` tokens repeats without a break."""
    for period in range(1, min(LONGEST_PERIOD, len(tokens) // MAX_REPEATS) + 1):
        run = 0
        for at in range(period, len(tokens)):
            run = run + 1 if tokens[at] == tokens[at - period] else 0
            if run >= period * MAX_REPEATS:
                texts = tokens[at - period + 1 : at + 1]
                wordy = any(character.isalpha() for token in texts for character in token)
                if wordy or run >= 5 * period * MAX_REPEATS:
                    return True
    return False


def _one_character(text: str) -> bool:
    run, last = 0, ""
    for character in text:
        run = run + 1 if character == last else 1
        last = character
        if run > 5 * MAX_REPEATS:
            return True
    return False
