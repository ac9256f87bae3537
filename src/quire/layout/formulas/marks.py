"""Accents and strokes, and what they belong to."""

from __future__ import annotations

from quire.layout.formulas.items import Symbol


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


def struck(base: Symbol) -> str:
    return {"=": r"\neq", "∈": r"\notin", "≡": r"\not\equiv", "∣": r"\nmid", "|": r"\nmid"}.get(
        base.sign, rf"\not {base.latex}"
    )
