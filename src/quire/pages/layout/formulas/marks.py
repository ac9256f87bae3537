"""Accents and strokes, and what they belong to."""

from __future__ import annotations

from collections.abc import Sequence

from quire.pages.layout.formulas.placed_symbols import Symbol


def without_strokes(items: list[Symbol]) -> list[Symbol]:
    """Without the h that a font draws its stroke on: both are one symbol."""
    bars = [item for item in items if item.sign in ("ħ", "ℏ")]
    return [
        item
        for item in items
        if not (
            item.sign == "h"
            and any(abs(item.middle - bar.middle) < 0.2 * bar.size and abs(item.base - bar.base) < 1 for bar in bars)
        )
    ]


def covers(base: Symbol, mark: Symbol, *, stroke: bool) -> bool:
    """Whether a letter stands under an accent, or a relation at the place of a stroke."""
    if stroke:
        return base.kind in ("relation", "letter") and abs(base.left - mark.left) < 0.8 * base.size
    if mark.sign == "∼" and base.sign == "=":
        return (
            abs(base.middle - mark.middle) < 0.2 * base.size
            and 0.1 * base.size < base.base - mark.base < 0.6 * base.size
        )
    kinds = ("letter", "word", "whole", "operator", "binary") if mark.kind == "accent" else ("letter", "word", "whole")
    if base.kind not in kinds:
        return False
    reach = 0.12 * base.size
    inside = base.left - reach <= mark.middle <= base.right + reach + 0.1 * base.size
    return inside and -0.3 * base.size < base.base - mark.base < 1.1 * base.size and mark.size > 0.6 * base.size


def crosses(slash: Symbol, items: Sequence[Symbol]) -> bool:
    """Whether a slash is drawn through a relation."""
    return any(
        item.kind == "relation"
        and abs(item.middle - slash.middle) < 0.2 * item.size
        and abs(item.base - slash.base) < 0.1 * item.size
        for item in items
    )


def under_accent(items: Sequence[Symbol], mark: Symbol) -> list[Symbol]:
    """The letters that a wide accent covers: those beside each other whose middle is below its own."""
    size = mark.size
    row = sorted(
        (
            item
            for item in items
            if item.kind in ("letter", "word", "whole", "open", "close")
            and -0.3 * size < item.base - mark.base < 1.2 * size
            and item.size > 0.6 * size
        ),
        key=lambda item: item.left,
    )
    best: list[Symbol] = []
    nearest = 0.3 * size
    for start in range(len(row)):
        for end in range(start, len(row)):
            if end > start and row[end].left - row[end - 1].right > 0.1 * size:
                break
            left, right = row[start].left, row[end].right
            away = abs((left + right) / 2 - mark.middle) + 0.02 * (right - left)
            if away < nearest and right - left > mark.right - mark.left - 0.3 * size:
                best, nearest = row[start : end + 1], away
    return best


def struck(base: Symbol) -> str:
    return {"=": r"\neq", "∈": r"\notin", "≡": r"\not\equiv", "∣": r"\nmid", "|": r"\nmid"}.get(
        base.sign, rf"\not {base.latex}"
    )
