"""The runner that always answers: the extractor that needs no language model."""

from __future__ import annotations

from quire.core.engine import Policy
from quire.core.keys import Profile
from quire.core.runner import RunnerCapability, RunnerOutput, RunnerWork, TaskBrief, TimelineEntry
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.extractor import code_version
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.schema import asked_schema
from quire.evidence.extract.value_paths import with_value
from quire.evidence.extract.values import Proposal
from quire.solving.answers import claimed_files


class OfflineRunner:
    """Values by rules, tables and labels. It understands the schema, not the text of the task."""

    name = "offline"
    policy: Policy = "cpu"
    timeout_s = 600.0
    max_concurrency = 64
    context_tokens = None
    capabilities: frozenset[RunnerCapability] = frozenset({"json_schema", "extracts"})
    profile = Profile()

    @property
    def version(self) -> str:
        return code_version()

    def prompt(self, brief: TaskBrief) -> str:
        return brief.task

    def run(self, work: RunnerWork) -> RunnerOutput:
        catalog = work.catalog
        assert isinstance(catalog, SourceCatalog)
        found = OfflineExtractor().propose(catalog, asked_schema(work.brief.schema, ()))
        values: object = {}
        cited = {}
        for one in found:
            values = with_value(values, one.path, one.value)
            cited[one.path] = _line(one)
        entry = TimelineEntry("note", {"text": f"{len(found)} values were found by rules"})
        work.tell(entry)
        return RunnerOutput(claimed_files(values, cited), timeline=(entry,))


def _line(one: Proposal) -> dict[str, object]:
    """A proposal as a line of evidence, with how sure its extractor is, and why."""
    return {
        "records": list(one.records),
        "quote": one.quote,
        "confidence": one.confidence,
        "extractor": one.extractor,
        "label": one.label,
        "signs": dict(one.signs),
        "places": [
            [place.page, place.bbox.left, place.bbox.top, place.bbox.width, place.bbox.height] for place in one.places
        ],
    }
