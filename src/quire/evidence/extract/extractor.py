"""The interface of an extractor: it proposes values for the leaves of a schema, each with what it cites."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from quire.core.errors import EngineError, log_traceback
from quire.core.events import reason_of
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


class Heard(NamedTuple):
    """The proposals of an extractor. `reason`: why it could not answer, or not for all. `error` is set if it did not
    answer at all."""

    proposals: Sequence[Proposal]
    reason: str = ""
    error: Exception | None = None


def heard(extractor: Extractor, catalog: SourceCatalog, schema: ExtractSchema) -> Heard:
    """Ask an extractor, which may be one of another package and raise anything."""
    try:
        return Heard(list(extractor.propose(catalog, schema)))
    except PartlyFailed as error:
        return Heard(list(error.proposals), error.reason)
    except Exception as error:
        log_traceback(f"extractor {extractor.name}", error)
        return Heard((), reason_of(error), error)
