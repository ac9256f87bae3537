"""The passages of a document for a language model: all where they fit, else the chunks that say most of the leaves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quire.evidence.catalog.records import EvidenceRecord, SourceCatalog
from quire.evidence.extract.schema import ExtractSchema, LeafSpec

MOST_LEAVES = 200
"""Leaves for which chunks are looked for: more of them want all of the document."""
_HEAD = re.compile(r"\[\S+\]")
_WORDS = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class _Passage:
    """A record, or some lines of a long one, with the number of its block in the document."""

    at: int
    text: str


def parts_of(catalog: SourceCatalog, schema: ExtractSchema, size: int, most: int) -> list[str]:
    """The text for each request: records with their ids, at most `size` characters in each of at most `most` parts."""
    blocks = [one for one in catalog.records if one.level == "block" and one.tier != "semantic" and one.text.strip()]
    passages = [passage for at, record in enumerate(blocks) for passage in _passages(at, record, size)]
    parts = _packed(passages, size)
    if len(parts) > most:
        wanted = _chosen(catalog, schema, blocks, passages, size * most)
        parts = _packed([one for one in passages if one.at in wanted], size)[:most]
    return parts


def _passages(at: int, record: EvidenceRecord, size: int) -> Iterator[_Passage]:
    head = f"[{record.id}]\n"
    room = max(size - len(head), 1)
    lines: list[str] = []
    whole = [_no_head(line) for line in record.text.split("\n")]
    for line in (one[begin : begin + room] for one in whole for begin in range(0, len(one), room)):
        if lines and sum(map(len, lines)) + len(lines) + len(line) > room:
            yield _Passage(at, head + "\n".join(lines))
            lines = []
        lines.append(line)
    if lines:
        yield _Passage(at, head + "\n".join(lines))


def _no_head(line: str) -> str:
    """A line of a record that looks like the head of another one, moved in: only heads begin at the margin."""
    return f" {line}" if _HEAD.fullmatch(line) else line


def _packed(passages: Sequence[_Passage], size: int) -> list[str]:
    parts: list[str] = []
    for passage in passages:
        if parts and len(parts[-1]) + len(passage.text) + 1 <= size:
            parts[-1] += f"\n{passage.text}"
        else:
            parts.append(passage.text)
    return parts


def halved(part: str, catalog: SourceCatalog) -> tuple[str, str] | None:
    """A part in two, between records, or within its only one; None for one that cannot be divided."""
    lines = part.split("\n")
    heads = [at for at, line in enumerate(lines) if line[1:-1] in catalog.by_id and line == f"[{line[1:-1]}]"]
    places = heads[1:] or range(2, len(lines))
    middle = len(part) / 2
    at = min(places, key=lambda place: abs(len("\n".join(lines[:place])) - middle), default=None)
    if at is None:
        return None
    again = [] if at in heads else lines[:1]
    return "\n".join(lines[:at]), "\n".join([*again, *lines[at:]])


def _chosen(
    catalog: SourceCatalog,
    schema: ExtractSchema,
    blocks: Sequence[EvidenceRecord],
    passages: Sequence[_Passage],
    room: int,
) -> set[int]:
    """The numbers of the blocks that fit: for each leaf in turn those of its best chunk, then of its second one."""
    number = {record.id: at for at, record in enumerate(blocks)}
    sizes: Counter[int] = Counter()
    for passage in passages:
        sizes[passage.at] += len(passage.text) + 1
    chunks = [record for record in catalog.records if record.level == "chunk"]
    ranked = _ranked(schema, chunks)
    chosen: set[int] = set()
    for place in range(len(chunks)):
        for order in ranked:
            inside = [number[name] for name in chunks[order[place]].blocks if name in number]
            room -= sum(sizes[at] for at in inside if at not in chosen)
            if room < 0:
                return chosen or {*inside[:1]}
            chosen.update(inside)
    return chosen


def _ranked(schema: ExtractSchema, chunks: Sequence[EvidenceRecord]) -> list[list[int]]:
    """For each leaf the chunks in the order of what they say about it; those on its pages first."""
    from quire.retrieval.search.lexical_ranking import LexicalRanking

    ranking = LexicalRanking([chunk.text for chunk in chunks])
    ranked: dict[tuple[str, tuple[int, ...]], list[int]] = {}
    for leaf in schema.leaves[:MOST_LEAVES]:
        words = _described(leaf)
        if (words, leaf.pages) in ranked:
            continue
        scores = ranking.scores(words)
        hinted = [any(place.page in leaf.pages for place in chunk.places) for chunk in chunks]
        order = sorted(range(len(chunks)), key=lambda at: (not hinted[at], -scores[at], at))
        ranked[words, leaf.pages] = order
    return list(ranked.values())


def _described(leaf: LeafSpec) -> str:
    """The words that say what a leaf is, without signs, which would be filters of a query."""
    text = " ".join((leaf.path.replace("_", " "), leaf.title, leaf.description, *leaf.aliases, leaf.unit))
    return " ".join(dict.fromkeys(_WORDS.findall(text)))
