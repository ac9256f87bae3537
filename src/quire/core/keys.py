"""Keys of artifacts: derived from the stage, its code version, the input bytes and the settings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import NewType

Digest = NewType("Digest", str)
"""sha256 of some bytes, in hexadecimal."""

ArtifactKey = NewType("ArtifactKey", str)
"""Digest of stage, version, input digests and profile: the identity of an artifact before it exists."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The settings of a stage that change its output, and nothing else. Subclass it with frozen fields."""

    def digest(self) -> Digest:
        return digest_of(_plain(self))


def digest_bytes(data: bytes | bytearray | memoryview) -> Digest:
    return Digest(hashlib.sha256(data).hexdigest())


def digest_of(value: object) -> Digest:
    """Digest of a JSON value, independent of the order of its keys."""
    return digest_bytes(_bytes(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)))


def artifact_key(stage: str, version: str, inputs: Sequence[str], profile: Digest) -> ArtifactKey:
    """The key of the artifact that `stage` makes from `inputs`, in order, with the profile of that digest."""
    joined = "\0".join((stage, version, profile, *inputs))
    return ArtifactKey(hashlib.sha256(_bytes(joined)).hexdigest())


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # file names may not be valid text


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        named = {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
        return {"profile": type(value).__name__, **named}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return value
