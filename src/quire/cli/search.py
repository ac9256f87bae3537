"""`quire search`: places in documents that fit a query."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from quire.cli import options
from quire.cli.command_errors import print_json, print_lines
from quire.cli.excerpts import excerpt_lines
from quire.cli.hit_pictures import HitPictures
from quire.cli.index import search_place
from quire.cli.settings import settings_of
from quire.core.errors import EXIT_COMPLETE, EXIT_PARTIAL

if TYPE_CHECKING:
    from quire.retrieval.search.hits import SearchHit

EXAMPLES = """\\b
Examples:
  quire search "gross margin 2022"
  quire search "what were the capital expenditures?" reports/3m.pdf
  quire search '"total assets" kind:table -pro-forma page:40-80' --k 5
  quire search "termination notice" contracts/ --json
  quire search "wiring diagram" --show
"""
WIDTH = 100


def search(
    query: Annotated[
        str, Argument(metavar="QUERY", help='Words, "phrases", -not, page:1-3, kind:table, in:folder; or a question.')
    ],
    paths: Annotated[
        list[Path] | None,
        Argument(
            readable=False, metavar="[PATH...]", help="Only in these files or folders; new ones are indexed first."
        ),
    ] = None,
    *,
    k: Annotated[int, Option("--k", metavar="N", help="Number of hits; 10.", min=1, max=1000, show_default=False)] = 10,
    place: options.IndexOptions,
    show: Annotated[
        bool, Option("--show", help="Show the place of each hit: in the terminal if it can, else as PNG files.")
    ] = False,
    save: Annotated[
        Path | None, Option("--save", metavar="DIR", help="Write the places of the hits as PNG files there.")
    ] = None,
    as_json: options.Json = False,
) -> int:
    """Search the documents that `quire index` has indexed, by words and by meaning. A PATH below which nothing is
    indexed yet is indexed first. Exit code 3: nothing was found."""
    from quire.cli.batch_progress import BatchProgress
    from quire.durable.document_index import Index
    from quire.durable.folders.discovery import check_paths
    from quire.retrieval.search.query import SearchFilter

    settings = settings_of({"store": place.store, "facts": place.facts, "index": place.engine})
    check_paths(paths or ())
    folders = tuple(str(path.absolute()) for path in paths or ())
    with Index(search_place(settings), facts=settings.facts, embedder=place.embedder, engine=settings.index) as index:
        if paths:
            with BatchProgress(quiet=as_json) as progress:
                index.add_unknown(*paths, on_event=progress)
        hits = index.search(query, k=k, filters=SearchFilter(folders=folders), rerank=place.rerank)
        pictures = HitPictures(index, folder=save, shown=show and not as_json)
        if as_json:
            if save is not None:
                for number, hit in enumerate(hits, 1):
                    pictures.of(number, hit)
            print_json({"query": query, "hits": [hit.to_json() for hit in hits]})
        else:
            print_hits(hits, pictures)
    return EXIT_COMPLETE if hits else EXIT_PARTIAL


def print_hits(hits: Sequence[SearchHit], pictures: HitPictures) -> None:
    """Each with its number, page, section, excerpt and picture."""
    for number, hit in enumerate(hits, 1):
        shown, said = pictures.of(number, hit)
        also = f" (also in {', '.join(hit.also)})" if hit.also else ""
        print_lines([f"{number:>2}. {hit.name}, page {hit.page}  {hit.score:.2f}{also}"])
        if hit.section:
            print_lines([f"    {' › '.join(hit.section)}"])
        for line in excerpt_lines(hit.excerpt, WIDTH, bold=sys.stdout.isatty() and not os.environ.get("NO_COLOR")):
            print(f"    {line}")
        print_lines([f"    {part}" for part in (hit.reason, said) if part])
        print(shown)
    if not hits:
        print("nothing was found")
