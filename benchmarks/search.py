"""Speed of search: lexical indexing, searches by one client and by eight, memory, and the size of the index.

The index is made: words with the frequencies of a language, pages of five chunks of 120 words, documents of 40 pages,
vectors of 384 dimensions around 500 topics. `--chunks N` sets its size. Another process fills it, so that the memory is
that of searching alone. The vectors of the queries are given: what embedding one costs is a figure of its own.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from benchmarks.items import peak_mb
from benchmarks.report import Options, Report, Table, goal
from quire.core.errors import ConfigurationError
from quire.lexicon.terms import terms
from quire.retrieval.chunk.rows import ChunkRow
from quire.retrieval.embed.embedder_registry import find_embedder
from quire.retrieval.search.backend import IndexProfile
from quire.retrieval.search.hits import IndexedChunk, IndexedDocument
from quire.retrieval.search.index_search import SearchOptions, search
from quire.retrieval.search.sqlite_index import SqliteIndexes

CHUNKS, QUICK = 100_000, 5_000
WORDS, PER_PAGE, PER_DOCUMENT = 120, 5, 200
VOCABULARY, TOPICS, DIMENSION = 50_000, 500, 384
CLIENTS, SEARCHES = 8, 200
LEXICAL = 10_000
"""Chunks of the index of words alone, whose filling is timed."""
MEDIAN_MS, P95_MS, MEMORY_MB, PER_SECOND = 30, 100, 300, 5000


def run(options: Options) -> Report:
    chunks = options.chunks or (QUICK if options.quick else CHUNKS)
    report = Report(f"Search over {chunks:,} chunks")
    with tempfile.TemporaryDirectory(prefix="quire-bench-") as folder:
        file = Path(folder, "search.sqlite3")
        context = multiprocessing.get_context("spawn")
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_fill, args=(file, chunks, min(LEXICAL, chunks), sender))
        process.start()
        try:
            costs: dict[str, float] = receiver.recv()
        finally:
            process.join()
        alone, together = _searched(file, 1), _searched(file, CLIENTS)
        memory, size = peak_mb(), file.stat().st_size
    rate = costs["lexical chunks"] / costs["lexical CPU s"]
    rows: list[list[object]] = [
        ["terms, CPU ms per chunk of 120 words", costs["terms CPU ms"], *goal(costs["terms CPU ms"], 0.25, most=True)],
        ["lexical indexing, chunks per CPU s", rate, *goal(rate, PER_SECOND, digits=0)],
        ["one client, median ms", _median(alone), *goal(_median(alone), MEDIAN_MS, most=True, digits=0)],
        ["one client, p95 ms", _p95(alone), *goal(_p95(alone), P95_MS, most=True, digits=0)],
        ["one client, CPU ms per search", _cpu_ms(alone), None, None],
        [f"{CLIENTS} clients, median ms", _median(together), *goal(_median(together), MEDIAN_MS, most=True, digits=0)],
        [f"{CLIENTS} clients, p95 ms", _p95(together), *goal(_p95(together), P95_MS, most=True, digits=0)],
        ["peak memory of the process, MB", memory, *goal(memory, MEMORY_MB, most=True, digits=0)],
        ["index, bytes per chunk", size / chunks, None, None],
    ]
    if (embedding := _embedding_ms()) is not None:
        rows.append(["embedding a query, CPU ms", embedding, None, None])
    report.tables = [Table(["what", "measured", "asked for", "reached"], rows)]
    report.notes.append("Wall times need a quiet machine; CPU times suffer less.")
    report.believable = os.getloadavg()[0] <= CLIENTS  # this benchmark itself keeps as many busy
    return report


Searched = tuple[list[float], float]
"""Milliseconds of each search, and CPU milliseconds of one on average."""


def _searched(file: Path, clients: int) -> Searched:
    index = SqliteIndexes(file).open()
    assert index is not None
    random = np.random.default_rng(7)
    words, topics = _vocabulary(), _topics()
    queries = [
        (" ".join(_drawn(random, words, 5)), topics[random.integers(TOPICS)] + random.normal(0, 0.02, DIMENSION))
        for _ in range(SEARCHES)
    ]

    def one(query: tuple[str, np.ndarray]) -> float:
        begun = time.perf_counter()
        search(index, query[0], embed=lambda _: _unit(query[1]), options=SearchOptions(k=10))
        return (time.perf_counter() - begun) * 1000

    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(one, queries[: 2 * clients]))  # loads what stays in memory
        before = time.process_time()
        times = list(pool.map(one, queries))
        return times, (time.process_time() - before) * 1000 / len(times)


def _cpu_ms(searched: Searched) -> float:
    return searched[1]


def _median(searched: Searched) -> float:
    return statistics.median(searched[0])


def _p95(searched: Searched) -> float:
    return statistics.quantiles(searched[0], n=20)[-1]


def _fill(file: Path, chunks: int, lexical: int, sender) -> None:
    """In a process of its own: fill an index of words alone, timed, and the one that is searched."""
    plain = SqliteIndexes(file.with_name("words.sqlite3")).make(IndexProfile("c", "1"))
    rows = [row for document in _documents(lexical) for row in document]
    begun = time.process_time()
    found = [terms(row["text"]) for row in rows]
    of_terms = time.process_time() - begun
    begun = time.process_time()
    for start in range(0, lexical, PER_DOCUMENT):
        part = range(start, min(start + PER_DOCUMENT, lexical))
        plain.put([_document(start, [IndexedChunk(rows[number], tuple(found[number])) for number in part])])
    filled = time.process_time() - begun
    indexes = SqliteIndexes(file)
    full = indexes.make(IndexProfile("c", "1", "made", "1", DIMENSION))
    random, topics = np.random.default_rng(3), _topics()
    for number, document in enumerate(_documents(chunks)):
        near = topics[random.integers(TOPICS, size=len(document))]
        vectors = [_unit(vector) for vector in near + random.normal(0, 0.04, near.shape)]
        put = [
            IndexedChunk(row, tuple(terms(row["text"])), vector=vector)
            for row, vector in zip(document, vectors, strict=True)
        ]
        full.put([_document(number, put)])
    indexes.close()
    sender.send(
        {
            "terms CPU ms": of_terms / lexical * 1000,
            "lexical chunks": lexical,
            "lexical CPU s": of_terms + filled,
        }
    )


def _documents(chunks: int) -> Iterator[list[ChunkRow]]:
    random, words = np.random.default_rng(1), _vocabulary()
    for start in range(0, chunks, PER_DOCUMENT):
        yield [_row(number, _drawn(random, words, WORDS)) for number in range(min(PER_DOCUMENT, chunks - start))]


def _row(number: int, words: Sequence[str]) -> ChunkRow:
    page = number // PER_PAGE + 1
    return {
        "schema_version": "quire-chunks/1",
        "doc_id": "made",
        "chunk_id": f"{number:032x}",
        "index": number,
        "text": " ".join(words),
        "raw_text": None,
        "tokens": WORDS,
        "span": {"start": 0, "end": 0},
        "section": ["Made"],
        "blocks": [f"p{page}-b{number}"],
        "pages": [page],
        "boxes": [{"page": page, "left": 0.1, "top": 0.1, "width": 0.8, "height": 0.1}],
        "meta": {"source": "made.pdf", "media_type": "", "captions": [], "kinds": ["paragraph"], "has_image": False},
    }


def _document(number: int, chunks: list[IndexedChunk]) -> IndexedDocument:
    return IndexedDocument(f"d{number}", f"d{number}.pdf", f"made/d{number}.pdf", "1", chunks)


def _vocabulary() -> list[str]:
    random = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnoprstuvwyz"))
    made = ("".join(random.choice(letters, random.integers(3, 10))) for _ in range(VOCABULARY))
    return [word if number % 12 else str(number) for number, word in enumerate(made)]


def _drawn(random: np.random.Generator, words: Sequence[str], count: int) -> list[str]:
    """Words with the frequencies of a language: the n-th as often as 1/n."""
    return [words[int(VOCABULARY**share) - 1] for share in random.random(count)]


def _topics() -> np.ndarray:
    made = np.random.default_rng(2).normal(size=(TOPICS, DIMENSION))
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def _unit(vector: np.ndarray) -> np.ndarray:
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def _embedding_ms() -> float | None:
    try:
        embedder = find_embedder()
    except ConfigurationError:
        return None
    assert embedder is not None
    ask: Callable[[], bytes] = lambda: embedder.embed(["what were the capital expenditures in 2018?"], "query")  # noqa: E731
    ask()
    begun = time.process_time()
    for _ in range(10):
        ask()
    return (time.process_time() - begun) * 100
