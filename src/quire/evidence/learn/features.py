"""Features of the choices of a document, as numbers: hashes of short texts, so that a model holds no text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from zlib import crc32

from quire.evidence.extract.candidates import Candidate
from quire.evidence.learn.choices import LeafChoice

FeatureIds = tuple[int, ...]
MOST_TOKENS = 12
REMEMBERED = 4096  # texts: those around the candidates of some pages
_TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")
_AROUND = (("l", "left"), ("a", "above"), ("r", "row_head"), ("c", "column_head"), ("b", "before"), ("s", "section"))
_NUMERIC = ("amount", "number")


def feature(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"))


def tokens(text: str) -> list[str]:
    """Words in lower case, digits as signs, punctuation."""
    return ["#" * min(len(one), 4) if one.isdigit() else one.casefold() for one in _TOKEN.findall(text[-200:])]


class DescribedCandidates:
    """The features of candidates that are the same for every leaf."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._candidates = candidates
        self._at = {id(one): at for at, one in enumerate(candidates)}
        self._last = max((one.order for one in candidates), default=0) + 1
        self._of_kind: dict[str, int] = defaultdict(int)
        self._places = []
        for one in candidates:
            self._places.append(self._of_kind[one.kind])
            self._of_kind[one.kind] += 1
        amounts = {one.value for one in candidates if one.kind in _NUMERIC and isinstance(one.value, (int, float))}
        self._sizes = {value: min(at, 5) for at, value in enumerate(sorted(amounts, reverse=True))}
        self._times = Counter((one.kind, str(one.value)) for one in candidates)
        self._found: dict[int, FeatureIds] = {}

    def __contains__(self, candidate: Candidate) -> bool:
        return id(candidate) in self._at

    def __getitem__(self, candidate: Candidate) -> FeatureIds:
        at = self._at[id(candidate)]
        found = self._found.get(at)
        if found is None:
            found = self._found[at] = self._described(at)
        return found

    def _described(self, at: int) -> FeatureIds:
        one, place = self._candidates[at], self._places[at]
        names = [
            *_position(one, place, self._of_kind[one.kind] - 1 - place, self._last),
            f"times={one.kind},{min(self._times[one.kind, str(one.value)], 5)}",
        ]
        if one.kind in _NUMERIC and isinstance(one.value, (int, float)):
            names.append(f"size={self._sizes[one.value]}")
        return tuple(dict.fromkeys((*_around(one), *_text(one.text), *map(feature, names))))


def ruled(choice: LeafChoice) -> Iterator[str]:
    """The proposals for the leaf without anything learnt."""
    if choice.rank is not None and choice.proposal is not None:
        yield f"rule={min(choice.rank, 4)}"
        yield f"rule={choice.proposal.extractor},{min(choice.rank, 2)}"
        yield f"sure={min(choice.rank, 2)},{int(choice.proposal.confidence * 5)}"
    elif choice.echoes is not None:
        yield f"echo={min(choice.echoes, 3)}"


def nothing(choices: Sequence[LeafChoice]) -> list[str]:
    """The features of the choice that the document does not have the value."""
    best = max((one.proposal.confidence for one in choices if one.proposal and one.rank == 0), default=None)
    return ["none", "none=unproposed" if best is None else f"none={int(best * 5)}"]


PRIOR = {
    feature(name): weight
    for name, weight in {
        "rule=0": 4.0,
        "rule=1": 2.0,
        "rule=2": 1.0,
        "rule=3": 0.5,
        "echo=0": 2.0,
        "echo=1": 1.0,
        "none": 3.0,
        "none=unproposed": 2.0,
    }.items()
}
"""The weights before anything is learnt, by which the rules are right."""


def _around(one: Candidate) -> Iterator[int]:
    for short, name in _AROUND:
        yield from _said(short, getattr(one, name))
    yield from _following(one.after[:60])
    yield from _label(one.before or one.left or one.row_head)


@lru_cache(maxsize=REMEMBERED)
def _said(short: str, text: str) -> tuple[int, ...]:
    """The features of a text around; many candidates have the same."""
    words = tokens(text)[-6:]
    return _features([*(f"{short}:{word}" for word in words), f"{short}={' '.join(words)}"])


@lru_cache(maxsize=REMEMBERED)
def _following(text: str) -> tuple[int, ...]:
    words = tokens(text)[:4]
    return _features([*(f"n:{word}" for word in words), f"n={' '.join(words)}"])


@lru_cache(maxsize=REMEMBERED)
def _label(text: str) -> tuple[int, ...]:
    label = tokens(text)[-4:]
    pairs = (f"L2={' '.join(label[at : at + 2])}" for at in range(len(label) - 1))
    return _features([*(f"L:{word}" for word in label), *pairs, f"L={' '.join(label)}"])


@lru_cache(maxsize=REMEMBERED)
def _text(text: str) -> tuple[int, ...]:
    words = tokens(text)
    names = [f"t:{word}" for word in words[:MOST_TOKENS]]
    if words:
        names += [f"first={words[0]}", f"last={words[-1]}"]
    names += [f"shape={_shape(text)}", f"words={min(len(words), 12)}", f"length={min(len(text) // 6, 12)}"]
    return _features([*names, f"lines={text.count(chr(10))}"])


def _features(names: Iterable[str]) -> tuple[int, ...]:
    return tuple(map(feature, names))


def _position(one: Candidate, place: int, behind: int, last: int) -> Iterator[str]:
    kind = one.kind
    yield f"kind={kind}"
    yield f"kind={kind},{one.origin}"
    yield f"origin={one.origin}"
    yield f"place={kind},{min(place, 6)}"
    yield f"behind={kind},{min(behind, 6)}"
    yield f"top={kind},{_part(one.bbox.top, 8)}"
    yield f"left={kind},{_part(one.bbox.left, 4)}"
    yield f"page={kind},{min(one.page, 3)}"
    yield f"order={_part(one.order / last, 10)}"
    yield f"type={round(min(one.size, 3) * 4)}"
    yield f"bold={one.bold}"


def _part(share: float, parts: int) -> int:
    return int(min(max(share, 0.0), 0.999) * parts)


def _shape(text: str) -> str:
    return re.sub(r"[A-Z]+", "A", re.sub(r"[a-z]+", "a", re.sub(r"\d", "9", text[:40])))[:14]
