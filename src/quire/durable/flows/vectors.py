"""Vectors for flows: batches are artifacts that other runs find again, the output is files in the store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from quire.core.context import Store
from quire.core.errors import QuireError, UsageError
from quire.core.keys import digest_of
from quire.flow.components import Files
from quire.retrieval.chunk.rows import ChunkRow
from quire.retrieval.embed.vector_options import VECTOR_FORMATS, LexicalOptions, VectorFormat


def embedding(store: Store) -> Callable[..., Files]:
    """The service `embed`: a file for each family. Blocks; embeds in workers, or asks a server."""

    def embed(
        chunks: Sequence[ChunkRow],
        *,
        embedders: Sequence[str],
        families: Sequence[str],
        to: VectorFormat,
        k1: float,
        b: float,
        min_df: int,
        max_df_ratio: float,
    ) -> Files:
        from quire.retrieval.embed.families import choose_families, quiet_asker

        if to not in VECTOR_FORMATS:
            raise UsageError(f"there is no format {to!r} for vectors; choose from {', '.join(VECTOR_FORMATS)}")
        chosen = choose_families(embedders, families, LexicalOptions(k1, b, min_df, max_df_ratio))
        asker = quiet_asker(store, chunks[0]["doc_id"] if chunks else "")
        made = [*chosen.files(chunks, asker), *chosen.lexical_files([chunks])]
        return Files({f".{one.made_by.family}.{to}": one.encoded(to) for one in made})

    return embed


def embedder_versions(names: Sequence[str]) -> dict[str, str]:
    """The versions of embedders by name, for keys: the model of a server or folder may change. Without
    names it is the default one.

    One that cannot be found is left out, because embedding itself fails with the reason.
    """
    from quire.retrieval.embed.embedder_registry import DEFAULT, find_embedder

    versions: dict[str, str] = {}
    for name in names or (DEFAULT,):
        with suppress(QuireError):
            if (embedder := find_embedder(name)) is not None:
                versions[name] = digest_of([embedder.name, embedder.version, embedder.profile.digest()])
    return versions
