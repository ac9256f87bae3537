"""Results that a running server delivers elsewhere: a PUT, buckets, callbacks."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Iterator

import obstore
import pytest
from obstore.store import AzureStore, S3Store

from quire.core.keys import digest_bytes
from tests import documents
from tests.servers.azurite import ACCOUNT, KEY, AzureServer
from tests.servers.quire_server import LOOPBACK, QuireServer, serving, web_site
from tests.servers.s3 import S3Server

pytestmark = pytest.mark.servers

PDF = documents.simple()
FILE = {"kind": "file", "filename": "report.pdf", "base64_string": base64.b64encode(PDF).decode()}


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[QuireServer]:
    with serving(tmp_path_factory.mktemp("serve"), "--workers", "1", environment=LOOPBACK) as running:
        yield running


def bucket_of(s3_server: S3Server) -> tuple[dict[str, object], S3Store]:
    """A new bucket as a request names it, and to look into."""
    name = s3_server.create().split("/")[2]
    keys = {"access_key": "quire", "secret_key": "quire-secret"}
    given = {"kind": "s3", "endpoint": f"127.0.0.1:{s3_server.port}", "bucket": name, "verify_ssl": False, **keys}
    store = S3Store(
        name,
        endpoint=s3_server.url,
        access_key_id="quire",
        secret_access_key="quire-secret",
        region="us-east-1",
        client_options={"allow_http": True},
    )
    return given, store


def names_in(store) -> list[str]:
    return sorted(meta["path"] for portion in obstore.list(store) for meta in portion)


def convert(server: QuireServer, **body):
    answer = server.post("/v1/convert/source", {"sources": [FILE], **body})
    return answer.status, answer.json


def test_the_files_are_sent_with_a_put(server):
    with web_site() as site:
        status, counts = convert(server, target={"kind": "put", "url": f"{site.url}/results"})
    assert (status, counts["num_converted"], counts["num_succeeded"]) == (200, 1, 1)
    ((method, path, headers, body),) = site.received
    assert (method, path) == ("PUT", "/results")
    assert headers["Content-Type"].startswith("multipart/form-data; boundary=")
    assert b'name="file"; filename="converted_docs.zip"' in body
    with zipfile.ZipFile(io.BytesIO(body[body.index(b"PK") : body.rindex(b"\r\n--")])) as archive:
        assert archive.namelist() == ["report.md"]


def test_a_target_that_cannot_be_reached_fails_the_task_with_the_reason(server):
    target = {"kind": "put", "url": "http://127.0.0.1:1/results"}
    task = server.post("/v1/convert/source/async", {"sources": [FILE], "target": target}).json["task_id"]
    failure = server.ended(task)["failure"]
    assert (failure["category"], failure["message"][:28]) == ("target_unavailable", "the target cannot be written")


def test_files_go_to_a_bucket_of_s3_and_come_from_one(server, s3_server):
    source, given = bucket_of(s3_server)
    obstore.put(given, "in/report.pdf", PDF)
    obstore.put(given, "in/deeper/notes.pdf", documents.simple(2))
    obstore.put(given, "other/left-out.pdf", PDF)
    (target, made), (second, copied) = bucket_of(s3_server), bucket_of(s3_server)
    body = {
        "sources": [{**source, "key_prefix": "in/"}],
        "targets": [{**target, "key_prefix": "out"}, second],
        "options": {"to_formats": ["md", "json"]},
    }
    task = server.post("/v1/convert/source/batch", body).json["task_id"]
    status = server.ended(task)
    assert (status["task_status"], status["task_meta"]["num_docs"]) == ("success", 2)
    folders = {
        stem: digest_bytes(f"s3://{source['bucket']}/in/{path}".encode())[:12]
        for stem, path in (("report", "report.pdf"), ("notes", "deeper/notes.pdf"))
    }
    expected = sorted(f"{folder}/{stem}.{end}" for stem, folder in folders.items() for end in ("md", "json"))
    assert names_in(copied) == expected
    assert names_in(made) == [f"out/{name}" for name in expected]
    assert server.result(task)["num_succeeded"] == 2


def test_a_bucket_that_is_not_there_is_said(server, s3_server):
    target, _ = bucket_of(s3_server)
    task = server.post("/v1/convert/source/async", {"sources": [FILE], "target": {**target, "bucket": "nowhere"}})
    failure = server.ended(task.json["task_id"])["failure"]
    assert failure["category"] == "target_unavailable"
    assert failure["message"].startswith("the target cannot be written: s3://nowhere: ")
    assert "quire-secret" not in json.dumps(failure)


def test_files_go_to_a_container_of_azure(server, azure_server: AzureServer):
    container = azure_server.create().split("/")[2]
    endpoint = f"http://127.0.0.1:{azure_server.port}/{ACCOUNT}"
    connection = f"AccountName={ACCOUNT};AccountKey={KEY};BlobEndpoint={endpoint}"
    target = {
        "kind": "azure_blob",
        "account_name": ACCOUNT,
        "container": container,
        "connection_string": connection,
        "blob_prefix": "out/",
    }
    status, counts = convert(server, target=target)
    assert (status, counts["num_succeeded"]) == (200, 1)
    looked = AzureStore(
        container,
        account_name=ACCOUNT,
        account_key=KEY,
        endpoint=endpoint,
        client_options={"allow_http": True},
    )
    assert names_in(looked) == [f"out/{digest_bytes(b'report.pdf')[:12]}/report.md"]


def test_google_takes_no_account_of_the_server(server):
    target = {"kind": "google_cloud_storage", "bucket": "b", "service_account_key": {"type": "service_account"}}
    task = server.post("/v1/convert/source/async", {"sources": [FILE], "target": target}).json["task_id"]
    failure = server.ended(task)["failure"]
    assert failure["message"].startswith("the google_cloud_storage of the request is invalid"), failure


def test_callbacks_come_in_order_and_one_that_is_away_does_not_matter(server):
    with web_site() as site:
        callbacks = [
            {"url": f"{site.url}/hook", "headers": {"Authorization": "Bearer token"}},
            {"url": "http://127.0.0.1:1/away"},
        ]
        broken = {**FILE, "filename": "broken.pdf", "base64_string": base64.b64encode(b"%PDF-1.7 no").decode()}
        body = {"sources": [FILE, broken], "callbacks": callbacks, "target": {"kind": "zip"}}
        task = server.post("/v1/convert/source/async", body).json["task_id"]
        assert server.ended(task)["task_status"] == "success"
    sent = [json.loads(body) for _, _, _, body in site.received]
    assert {message["task_id"] for message in sent} == {task}
    assert {headers["Authorization"] for _, _, headers, _ in site.received} == {"Bearer token"}
    progress = [message["progress"] for message in sent]
    assert [one["kind"] for one in progress] == [
        "set_num_docs",
        "document_completed",
        "document_completed",
        "update_processed",
        "task_completed",
    ]
    assert [one["document"]["status"] for one in progress[1:3]] == ["success", "failure"]
    assert progress[2]["document"]["error"]
    assert (progress[3]["num_succeeded"], progress[3]["num_failed"]) == (1, 1)
