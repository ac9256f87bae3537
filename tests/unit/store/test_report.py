"""The report of a store."""

from __future__ import annotations

from quire.core.keys import ArtifactKey
from quire.database.runs import Runs
from quire.store.files import FileStore
from quire.store.report import StageReport, report


def test_a_report_counts_artifacts_documents_what_is_shared_and_runs(tmp_path):
    with FileStore(tmp_path, clock=lambda: 86_400.0 * 20_000) as store:
        for number in range(6):
            data, stage = (b"equal" * 10, "blank") if number % 2 else (b"%d" % number * 100, "text")
            store.save(ArtifactKey(f"{number:064}"), data, stage=stage, document=f"d{number // 3}", page=1)
        store.flush()
        store.database.change("UPDATE facts SET used = 0 WHERE stage = 'blank'")
        Runs(store.database).begin("batch", {})
        found = report(store)
    assert (found.documents, found.artifacts, found.bytes) == (2, 6, 450)
    assert (found.contents, found.content_bytes, found.shared_bytes) == (4, 350, 100)
    assert (found.packs, found.pack_bytes, found.holes) == (1, 350, 0)
    assert found.stages == (StageReport("text", 3, 300, "2024-10-04"), StageReport("blank", 3, 150, None))
    assert found.runs == {"waiting": 1}


def test_an_empty_store_has_a_report(tmp_path):
    with FileStore(tmp_path) as store:
        found = report(store)
    assert (found.artifacts, found.bytes, found.packs, found.stages, found.runs) == (0, 0, 0, (), {})
