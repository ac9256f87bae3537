"""What is known about the choices of a document, as numbers: hashes of short texts, so that a model holds no text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from zlib import crc32

from quire.extract.candidates import Candidate
from quire.learn.choices import LeafChoice

FeatureIds = list[int]
MOST_TOKENS = 12
_TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")
_AROUND = (("l", "left"), ("a", "above"), ("r", "row_head"), ("c", "column_head"), ("b", "before"), ("s", "section"))
_NUMERIC = ("amount", "number")


def feature(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"))


def tokens(text: str) -> list[str]:
    """Words in lower case, digits as signs, punctuation."""
    return ["#" * min(len(one), 4) if one.isdigit() else one.casefold() for one in _TOKEN.findall(text[-200:])]


def described(candidates: Sequence[Candidate]) -> list[FeatureIds]:
    """The features of candidates that are the same for every leaf."""
    last = max((one.order for one in candidates), default=0) + 1
    of_kind: dict[str, int] = Counter(one.kind for one in candidates)
    seen: dict[str, int] = defaultdict(int)
    amounts = {one.value for one in candidates if one.kind in _NUMERIC and isinstance(one.value, (int, float))}
    sizes = {value: min(at, 5) for at, value in enumerate(sorted(amounts, reverse=True))}
    times = Counter((one.kind, str(one.value)) for one in candidates)
    found = []
    for one in candidates:
        place = seen[one.kind]
        seen[one.kind] += 1
        names = [
            *_around(one),
            *_text(one),
            *_position(one, place, of_kind[one.kind] - 1 - place, last),
            f"times={one.kind},{min(times[one.kind, str(one.value)], 5)}",
        ]
        if one.kind in _NUMERIC and isinstance(one.value, (int, float)):
            names.append(f"size={sizes[one.value]}")
        found.append([feature(name) for name in dict.fromkeys(names)])
    return found


def ruled(choice: LeafChoice) -> Iterator[str]:
    """What is proposed for the leaf without anything learnt."""
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
"""What is assumed before anything is learnt: that the rules are right."""


def _around(one: Candidate) -> Iterator[str]:
    for short, name in _AROUND:
        words = tokens(getattr(one, name))[-6:]
        yield from (f"{short}:{word}" for word in words)
        yield f"{short}={' '.join(words)}"
    words = tokens(one.after[:60])[:4]
    yield from (f"n:{word}" for word in words)
    yield f"n={' '.join(words)}"
    label = tokens(one.before or one.left or one.row_head)[-4:]
    yield from (f"L:{word}" for word in label)
    yield from (f"L2={' '.join(label[at : at + 2])}" for at in range(len(label) - 1))
    yield f"L={' '.join(label)}"


def _text(one: Candidate) -> Iterator[str]:
    words = tokens(one.text)
    yield from (f"t:{word}" for word in words[:MOST_TOKENS])
    if words:
        yield f"first={words[0]}"
        yield f"last={words[-1]}"
    yield f"shape={_shape(one.text)}"
    yield f"words={min(len(words), 12)}"
    yield f"length={min(len(one.text) // 6, 12)}"
    yield f"lines={one.text.count(chr(10))}"


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
