"""Search: share of the pages with the evidence among the first pages that are found for a question.

`finance-qa` has 29 questions about ten reports, `doc-qa` 67 about eleven documents, with answers in charts as well. A
question is asked of its own document, in an index of all of them; the pages count in the order of their best hits. In
the same run: BM25 over the words of pages, and the default model over the default chunks, without anything else; and
the search by words alone, and with the default reranker if it was fetched.
Both halves of the questions, by even and odd numbers, are shown to judge how much is chance: the ranking was made with
all of them in view.

What was read, cut and embedded is kept in a folder for temporary files and used again by the next run.
"""

from __future__ import annotations

import json
import math
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import quire
from benchmarks.corpus import CORPUS, pdfs
from benchmarks.report import LeftOut, Options, Report, Table, goal
from quire.asking import Asker
from quire.core.errors import ConfigurationError
from quire.durable.document_index import Index
from quire.durable.indexing.store_index import open_indexes
from quire.retrieval.chunk.rows import ChunkRow, rows
from quire.retrieval.embed.batches import dense_vectors
from quire.retrieval.embed.codec import decode_dense
from quire.retrieval.embed.cross_encoder import MS_MARCO
from quire.retrieval.embed.embedder_registry import find_embedder, find_reranker
from quire.retrieval.search.backend import IndexBackend
from quire.retrieval.search.chunk_places import main_page
from quire.retrieval.search.index_search import SearchOptions, search
from quire.retrieval.search.query import SearchFilter
from quire.store.opening import open_store

SETS = ("finance-qa", "doc-qa")
CUTS = (1, 3, 10)
GOALS = {("finance-qa", 1): 0.45, ("finance-qa", 3): 0.65, ("finance-qa", 10): 0.85}
GOALS |= {("doc-qa", 1): 0.45, ("doc-qa", 10): 0.85}
STORE = Path(tempfile.gettempdir(), "quire-bench-retrieval")
DEEPEST = 20
_WORD = re.compile(r"\w+")


class Asked(NamedTuple):
    name: str
    number: int
    path: Path
    question: str
    pages: frozenset[int]


Ranking = Callable[[Asked], Sequence[int]]


