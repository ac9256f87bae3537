"""Documents are read on a Restate cluster and put into the index: by a server for a tenant, and by `quire index`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from quire.cli.devcluster.cluster import LocalCluster
from tests import documents, scans
from tests.runtime.tracking import wait_until
from tests.servers import cluster as clusters
from tests.servers.quire_server import QuireServer

pytestmark = pytest.mark.servers

PATIENCE_S = 60.0
SCAN = ("Invoice number: INV-2041", "Total: 1250.00 EUR")
DIGITAL = ("Invoice number: INV-7305", "Amount due: 88.00 EUR")
FILES = {
    "scan.pdf": scans.scanned(scans.slip(SCAN)),
    "digital.pdf": documents.placed([documents.Piece(60, 80 + 20 * n, line) for n, line in enumerate(DIGITAL)]),
}
NUMBERS = {"scan.pdf": "INV-2041", "digital.pdf": "INV-7305"}
TENANT, OTHER = {"X-Tenant-Id": "acme"}, {"X-Tenant-Id": "other"}


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with clusters.running({}) as running:
        yield running


def found(server: QuireServer, tenant: Mapping[str, str]) -> dict[str, str]:
    """The documents of a tenant that a search finds, with the text of the place."""
    answer = server.get("/api/search?q=invoice+number&k=10", **tenant)
    assert answer.status == 200, answer.body
    return {hit["name"]: hit["text"] for hit in answer.json["hits"]}


def test_what_a_tenant_sends_at_the_same_time_is_read_on_the_cluster_and_found_by_it_alone(cluster, tmp_path):
    environment = {**cluster.settings, "QUIRE_SERVE_TENANTS": "1", "QUIRE_SERVE_EMBEDDER": "none"}
    server = QuireServer(tmp_path / "served", environment=environment)
    server.start()
    try:
        with ThreadPoolExecutor(2) as threads:
            runs = list(threads.map(lambda file: server.upload("/api/runs", file, headers=TENANT), FILES.items()))
        assert [run.status for run in runs] == [201, 201], [run.body for run in runs]
        wait_until(lambda: found(server, TENANT).keys() == FILES.keys(), "they are not indexed", PATIENCE_S)
        assert all(NUMBERS[name] in text for name, text in found(server, TENANT).items())
        assert not found(server, OTHER)
        for run in runs:
            assert server.ask("DELETE", f"/api/documents/{run.json['id']}.1", **TENANT).status in (200, 202, 204)
        wait_until(lambda: not found(server, TENANT), "they are still found", PATIENCE_S)
    finally:
        server.stop()


def test_a_folder_is_indexed_on_the_cluster_and_only_new_files_the_second_time(cluster, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    assert indexed(cluster, folder) == {"ok": 2}
    assert searched(cluster) == FILES.keys()
    (folder / "scan.pdf").unlink()
    (folder / "new.pdf").write_bytes(documents.simple())
    assert indexed(cluster, folder) == {"ok": 1, "skipped": 1}
    assert searched(cluster) == {"digital.pdf"}


def indexed(cluster: LocalCluster, folder: Path) -> dict[str, int]:
    """The documents of the folder by what became of them."""
    report = json.loads(quire(cluster, "index", folder, "--embedder", "none", "--json"))
    return report["documents"]


def searched(cluster: LocalCluster) -> set[str]:
    """The files in which an invoice number is found."""
    found = json.loads(quire(cluster, "search", "invoice number", "--embedder", "none", "--json"))
    return {Path(hit["path"]).name for hit in found["hits"]}


def quire(cluster: LocalCluster, *arguments: str | Path) -> str:
    """What a command prints that works on the cluster."""
    command = [sys.executable, "-m", "quire", *arguments]
    environment = {**os.environ, **cluster.settings}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=2 * PATIENCE_S)
    assert done.returncode == 0, done.stderr
    return done.stdout
