"""A program in which two reads and two pipelines use one engine at once, over one worker and one store.

python -m tests.incidents.asking_mixed STORE DOCUMENT LOG
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import quire
from quire.pipeline import Pipeline, preprocess
from tests.fakes.engines import NumberEngine


def main(store: str, document: str, log: str) -> None:
    engine = NumberEngine(log=Path(log), max_concurrency=1)
    pipeline = Pipeline(preprocess.prepared(), engine, cache=store, page_concurrency=3)
    works: list[Callable[[], quire.DocumentResult]] = [
        lambda: quire.read(document, engines=engine, store=store, workers=1),
        lambda: pipeline(document),
    ]
    results: list[str] = []
    threads = [Thread(target=lambda work=work: results.append(work().to_text())) for work in works * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(results)) == 1, results
    print(results[0])


if __name__ == "__main__":
    main(*sys.argv[1:])
