"""The interface of an extractor: it proposes values for the leaves of a schema, each with what it cites."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from quire.core.errors import EngineError
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import Proposal
from quire.system.stage_versions import stage_version


class Extractor(Protocol):
    """Proposes values; it never decides whether they are right (`quire.evidence.extract.verification` does).

    `propose` is deterministic for the same catalog, schema, version and settings. It gives at most one proposal for a
    path, with others as its alternatives, and none for what it did not find. It raises EngineError when it cannot
    answer at all, and PartlyFailed when it can for a part of the document.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str:
        """Changed whenever the proposals for the same document may change: code, model, prompt, samples."""
        ...

    def propose(self, catalog: SourceCatalog, schema: ExtractSchema) -> Sequence[Proposal]: ...


def code_version() -> str:
    """The version of an extractor that is rules alone: the digest of the code that extracts."""
    return stage_version("extract")[:12]


class PartlyFailed(EngineError):
    """An extractor could not answer for a part of the document, or one of several did not answer at all.

    `proposals` are those of the rest; the message says what is missing.
    """

    def __init__(self, extractor: str, message: str, proposals: Sequence[Proposal]) -> None:
        super().__init__(extractor, message)
        self.reason = message
        self.proposals = proposals
