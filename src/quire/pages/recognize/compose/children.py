"""Shared code of composers: the properties of a group of engines, and an answer that contains the answers of all."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from quire.core.engine import Capability, Engine, Partial, Policy, Question, identity_of
from quire.core.errors import ConfigurationError, EngineError
from quire.core.keys import Digest, Profile
from quire.core.picture import Picture
from quire.pages.recognize.normalize import interpreted
from quire.system.awaited import settled


@dataclass(frozen=True, slots=True)
class ComposedProfile(Profile):
    """The settings of all children, and the composer's own."""

    children: tuple[tuple[str, str, Digest], ...]
    settings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Composed:
    """An engine made of engines. It has the capabilities that all of them share; its timeout is the sum of theirs.

    It runs where its most demanding child must: in a worker process unless all of them only wait for the network.
    """

    engines: tuple[Engine, ...]
    version = "1"  # the versions of the children are part of the profile
    verb: ClassVar[str]

    def __post_init__(self) -> None:
        if not self.engines:
            raise ConfigurationError(f"{self.verb} needs at least one engine")

    @property
    def settings(self) -> tuple[str, ...]:
        return ()

    @property
    def name(self) -> str:
        return f"{self.verb}({','.join(engine.name for engine in self.engines)})"

    @property
    def identity(self) -> str:
        return f"{self.verb}({','.join(map(identity_of, self.engines))})"

    @property
    def capabilities(self) -> frozenset[Capability]:
        every = frozenset.intersection(*(engine.capabilities for engine in self.engines))
        return every | hinted(self.engines)

    @property
    def languages(self) -> frozenset[str] | None:
        limited = [engine.languages for engine in self.engines if engine.languages is not None]
        return frozenset.intersection(*limited) if limited else None

    @property
    def policy(self) -> Policy:
        policies = [engine.policy for engine in self.engines]
        return "cpu" if "cpu" in policies else "gpu" if "gpu" in policies else "io"

    @property
    def timeout_s(self) -> float:
        return sum(engine.timeout_s for engine in self.engines)

    @property
    def max_concurrency(self) -> int:
        return min(engine.max_concurrency for engine in self.engines)

    @property
    def profile(self) -> ComposedProfile:
        children = tuple((identity_of(engine), engine.version, engine.profile.digest()) for engine in self.engines)
        return ComposedProfile(children, self.settings)


@dataclass(frozen=True, slots=True)
class Reply:
    """The raw answer of one child, or its error."""

    engine: str
    answer: bytes | None = None
    error: str | None = None


def heard(engine: Engine, picture: Picture, question: Question, partial: Partial | None = None) -> Reply:
    """Asks one child. Any exception is its failure; an answer that cannot be interpreted is kept as well."""
    answer = None
    try:
        answer = settled(engine.ask(picture, question, partial))
        interpreted(engine, answer, question)
    except Exception as error:
        reason = str(error).removeprefix(f"{engine.name}: ") or type(error).__name__
        return Reply(engine.name, answer, reason)
    return Reply(engine.name, answer)


def hinted(engines: Sequence[Engine]) -> frozenset[Capability]:
    """`hints` when one of the engines uses them: its answer, and so that of all of them, depends on the hints."""
    return frozenset({"hints"}) if any("hints" in engine.capabilities for engine in engines) else frozenset()


def encode(replies: Sequence[Reply], *, regions: object = None) -> bytes:
    children = [[one.engine, one.answer and base64.b64encode(one.answer).decode(), one.error] for one in replies]
    return json.dumps({"children": children, "asked": regions}, separators=(",", ":")).encode()


def decode(answer: bytes, *, engine: str) -> tuple[list[Reply], object]:
    """Deserialise the output of `encode`. Raises EngineError for anything else."""
    try:
        found = json.loads(answer)
        replies = [
            Reply(str(name), base64.b64decode(raw) if raw is not None else None, error)
            for name, raw, error in found["children"]
        ]
        return replies, found["asked"]
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise EngineError(engine, "the answer is not one of a composed engine") from error


def all_failed(engine: str, replies: Sequence[Reply]) -> EngineError:
    return EngineError(engine, "; ".join(f"{one.engine}: {one.error}" for one in replies) or "no engine was asked")
