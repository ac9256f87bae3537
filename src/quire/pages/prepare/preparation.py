"""Prepares the picture of a page for an engine: upright, straight, not finer than needed, treated where it helps.

Runs in a worker process. The same picture and settings produce the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from quire.core.guarded_parts import Notes
from quire.core.picture import Picture
from quire.core.types import BBox
from quire.pages.prepare.blank import is_blank
from quire.pages.prepare.measures import Ink, find_ink, measure
from quire.pages.prepare.pixels import Pixels, grey_of, picture_of, pixels_of
from quire.pages.prepare.prepared import ImageMeasures, Prepared, PrepareProfile, Redaction
from quire.pages.prepare.redactions import Box, find_redactions
from quire.pages.prepare.resolution import estimated_dpi, least_scale, lowered
from quire.pages.prepare.rotation import skew_of, straightened, turn_of, turned
from quire.pages.prepare.treatments import treated

_WORKING_PIXELS = 8_000_000  # a picture known to be larger than needed is measured on a copy of about this size
_DARK_MEAN = 110.0  # a darker page may be a negative
_FEW_LETTERS = 25
_TWO_CLASSES = 0.7  # a photograph has levels across the whole range


@dataclass(frozen=True, slots=True)
class _Look:
    """The analysis of a picture: its ink, its paper and its measures."""

    ink: Ink
    paper: Pixels
    measures: ImageMeasures


@dataclass(frozen=True, slots=True)
class _Position:
    """The position of a page in its picture: its quarter turn, with the confidence of that, and its skew."""

    turn: int = 0
    skew: float = 0.0
    confidence: float = 1.0
    notes: tuple[str, ...] = ()


def prepare(
    picture: Picture, profile: PrepareProfile, *, keep: Sequence[BBox] = (), turn: int | None = None
) -> tuple[Picture, Prepared]:
    """The prepared picture of a displayed page, and what was done to it.

    With `keep` everything outside those boxes (fractions of the displayed page) is painted white. `turn` is by how many
    degrees clockwise the page is turned, instead of by what it shows.
    """
    failed = Notes()
    found, dpi, notes = _resolved(_kept(pixels_of(picture), keep), picture.dpi, profile)
    page = found.shape[1], found.shape[0]
    found, look, done = _looked(found, dpi)
    notes += done
    blank = profile.blank_gate and is_blank(look.ink, dpi)
    placed = _Position(turn or 0)
    boxes: list[tuple[Box, float]] = []
    if not blank:
        untreated = found
        if profile.treat:
            treatment = partial(treated, found, look.paper, look.measures)
            done = []
            found, done = failed.enriched("treatment of the picture", treatment, (found, done))
            notes += done
        placed = _position(found, look, profile, turn, failed)  # after the treatment: faint pages mislead the model
        notes += placed.notes
        found = straightened(turned(found, placed.turn), placed.skew)
        if profile.redactions:
            # a box of dark blue is a logo, not a redaction
            plain = untreated if untreated.ndim == 2 else untreated.max(axis=2)
            upright = straightened(turned(plain, placed.turn), placed.skew)
            boxes = failed.enriched("redactions", lambda: find_redactions(upright, dpi), boxes)
    result = picture_of(found, dpi)
    prepared = Prepared(
        digest=result.digest,
        size=result.size,
        dpi=dpi,
        page=page,
        turn=placed.turn,
        skew=placed.skew,
        blank=blank,
        treatments=tuple(notes),
        measures=look.measures,
        turn_confidence=round(placed.confidence, 3),
        notes=tuple(failed),
    )
    redactions = [Redaction(prepared.to_page(BBox.of_points(box, result.size)), score) for box, score in boxes]
    return result, replace(prepared, redactions=tuple(redactions))


def _kept(found: Pixels, keep: Sequence[BBox]) -> Pixels:
    if not keep:
        return found
    height, width = found.shape[:2]
    sheet = np.full_like(found, 255)
    for box in keep:
        left, top, right, bottom = (max(0, round(value)) for value in box.points((width, height)))
        sheet[top:bottom, left:right] = found[top:bottom, left:right]
    return sheet


def _resolved(found: Pixels, dpi: float, profile: PrepareProfile) -> tuple[Pixels, float, list[str]]:
    """The picture at no more than the needed resolution, and its dpi."""
    size = found.shape[1], found.shape[0]
    estimated, source = estimated_dpi(size, dpi, 0.0)
    if source != "stated":
        scale = min(1.0, (_WORKING_PIXELS / (size[0] * size[1])) ** 0.5)
        estimated, source = estimated_dpi(size, dpi, _text_height(lowered(found, scale), dpi * scale) / scale)
    if source == "unknown" or estimated <= profile.max_dpi:
        return found, estimated, []
    smaller = lowered(found, profile.dpi / estimated)
    type_height = _text_height(smaller, profile.dpi) * estimated / profile.dpi
    scale = max(profile.dpi / estimated, least_scale(type_height))
    if scale >= 1:
        return found, estimated, []
    if scale > profile.dpi / estimated:
        smaller = lowered(found, scale)
    basis = {"stated": "", "text": " (by the height of its type)", "paper": " (by the size of paper)"}[source]
    return smaller, round(estimated * scale, 1), [f"lowered {estimated:.0f} to {estimated * scale:.0f} dpi{basis}"]


def _text_height(found: Pixels, dpi: float) -> float:
    grey = grey_of(found)
    ink, paper = find_ink(grey)
    return measure(grey, ink, paper, dpi).text_height


def _looked(found: Pixels, dpi: float) -> tuple[Pixels, _Look, list[str]]:
    """The picture with dark text on a light background, and its analysis."""
    grey = grey_of(found)
    ink, paper = find_ink(grey)
    look = _Look(ink, paper, measure(grey, ink, paper, dpi))
    if look.measures.mean > _DARK_MEAN:
        return found, look, []
    light = np.subtract(255, grey)
    ink, paper = find_ink(light)
    seen = replace(measure(light, ink, paper, dpi), inverted=True)
    if seen.letters < _FEW_LETTERS or seen.otsu_separability < _TWO_CLASSES:
        return found, look, []
    return np.subtract(255, found), _Look(ink, paper, seen), ["inverted: light writing on dark ground"]


def _position(found: Pixels, look: _Look, profile: PrepareProfile, turn: int | None, failed: Notes) -> _Position:
    """The rotation of the page: by quarter turns, given or found, and by the few degrees of skew that remain."""
    confidence, done = 1.0, []
    if turn is not None:
        done.append(f"turned {turn} degrees clockwise (to be read in another orientation)")
    elif profile.orientation:
        unknown = (0, 0.0)
        turn, confidence = failed.enriched(
            "orientation", lambda: turn_of(found, look.ink.mask, look.measures.letters), unknown
        )
        if turn:
            done.append(f"turned {turn} degrees clockwise (confidence {confidence:.2f})")
    turn, skew = turn or 0, 0.0
    if profile.deskew:
        mask = turned(look.ink.mask, turn)
        skew = failed.enriched("straightening", lambda: skew_of(mask, least=profile.min_skew), 0.0)
        if skew:
            done.append(f"deskewed {abs(skew):.1f} degrees {'clockwise' if skew > 0 else 'counterclockwise'}")
    return _Position(turn, skew, confidence, tuple(done))
