"""What a look at a picture found, as bytes and back."""

from __future__ import annotations

from quire.core.types import BBox
from quire.pages.prepare.prepared import Redaction
from quire.pages.recognize.seen import Seen
from tests.unit.pages.recognize.seen import prepared


def test_what_was_seen_survives_its_bytes():
    redaction = Redaction(BBox(0.1, 0.2, 0.3, 0.05), 0.9)
    seen = Seen(
        prepared(turn=90, skew=1.5, redactions=[redaction]),
        ((1.0, 2.0, 30.0, 2.0, 1.5),),
        ((5.0, 6.0, 90.0, 80.5),),
        2.35,
        ((10.0, 20.0, 60.0, 38.0, 3.41),),
    )
    assert Seen.from_bytes(seen.to_bytes()) == seen


def test_the_same_sight_is_the_same_bytes_to_a_tenth_of_a_pixel():
    one, other = (Seen(prepared(), ((1.0, 2.0 + shift, 30.0, 2.0 + shift, 1.5),)) for shift in (0.0, 0.04))
    assert one.to_bytes() == other.to_bytes()
