"""The first engine that answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from quire.core.engine import Partial, Question, Recognition
from quire.core.picture import Picture
from quire.pages.recognize.compose.children import Composed, all_failed, decode, encode, heard
from quire.pages.recognize.normalize import interpreted


@dataclass(frozen=True)
class Fallback(Composed):
    """Asks one engine after the other until one returns a valid answer.

    The recognition names the engine that answered. The answers before it are kept, with the reasons they failed.
    """

    verb: ClassVar[str] = "fallback"

    def ask(self, picture: Picture, question: Question, partial: Partial | None = None) -> bytes:
        replies = []
        for engine in self.engines:
            replies.append(heard(engine, picture, question, partial))
            if replies[-1].error is None:
                return encode(replies)
        raise all_failed(self.name, replies)

    def interpret(self, answer: bytes, question: Question) -> Sequence[Recognition]:
        replies, _ = decode(answer, engine=self.name)
        for engine, one in zip(self.engines, replies, strict=False):
            if one.answer is not None and one.error is None:
                return interpreted(engine, one.answer, question)
        raise all_failed(self.name, replies)
