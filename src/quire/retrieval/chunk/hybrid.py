"""Elements cut and joined by tokens: nothing longer than a model takes, nothing much shorter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, takewhile

from quire.core.errors import UsageError
from quire.core.types import Block
from quire.output.export._flow import flow
from quire.retrieval.chunk.chunk_values import ChunkOptions
from quire.retrieval.chunk.elements import Element, Piece, joined, text_piece
from quire.retrieval.chunk.text_splitter import longest_runs, split
from quire.retrieval.chunk.tokenizers import Tokenizer


def context(headings: Sequence[Block]) -> str:
    """The headings above a text, one per line."""
    return "".join(f"{flow(heading.text)}\n" for heading in headings)


class HybridChunker:
    """Cuts and joins elements. What counts is the text with its headings, as it is embedded."""

    def __init__(self, options: ChunkOptions, tokenizer: Tokenizer) -> None:
        most = options.max_tokens or tokenizer.max_tokens
        if most is None:
            raise UsageError(f"the tokenizer {options.tokenizer} does not say how many tokens fit; give max_tokens")
        self.max_tokens = most
        self._options = options
        self._count = tokenizer.count
        self._contexts: dict[tuple[str, ...], str] = {}

    def elements(self, found: Sequence[Element]) -> list[Element]:
        parts = [part for element in found for part in self._split(element)]
        if self._options.merge_peers:
            parts = [merged for _, peers in groupby(parts, _path) for merged in self._merged(list(peers))]
        return self._coalesced(parts) if self._options.min_tokens else parts

    def text(self, element: Element) -> str:
        """The text to embed: as many headings as fit into half of it, the nearest first, and the body."""
        return self._context(element.headings) + element.text

    def tokens(self, element: Element) -> int:
        return self._count(self.text(element))

    def _context(self, headings: Sequence[Block]) -> str:
        key = tuple(heading.id for heading in headings)
        if key not in self._contexts:
            kept = headings
            while kept and self._count(context(kept)) > self.max_tokens // 2:
                kept = kept[1:]
            self._contexts[key] = context(kept)
        return self._contexts[key]

    def _room(self, headings: tuple[Block, ...]) -> int:
        return self.max_tokens - self._count(self._context(headings))

    def _fits(self, headings: tuple[Block, ...], text: str, margin: int = 0) -> bool:
        return self._count(self._context(headings) + text) <= self.max_tokens - margin

    def _split(self, element: Element) -> list[Element]:
        """One element, or as many as it needs: cut between its pieces, and inside those that are too long."""
        if self._fits(element.headings, element.text):
            return [element]
        pieces = [cut for piece in self._with_short_heads(element) for cut in self._cut(piece, element.headings)]
        sizes = [self._count(piece.text) for piece in pieces]
        room = self._room(element.headings) - self._count(pieces[-1].head)
        runs = longest_runs(sizes, room, lambda a, b: self._fits(element.headings, joined(pieces[a : b + 1])))
        return [replace(element, pieces=tuple(pieces[a : b + 1])) for a, b in runs]

    def _with_short_heads(self, element: Element) -> Iterator[Piece]:
        """A head that takes more than half of a chunk is not repeated, but a row like any other."""
        last_head = ""
        for piece in element.pieces:
            if not piece.head or self._count(self._context(element.headings) + piece.head) <= self.max_tokens // 2:
                yield piece
                continue
            row = replace(piece, head="", before="\n")
            if piece.head != last_head:
                end = piece.start + len(piece.head)
                yield replace(piece, text=piece.head, head="", end=end)
                row = replace(row, start=end + 1)
            last_head = piece.head
            yield row

    def _cut(self, piece: Piece, headings: tuple[Block, ...]) -> Iterator[Piece]:
        head = f"{piece.head}\n" if piece.head else ""
        if self._fits(headings, head + piece.text):
            yield piece
            return
        begin, previous = piece.end - len(piece.text), 0
        above = self._context(headings) + head
        for start, end in split(piece.text, lambda text: self._count(above + text), self.max_tokens):
            before = piece.text[previous:start] if previous else piece.before
            first = piece.start if start == 0 else begin + start
            yield replace(piece, text=piece.text[start:end], before=before, start=first, end=begin + end)
            previous = end

    def _merged(self, peers: Sequence[Element]) -> Iterator[Element]:
        """Neighbours under the same headings, together as long as they fit."""
        headings = peers[0].headings
        sizes = [self._count(peer.text) for peer in peers]
        runs = longest_runs(
            sizes, self._room(headings), lambda a, b: self._fits(headings, _pieces_text(peers[a : b + 1]))
        )
        for a, b in runs:
            yield replace(peers[a], pieces=tuple(piece for peer in peers[a : b + 1] for piece in peer.pieces))

    def _coalesced(self, parts: Sequence[Element]) -> list[Element]:
        """Parts with too few tokens joined with the next one, or else with the one before, also across a heading."""
        onwards: list[Element] = []
        for part in parts:
            if onwards and self._is_small(onwards[-1]) and (both := self._across(onwards[-1], part)):
                onwards[-1] = both
            else:
                onwards.append(part)
        back: list[Element] = []
        for part in onwards:
            if back and self._is_small(part) and (both := self._across(back[-1], part)):
                back[-1] = both
            else:
                back.append(part)
        return back

    def _is_small(self, part: Element) -> bool:
        return self.tokens(part) < self._options.min_tokens

    def _across(self, first: Element, second: Element) -> Element | None:
        """Both under the headings that they share, the other headings in the text; None where that is too long."""
        pairs = zip(first.headings, second.headings, strict=False)
        shared = tuple(one for one, _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
        pieces = (*_with_own_headings(first, len(shared)), *_with_own_headings(second, len(shared)))
        both = Element(pieces, shared)
        margin = 0 if _path(first) == _path(second) else self._options.soft_margin
        return both if self._fits(shared, both.text, margin) else None


def _path(element: Element) -> tuple[str, ...]:
    return tuple(heading.id for heading in element.headings)


def _pieces_text(peers: Sequence[Element]) -> str:
    return joined([piece for peer in peers for piece in peer.pieces])


def _with_own_headings(element: Element, shared: int) -> tuple[Piece, ...]:
    start = element.pieces[0].start
    own = (replace(text_piece(heading), start=start, end=start) for heading in element.headings[shared:])
    return (*own, *element.pieces)
