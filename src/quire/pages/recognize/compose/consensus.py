"""A majority vote of engines, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import ClassVar

from quire.core.engine import Partial, Question, ReadBlock, ReadLine, Recognition
from quire.core.picture import Picture
from quire.pages.geometry.extents import shared_area
from quire.pages.recognize.compose.children import Composed, all_failed, decode, encode, heard
from quire.pages.recognize.normalize import interpreted, normalize

ReadPart = ReadLine | ReadBlock


@dataclass(frozen=True, slots=True)
class Vote:
    """The reading of one engine in a place: one part, or several joined in `whole`."""

    voter: int
    whole: ReadPart
    pieces: tuple[ReadPart, ...]


@dataclass(frozen=True, slots=True)
class Ballot:
    """One place of the page with the readings of all engines that found something there, in order."""

    votes: tuple[Vote, ...]


@dataclass(frozen=True)
class Consensus(Composed):
    """Asks all engines and takes, for each line, the text that most of them read; on a tie the one most similar to the
    others, then the most confident.

    The confidence of a line is the share of the engines that agree, weighted by the similarity of their texts, times
    their confidence. A line that less than half of them found is left out. Engines that fail do not vote.
    """

    verb: ClassVar[str] = "consensus"

    def ask(self, picture: Picture, question: Question, partial: Partial | None = None) -> bytes:
        replies = [heard(engine, picture, question) for engine in self.engines]
        if all(one.error is not None for one in replies):
            raise all_failed(self.name, replies)
        return encode(replies)

    def interpret(self, answer: bytes, question: Question) -> Sequence[Recognition]:
        agreed = [self._agreed(votes) for votes in self._votes(answer, question)]
        return normalize(agreed, question)

    def _votes(self, answer: bytes, question: Question) -> Iterator[list[Recognition]]:
        """For the page or each region, the readings of the engines."""
        replies, _ = decode(answer, engine=self.name)
        read = [
            interpreted(engine, one.answer, question)
            for engine, one in zip(self.engines, replies, strict=False)
            if one.answer is not None and one.error is None
        ]
        if not read:
            raise all_failed(self.name, replies)
        for at in range(len(read[0])):
            usable = [recognitions[at] for recognitions in read if not recognitions[at].error]
            yield usable or [read[0][at]]

    def _agreed(self, votes: list[Recognition]) -> Recognition:
        seen = [ballot for ballot in _ballots(votes) if 2 * len(ballot.votes) >= len(votes)]
        won = [part for ballot in seen for part in _winner(ballot, len(votes)).pieces]
        lines = tuple(part for part in won if isinstance(part, ReadLine))
        blocks = tuple(part for part in won if isinstance(part, ReadBlock))
        languages = [one.language for one in votes if one.language]
        language = max(languages, key=languages.count) if languages else None
        return replace(votes[0], engine=self.name, lines=lines, blocks=blocks, language=language)


def _ballots(votes: Sequence[Recognition]) -> list[Ballot]:
    """The places of the page. Each is a part that one engine read, with what the others read inside it.

    The widest parts come first: a row that one engine read as a line and another cell by cell is one place.
    """
    left: list[list[ReadPart]] = [[*one.blocks] or [*one.lines] for one in votes]
    order = {id(part): at for at, part in enumerate(part for parts in left for part in parts)}
    frames = sorted(((part, voter) for voter, parts in enumerate(left) for part in parts), key=lambda f: -_width(f[0]))
    taken: set[int] = set()
    ballots: list[tuple[int, Ballot]] = []
    for frame, owner in frames:
        if id(frame) in taken:
            continue
        here = []
        for voter, parts in enumerate(left):
            inside = [part for part in parts if id(part) not in taken and _same_place(part, frame)]
            pieces = [frame] if voter == owner else inside
            if pieces:
                taken.update(map(id, pieces))
                here.append(Vote(voter, _joined(pieces, frame), tuple(pieces)))
        ballots.append((min(order[id(part)] for part in here[0].pieces), Ballot(tuple(here))))
    return [ballot for _, ballot in sorted(ballots, key=lambda pair: pair[0])]


def _width(part: ReadPart) -> float:
    return part.bbox.width if part.bbox else 1.0


def _winner(ballot: Ballot, voters: int) -> Vote:
    parts = [vote.whole for vote in ballot.votes]
    texts = [_plain(part.text) for part in parts]
    alike = [[_similarity(one, other) for other in texts] for one in texts]
    order = sorted(
        range(len(parts)),
        key=lambda at: (texts.count(texts[at]), sum(alike[at]), parts[at].confidence or 0.0),
        reverse=True,
    )
    best = order[0]
    confidences = [
        p.confidence for p, text in zip(parts, texts, strict=True) if text == texts[best] and p.confidence is not None
    ]
    confidence = sum(alike[best]) / voters * (sum(confidences) / len(confidences) if confidences else 1.0)
    sure = round(confidence, 4)
    vote = ballot.votes[best]
    pieces = tuple(replace(part, confidence=sure) for part in vote.pieces)
    return Vote(vote.voter, replace(vote.whole, confidence=sure), pieces)


def _joined(inside: Sequence[ReadPart], frame: ReadPart) -> ReadPart:
    """Join the parts that one engine read where another read a single part."""
    if len(inside) == 1 and isinstance(inside[0], type(frame)):
        return inside[0]
    text = (" " if isinstance(frame, ReadLine) else "\n").join(part.text for part in inside)
    confidences = [part.confidence for part in inside if part.confidence is not None]
    confidence = min(confidences) if confidences else None
    if isinstance(frame, ReadLine):
        return replace(frame, text=" ".join(text.split()), confidence=confidence, words=())
    return replace(frame, text=text, confidence=confidence)


def _same_place(part: ReadPart, frame: ReadPart) -> bool:
    """Whether more than half of the part lies in the frame. Parts without a box are compared by their text."""
    if part.bbox is None or frame.bbox is None:
        return _similarity(_plain(part.text), _plain(frame.text)) > 0.8
    return 2 * shared_area(part.bbox, frame.bbox) > part.bbox.width * part.bbox.height


def _plain(text: str) -> str:
    return " ".join(text.split())


def _similarity(one: str, other: str) -> float:
    return 1.0 if one == other else SequenceMatcher(None, one, other, autojunk=False).ratio()
