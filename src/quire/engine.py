"""The contract of OCR engines and vision models: what they are asked, and what they answer."""

from quire.core.engine import (
    CAPABILITIES,
    Attempt,
    Capability,
    Engine,
    Outcome,
    Partial,
    Policy,
    Provenance,
    Question,
    ReadBlock,
    ReadLine,
    Recognition,
    Tier,
)

__all__ = [
    "CAPABILITIES",
    "Attempt",
    "Capability",
    "Engine",
    "Outcome",
    "Partial",
    "Policy",
    "Provenance",
    "Question",
    "ReadBlock",
    "ReadLine",
    "Recognition",
    "Tier",
]
