"""`quire ask`: a question to documents, answered with passages, and by a language model that cites them."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from quire.cli import options
from quire.cli.command_errors import print_json, print_lines
from quire.cli.hit_pictures import HitPictures
from quire.cli.index import search_place
from quire.cli.search import WIDTH, print_hits
from quire.cli.settings import settings_of
from quire.core.errors import EXIT_COMPLETE, EXIT_PARTIAL, EngineError

if TYPE_CHECKING:
    from quire.core.config import Settings
    from quire.durable.document_index import Index
    from quire.evidence.cite.citation_checks import CitedReply
    from quire.net.language_model import LanguageModel
    from quire.retrieval.search.hits import SearchHit

EXAMPLES = """\\b
Examples:
  quire ask "What were the capital expenditures in 2018?" reports/3m.pdf
  quire ask "Who may terminate the contract?" contracts/ --k 8
  QUIRE_LLM_URL=http://127.0.0.1:11434/v1 QUIRE_LLM_MODEL=qwen3 quire ask "When does it end?" lease.pdf
"""


def ask(
    question: Annotated[str, Argument(metavar="QUESTION", help="A question in plain words.")],
    paths: Annotated[
        list[Path], Argument(readable=False, metavar="PATH...", help="Files or folders; what is new is indexed first.")
    ],
    *,
    k: Annotated[int, Option("--k", metavar="N", help="Number of passages; 5.", min=1, max=50, show_default=False)] = 5,
    place: options.IndexOptions,
    show: Annotated[
        bool, Option("--show", help="Show the place of each passage: in the terminal if it can, else as PNG files.")
    ] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Answer a question from documents: the best passages with their pages, and, with a language model in
    QUIRE_LLM_URL and QUIRE_LLM_MODEL, an answer whose every sentence cites them and was checked against them. Exit
    code 3: nothing was found, or no sentence of the model stood the check."""
    from quire.durable.document_index import Index
    from quire.durable.folders.discovery import check_paths
    from quire.net.language_model import LanguageModel
    from quire.retrieval.search.query import SearchFilter

    model = LanguageModel.of(os.environ)
    settings = settings_of({"store": place.store, "facts": place.facts, "index": place.engine})
    check_paths(paths)
    with Index(search_place(settings), facts=settings.facts, embedder=place.embedder, engine=settings.index) as index:
        _index(index, paths, settings, quiet=quiet)
        folders = tuple(str(path.absolute()) for path in paths)
        hits = index.search(question, k=k, filters=SearchFilter(folders=folders), rerank=place.rerank)
        reply = _replied(model, question, hits) if model is not None and hits else None
        if as_json:
            said = {"question": question, "answer": reply.to_json() if reply else None}
            print_json({**said, "passages": [hit.to_json() for hit in hits]})
        else:
            if reply is not None:
                print_lines(_lines(reply))
            print_hits(hits, HitPictures(index, folder=None, shown=show))
    failed = not hits or (model is not None and not (reply and reply.sentences))
    return EXIT_PARTIAL if failed else EXIT_COMPLETE


def _index(index: Index, paths: list[Path], settings: Settings, *, quiet: bool) -> None:
    """Index what is new."""
    from quire.batch.contracts import StageOptions
    from quire.cli.batch_progress import BatchProgress

    with BatchProgress(quiet=quiet) as progress:
        outcome = index.add(*paths, options=StageOptions(policy="cpu", workers=settings.workers), on_event=progress)
    failed = progress.batch.counts.get("failed", 0)
    if (failed or outcome.cancelled) and not quiet:
        print(f"quire: {failed} of the documents could not be read; `quire index` says why", file=sys.stderr)


def _replied(model: LanguageModel, question: str, hits: Sequence[SearchHit]) -> CitedReply | None:
    """The checked answer; None, said on standard error, when the model gave none."""
    from quire.evidence.cite.citation_checks import checked
    from quire.evidence.cite.cited_sentences import cited_sentences

    passages = ["\n".join([*hit.section, hit.text]) for hit in hits]
    headed = [f"{hit.name}, page {hit.page}\n{passage}" for hit, passage in zip(hits, passages, strict=True)]
    try:
        return checked(cited_sentences(model, question, headed), passages)  # a number of a page is no evidence
    except EngineError as error:
        print(f"quire: no answer, only passages: {error}", file=sys.stderr)
        return None


def _lines(reply: CitedReply) -> Iterator[str]:
    for sentence in reply.sentences:
        cited = "".join(f"[{number}]" for number in sentence.passages)
        yield from textwrap.wrap(f"{sentence.text} {cited}", WIDTH)
    if not reply.sentences:
        yield "The passages do not answer it, as far as the model can show."
    for dropped in reply.dropped:
        yield f"left out: {dropped.text} ({dropped.reason})"
    yield ""
