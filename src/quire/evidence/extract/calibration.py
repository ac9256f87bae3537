"""The probability that a value answers its field, from its evidence: measured, and not what an extractor believes.

The weights in `calibration.json` are those of a logistic regression over values that were compared with the truth.
`scripts/fit_calibration.py` fits them, `python -m benchmarks reliability` shows how well they hold for documents of
other origins.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from quire.core.context import Json
from quire.evidence.extract.values import LeafEvidence
from quire.lexicon.amounts import number_readings
from quire.lexicon.dates import date_readings

MOST = 0.99
"""No value is surer than this before a person has seen it."""
UNMEASURED = 0.85
"""Nor than this where the way in which it was found was never measured: by a language model, by an extractor of another
package, or by the name alone of a field whose meaning is not known."""
CONTRADICTED = 0.5
"""Nor than this where the document says something else."""
_MOST = {
    "status unverified": UNMEASURED,
    "status conflict": CONTRADICTED,
    "is another amount": CONTRADICTED,
}
STEPS: Mapping[str, tuple[float, ...]] = {
    "total": (0.5, 0.7, 0.8, 0.9, 0.95),
    "lead": (0.4, 0.7, 0.9),
    "label": (0.7, 0.9, 1.0),
    "ocr": (0.9, 0.97),
}
"""A figure counts by the steps that it reaches. `lead` is the distance to the next value of the same extractor."""
_LONG, _LONGEST = 3, 8
"""Words of a text."""


def probability_of(value: Json, evidence: LeafEvidence) -> float:
    """From 0 to 1."""
    weights, signs = _weights(), signs_of(value, evidence)
    likely = 1 / (1 + math.exp(-sum(weights.get(sign, 0.0) for sign in signs)))
    most = min(_MOST.get(sign, MOST) for sign in signs)
    return round(min(likely, most if signs[0] in weights else min(most, UNMEASURED)), 3)


def signs_of(value: Json, evidence: LeafEvidence) -> tuple[str, ...]:
    """The signs for a value, and against it, by name: how it was found comes first."""
    return (_way(evidence), *_figures(evidence), *_facts(evidence), _shape(value))


def _way(evidence: LeafEvidence) -> str:
    return f"by {evidence.extractor}{'' if evidence.confidence.get('known', 1.0) else ', by name'}"


def _figures(evidence: LeafEvidence) -> Iterator[str]:
    confidence = evidence.confidence
    rival = max((one.confidence for one in evidence.alternatives), default=0.0)
    figures = {**confidence, "lead": confidence.get("extractor", 0.0) - rival}
    for name, steps in STEPS.items():
        if name in figures:
            yield name
            yield from (f"{name} {step}" for step in steps if figures[name] >= step)


def _facts(evidence: LeafEvidence) -> Iterator[str]:
    yield f"status {evidence.status}"
    yield f"match {evidence.match}"
    if (adds_up := evidence.confidence.get("arithmetic")) is not None:
        yield "adds up" if adds_up else "is another amount"


def _shape(value: Json) -> str:
    """The kind of a value by its looks: a schema may not say it."""
    if not isinstance(value, str):
        return "a number"
    words = value.split()
    if date_readings(value):
        return "a date"
    if len(words) <= _LONG and number_readings(value):
        return "a number"
    if any(map(str.isdigit, value)) and len(words) <= 1:
        return "a code"
    return "a name" if len(words) <= _LONG else "a text" if len(words) <= _LONGEST else "a long text"


@cache
def _weights() -> Mapping[str, float]:
    text = files("quire.evidence.extract").joinpath("calibration.json").read_text("utf-8")
    return dict(json.loads(text)["weights"])
