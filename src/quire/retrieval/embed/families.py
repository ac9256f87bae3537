"""Chunks to vectors of some families, as files: what `quire embed` and the component `embed` have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from quire.asking import Asker
from quire.core.embedder import Embedder
from quire.core.errors import UsageError
from quire.core.keys import digest_of
from quire.retrieval.chunk.rows import ChunkRow
from quire.retrieval.embed.batches import dense_vectors, sparse_vectors
from quire.retrieval.embed.dataset import ModelOfVectors, VectorFile
from quire.retrieval.embed.embedder_registry import DEFAULT, find_embedder
from quire.retrieval.embed.lexical import MODEL, LexicalProfile, TermCounts
from quire.retrieval.embed.vector_options import FAMILIES, DatasetFamily, LexicalOptions

if TYPE_CHECKING:
    from quire.core.context import Store


@dataclass(frozen=True, slots=True)
class Families:
    """The families that are wanted, in the order of `FAMILIES`, with the embedders of those that need one."""

    wanted: tuple[DatasetFamily, ...]
    embedders: Mapping[str, Embedder]
    lexical: LexicalOptions

    def made_by(self, family: DatasetFamily) -> ModelOfVectors:
        if family == "lexical":
            settings = digest_of([MODEL, asdict(LexicalProfile.of(self.lexical))])
            return ModelOfVectors(family, MODEL, 0, settings)
        embedder = self.embedders[family]
        settings = digest_of([embedder.name, embedder.version, embedder.profile.digest()])
        return ModelOfVectors(family, embedder.name, embedder.dimension, settings)

    def files(self, chunks: Sequence[ChunkRow], asker: Asker) -> Iterator[VectorFile]:
        """The vectors of the chunks of one document by learned families: batches that were embedded are not again."""
        texts = [row["text"] for row in chunks]
        for family in self.wanted:
            if family == "dense":
                yield VectorFile(self.made_by(family), chunks, dense_vectors(texts, self.embedders[family], asker))
            elif family == "sparse":
                yield VectorFile(self.made_by(family), chunks, sparse_vectors(texts, self.embedders[family], asker))

    def lexical_files(self, documents: Sequence[Sequence[ChunkRow]]) -> Iterator[VectorFile]:
        """The weights of terms, for each document against all of them; nothing when the family is not wanted."""
        if "lexical" not in self.wanted:
            return
        counts = TermCounts()
        counted = [[counts.add(row["text"]) for row in chunks] for chunks in documents]
        for chunks, terms in zip(documents, counted, strict=True):
            weights = [counts.weights(one, self.lexical) for one in terms]
            yield VectorFile(self.made_by("lexical"), chunks, weights)


def choose_families(
    embedders: Sequence[str] = (), families: Sequence[str] = (), lexical: LexicalOptions | None = None
) -> Families:
    """The families of vectors to make, by the names of embedders and families. Without families they are those that
    the embedders give; without embedders the default model makes dense vectors.

    Raises UsageError for unknown or missing ones, ConfigurationError for a model that is not here.
    """
    if unknown := [name for name in families if name not in FAMILIES]:
        raise UsageError(f"there is no family of vectors {unknown[0]!r}; choose from {', '.join(FAMILIES)}")
    names = list(embedders) or ([DEFAULT] if not families or "dense" in families else [])
    found: dict[str, Embedder] = {}
    for name in names:
        embedder = find_embedder(name)
        if embedder is None:
            continue
        if embedder.family in found:
            raise UsageError(f"{name} is the second embedder of {embedder.family} vectors; name one for each family")
        found[embedder.family] = embedder
    wanted = tuple(family for family in FAMILIES if family in (families or found))
    if not wanted:
        raise UsageError(f"there is nothing to make: name an embedder, or one of {', '.join(FAMILIES)}")
    for family in wanted:
        if family != "lexical" and family not in found:
            raise UsageError(
                f"no embedder gives {family} vectors; name one: a folder with a model, openai:MODEL@URL or tei:URL"
            )
    return Families(wanted, found, lexical or LexicalOptions())


def quiet_asker(store: Store, document: str, check: Callable[[], None] = lambda: None) -> Asker:
    """Asks for vectors of a document without events: how its document ended is an event, how each batch did is not."""
    return Asker(store, document=document, check=check, tell=_silently)


def _silently(*_: object, **__: object) -> None:
    pass