def run(options: Options) -> Report:
    questions, report = [], Report("Retrieval")
    for name in SETS:
        try:
            pdfs(name)
        except LeftOut as reason:
            report.notes.append(f"**{name} is left out**: {reason}.")
            continue
        asked = _questions(name)
        questions += asked[:: len(asked) // 4] if options.quick else asked
    if not questions:
        raise LeftOut("; ".join(report.notes))
    paths = sorted({asked.path for asked in questions})
    with Index(STORE) as index:
        index.add(*paths)
        rankings = _rankings(index)
        found = {system: {asked: list(ranking(asked)) for asked in questions} for system, ranking in rankings.items()}
    report.tables = [
        _recalls(name, questions, found) for name in SETS if any(asked.name == name for asked in questions)
    ]
    report.data = {
        system: {f"{asked.name}/{asked.number}": pages for asked, pages in ranked.items()}
        for system, ranked in found.items()
    }
    return report


def _questions(name: str) -> list[Asked]:
    lines = (CORPUS / name / "truth.jsonl").read_text().splitlines()
    truths = [json.loads(line) for line in lines]
    return [
        Asked(name, number, CORPUS / name / truth["file"], truth["question"], _evidence(truth))
        for number, truth in enumerate(truths)
    ]


def _evidence(truth: dict[str, list[dict[str, int]]]) -> frozenset[int]:
    return frozenset(place["page"] for place in truth["evidence"])


def _rankings(index: Index) -> dict[str, Ranking]:
    def ours(asked: Asked, rerank: str | None = None) -> list[int]:
        hits = index.search(asked.question, k=DEEPEST, filters=SearchFilter(folders=(str(asked.path),)), rerank=rerank)
        return list(dict.fromkeys(hit.page for hit in hits))

    rankings: dict[str, Ranking] = {"BM25 over pages": _bm25, "MiniLM over chunks": _nearest}
    rankings |= {"Quire, words alone": _by_words, "Quire": ours}
    try:
        find_reranker()
    except ConfigurationError:
        return rankings
    return rankings | {"Quire, reranked": partial(ours, rerank=MS_MARCO)}


def _recalls(name: str, questions: Sequence[Asked], found: dict[str, dict[Asked, list[int]]]) -> Table:
    chosen = [asked for asked in questions if asked.name == name]
    halves = {
        "all": chosen,
        "even": [a for a in chosen if a.number % 2 == 0],
        "odd": [a for a in chosen if a.number % 2],
    }
    table: list[list[object]] = []
    for system, ranked in found.items():
        for half, some in halves.items():
            means = [_mean([_recall(asked.pages, ranked[asked][:cut]) for asked in some]) for cut in CUTS]
            table.append([system, half, len(some), *means])
    best = [_mean([min(1.0, cut / len(asked.pages)) for asked in chosen]) for cut in CUTS]
    table.append(["the most that can be reached", "all", len(chosen), *best])
    asked_for = [goal(None, GOALS[name, cut])[0] if (name, cut) in GOALS else None for cut in CUTS]
    table.append(["asked for", "all", len(chosen), *asked_for])
    return Table(["system", "questions", "n", *(f"recall@{cut}" for cut in CUTS)], table, name)


def _recall(wanted: frozenset[int], pages: Sequence[int]) -> float:
    return len(wanted.intersection(pages)) / len(wanted)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


@cache
def _read(path: Path) -> quire.DocumentResult:
    return quire.read(str(path), store=str(STORE))


def _bm25(asked: Asked) -> list[int]:
    """The textbook: words in lower case, k1 1.5, b 0.75, documents are the pages of the report."""
    texts: dict[int, list[str]] = defaultdict(list)
    for block in _read(asked.path).blocks:
        texts[block.page].append(block.text)
    pages = {page: Counter(_WORD.findall(" ".join(parts).lower())) for page, parts in texts.items()}
    mean = _mean([words.total() for words in pages.values()])
    scores = dict.fromkeys(pages, 0.0)
    for word in {*_WORD.findall(asked.question.lower())}:
        having = sum(word in words for words in pages.values())
        weight = math.log(1 + (len(pages) - having + 0.5) / (having + 0.5))
        for page, words in pages.items():
            held = 1.5 * (0.25 + 0.75 * words.total() / mean)
            scores[page] += weight * words[word] * 2.5 / (words[word] + held)
    return sorted(scores, key=lambda page: (-scores[page], page))


def _by_words(asked: Asked) -> list[int]:
    """The same search without the vectors of the index."""
    filters = SearchFilter(folders=(str(asked.path),))
    hits = search(_version(), asked.question, filters=filters, options=SearchOptions(k=DEEPEST))
    return list(dict.fromkeys(hit.page for hit in hits))


@cache
def _version() -> IndexBackend:
    found = open_indexes(open_store(str(STORE))).open()
    assert found is not None
    return found


def _nearest(asked: Asked) -> list[int]:
    """Pages by their best chunk."""
    cut, vectors = _embedded(asked.path)
    embedder = _embedder()
    near = vectors @ decode_dense(embedder.embed([asked.question], "query"))[0]
    return list(dict.fromkeys(main_page(cut[number]) for number in np.argsort(-near, kind="stable")))


@cache
def _embedded(path: Path) -> tuple[list[ChunkRow], np.ndarray]:
    document = _read(path)
    cut = rows(document, document.chunks())
    store = open_store(str(STORE))
    try:
        asker = Asker(store, document=document.id, check=lambda: None, tell=lambda *_, **__: None)
        return cut, dense_vectors([row["text"] for row in cut], _embedder(), asker)
    finally:
        store.close()


@cache
def _embedder():
    try:
        found = find_embedder()
    except ConfigurationError as error:
        raise LeftOut(str(error)) from error
    assert found is not None
    return found
