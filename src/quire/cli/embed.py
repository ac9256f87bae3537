"""`quire embed`: documents to vectors for search."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from typer import Option

from quire.cli import chunk_options, options
from quire.cli.each_document import DocumentsRequest, Written, read_each, write_or_print
from quire.cli.progress import ProgressBar
from quire.cli.settings import reading_configuration
from quire.durable.folders.output_names import NamedSource
from quire.retrieval.chunk import ChunkOptions
from quire.retrieval.chunk.rows import ChunkRow, rows
from quire.retrieval.embed.vector_options import VECTOR_FORMATS, DatasetFamily, LexicalOptions, VectorFormat

if TYPE_CHECKING:
    from quire.core.context import Store
    from quire.reading.result import DocumentResult
    from quire.retrieval.embed.dataset import VectorFile
    from quire.retrieval.embed.families import Families

EXAMPLES = """\b
Examples:
  quire embed report.pdf > vectors.jsonl
  quire embed papers/ -o out --to parquet --family dense,lexical
  quire embed report.pdf --embedder models/bge-small --max-tokens 400
  quire embed report.pdf --embedder openai:bge-m3@http://127.0.0.1:8000/v1
"""


def embed(  # noqa: PLR0913 - one argument per option
    files: options.Files,
    *,
    output: Annotated[
        Path | None,
        Option("-o", "--output", metavar="DIR", help="Output folder, with a file for each document and family."),
    ] = None,
    to: options.RowFormat = "jsonl",
    embedder: Annotated[
        list[str] | None,
        Option(metavar="NAME", help="Model, its folder, openai:MODEL@URL or tei:URL; all-minilm-l6-v2. Repeatable."),
    ] = None,
    family: Annotated[
        str | None, Option(metavar="NAMES", help="dense,sparse,lexical: which vectors; what the embedders give.")
    ] = None,
    k1: Annotated[
        float, Option(metavar="NUMBER", help="BM25: how soon more of a term adds little; 1.5.", show_default=False)
    ] = LexicalOptions.k1,
    b: Annotated[
        float,
        Option("--b", metavar="NUMBER", help="BM25: how much long chunks are discounted; 0.75.", show_default=False),
    ] = LexicalOptions.b,
    min_df: Annotated[
        int, Option(metavar="N", help="Leave out terms in fewer chunks than this; 1.", show_default=False)
    ] = LexicalOptions.min_df,
    max_df_ratio: Annotated[
        float, Option(metavar="SHARE", help="Leave out terms in a larger share of chunks; 1.", show_default=False)
    ] = LexicalOptions.max_df_ratio,
    offline: Annotated[
        bool | None, Option("--offline/--no-offline", help="Never use the network; say what needs it.")
    ] = None,
    chunking: chunk_options.ChunkingOptions,
    reading: options.LayoutReadingOptions,
    cache: options.CacheOptions,
) -> int:
    """Embed PDFs, scans (OCR) and photos: chunks with their vectors, as lines of JSON or Parquet files in a folder."""
    configuration = reading_configuration(locals(), "to", "output")
    settings = configuration.settings
    chosen = chunking.chosen()
    chunk_options.check_format(to, VECTOR_FORMATS, "vectors", output)
    counting = chunk_options.tokenizer_of(chosen)
    from quire.retrieval.embed.families import choose_families

    lexical = LexicalOptions(k1, b, min_df, max_df_ratio)
    families = choose_families(embedder or (), [name.strip() for name in (family or "").split(",") if name], lexical)
    _warn(chosen.max_tokens or (counting.max_tokens if counting else None), families)
    with ExitStack() as stack:
        if settings.store is None:
            from quire.store.temporary import TemporaryStore

            kept: Store = TemporaryStore()
        else:
            from quire.store.opening import open_store

            kept = stack.enter_context(open_store(settings.store, settings.facts))
        wanted = _Vectors(chosen, families, cast(VectorFormat, to), output, kept)
        request = DocumentsRequest(wanted.write, output, reading.pages, configuration, quiet=cache.quiet)
        code = read_each(files, request)
        wanted.write_lexical()
        return code


def _warn(max_tokens: int | None, families: Families) -> None:
    """Say so when an embedder takes less than a chunk may have: the rest of a chunk would silently not be found."""
    for embedder in families.embedders.values():
        if max_tokens and embedder.max_tokens < max_tokens:
            print(
                f"quire: {embedder.name} takes {embedder.max_tokens} tokens and cuts off the rest of a chunk, which "
                f"may have {max_tokens}; give --max-tokens {embedder.max_tokens}",
                file=sys.stderr,
            )


@dataclass(frozen=True, slots=True)
class _Vectors:
    """The vector files of each document. The weights of terms follow at the end, because they depend
    on all documents."""

    options: ChunkOptions
    families: Families
    to: VectorFormat
    output: Path | None
    store: Store
    read: list[tuple[NamedSource, Sequence[ChunkRow]]] = field(default_factory=list)

    def write(self, read: DocumentResult, source: NamedSource, progress: ProgressBar) -> Written:
        from quire.retrieval.embed.families import quiet_asker

        chunks = rows(read, read.chunks(self.options))
        made = [(source, file) for file in self.families.files(chunks, quiet_asker(self.store, read.id))]
        self.store.flush()
        paths = self._written(made, progress)
        if "lexical" in self.families.wanted:
            self.read.append((source, chunks))
            later = self._path(source, "lexical")
            paths += [later] if later else []
        return paths, ()

    def write_lexical(self) -> None:
        """The weights of terms of every document, against all of them."""
        made = self.families.lexical_files([chunks for _, chunks in self.read])
        with ProgressBar(0, quiet=True) as progress:
            self._written([(source, file) for (source, _), file in zip(self.read, made, strict=True)], progress)

    def _written(self, made: Sequence[tuple[NamedSource, VectorFile]], progress: ProgressBar) -> list[Path]:
        paths: list[Path] = []
        for source, file in made:
            path = self._path(source, file.made_by.family)
            paths += write_or_print(file.encoded(self.to), path, progress)[0]
        return paths

    def _path(self, source: NamedSource, family: DatasetFamily) -> Path | None:
        return self.output and self.output / source.folder / f"{source.stem}.{family}.{self.to}"
