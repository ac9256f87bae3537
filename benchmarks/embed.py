"""Chunks of 256 tokens embedded by the default model: CPU time of each, and chunks per second with two workers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial

from benchmarks import clock, family
from benchmarks.report import LeftOut, Options, Report, Table, goal
from quire.core.errors import ConfigurationError
from quire.lexicon.terms import STOP_WORDS
from quire.retrieval.chunk import DEFAULT_TOKENIZER, find_tokenizer
from quire.retrieval.embed.batches import dense_vectors
from quire.retrieval.embed.families import quiet_asker
from quire.retrieval.embed.lexical import lexical_vectors
from quire.retrieval.embed.local_model import LocalEmbedder, default_embedder
from quire.store.temporary import TemporaryStore
from quire.system.workers import shared_pool

CHUNKS, FEW = 192, 64
LENGTHS = (64, 128, 256)
SPECIAL = 2  # tokens that the model adds at the ends
GOAL = 60.0
"""Chunks of 256 tokens per second, with two workers."""
PATIENCE_S = 120.0


def run(options: Options) -> Report:
    try:
        embedder = default_embedder()
    except ConfigurationError as error:
        raise LeftOut(str(error)) from error
    count = FEW if options.quick else CHUNKS
    texts = {length: _texts(length - SPECIAL, count) for length in LENGTHS}
    works = {
        **{f"{length} tokens, in this process": partial(_here, texts[length], embedder) for length in LENGTHS},
        **{
            f"256 tokens, workers: {workers}": partial(_in_workers, texts[256], embedder, workers) for workers in (1, 2)
        },
        "256 tokens, BM25 weights": partial(clock.measure, partial(lexical_vectors, texts[256])),
    }
    samples = clock.interleave(works, options.rounds(5, 1), patience_s=PATIENCE_S)
    rows = []
    for name, taken in samples.items():
        cpu, wall = clock.least_cpu(taken) / count * 1000, clock.least_wall(taken)
        asked = goal(count / wall, GOAL, digits=0) if name.endswith("workers: 2") else [None, None]
        rows.append([name, cpu, count / wall, *asked])
    shared_pool().close()
    notes = [
        f"{count} chunks of random words, as many tokens each as the row says, by `all-minilm-l6-v2` (int8) with one "
        "thread per worker; in workers through the asker, with a new store each time. The least of several rounds.",
        clock.quietness({"embed": samples}),
    ]
    columns = ["what", "CPU ms/chunk", "chunks/s", "goal", "reached"]
    believable = bool(clock.least_quiet(samples))
    return Report("Embedding", [Table(columns, rows)], notes, {"embed": clock.as_data(samples)}, believable)


def _texts(tokens: int, count: int) -> list[str]:
    """Texts of exactly so many tokens: each of the words is one."""
    tokenizer, chosen = find_tokenizer(DEFAULT_TOKENIZER), random.Random(1)
    words = sorted(word for word in STOP_WORDS if tokenizer.count(word) == 1)
    return [" ".join(chosen.choices(words, k=tokens)) for _ in range(count)]


def _here(texts: Sequence[str], embedder: LocalEmbedder) -> clock.Sample:
    return clock.measure(partial(embedder.embed, texts, "passage"))


def _in_workers(texts: Sequence[str], embedder: LocalEmbedder, workers: int) -> clock.Sample:
    shared_pool(workers)
    asker = quiet_asker(TemporaryStore(), "benchmark")
    dense_vectors(
        [f"warm {number}" for number in range(embedder.batch * workers)], embedder, asker
    )  # each worker has loaded the model
    return clock.timed(partial(dense_vectors, texts, embedder, asker), family.cpu_seconds)[1]
