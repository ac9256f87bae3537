"""Objects in a folder and in buckets of real servers: one contract. And what is said when a bucket cannot be used."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from quire.core.errors import ConfigurationError, StoreError
from quire.store.local import LocalObjects
from quire.store.objects import Objects
from quire.store.remote import FAN_OUT, RemoteObjects
from tests.marking import on_servers
from tests.servers.ports import free_port
from tests.servers.s3 import S3Server


@pytest.fixture(params=["folder", "memory", on_servers("s3"), on_servers("azure")])
def objects(request, tmp_path) -> Objects:
    match request.param:
        case "folder":
            return LocalObjects(tmp_path)
        case "memory":
            return RemoteObjects("memory:///")
    return RemoteObjects(request.getfixturevalue(f"{request.param}_url"))


def test_an_object_is_read_as_it_was_written(objects):
    objects.write("packs/one", b"some bytes")
    assert objects.read("packs/one") == b"some bytes"
    assert objects.exists("packs/one")


def test_writing_again_replaces_the_object(objects):
    objects.write("packs/one", b"some bytes")
    objects.write("packs/one", b"others")
    assert objects.read("packs/one") == b"others"


def test_a_part_of_an_object_is_read(objects):
    objects.write("packs/one", b"0123456789")
    assert objects.read("packs/one", 2, 3) == b"234"
    assert objects.read("packs/one", 7) == b"789"
    assert objects.read("packs/one", 8, 100) == b"89", "what there is"
    assert objects.read("packs/one", 3, 0) == b""


def test_an_object_that_is_not_there_is_none(objects):
    assert objects.read("packs/none") is None
    assert objects.read("packs/none", 1, 2) is None
    assert objects.read("packs/none", 1, 0) is None
    assert not objects.exists("packs/none")


def test_a_large_object_comes_back_whole(objects):
    data = bytes(range(256)) * 50_000  # 12.8 MB: several parts
    objects.write("packs/large", data)
    assert objects.read("packs/large") == data
    assert objects.read("packs/large", 12_000_000, 4) == data[12_000_000:12_000_004]


def test_objects_of_a_folder_are_listed_with_size_and_time(objects):
    before = time.time() - 5
    for name in ("packs/a", "packs/b", "packsack/c", "documents/d/pages/page-001.png"):
        objects.write(name, name.encode())
    assert sorted(found.name for found in objects.list("packs/")) == ["packs/a", "packs/b"]
    (picture,) = objects.list("documents/d/")
    assert (picture.name, picture.size) == ("documents/d/pages/page-001.png", 30)
    assert before < picture.modified < time.time() + 5
    assert list(objects.list("none/")) == []


def test_objects_are_deleted_whether_all_are_there_or_not(objects):
    objects.write_many((f"packs/{number}", b"data") for number in range(5))
    objects.delete(["packs/none", "packs/0", "packs/3", "packs/nobody"])
    assert sorted(found.name for found in objects.list("packs/")) == ["packs/1", "packs/2", "packs/4"]
    objects.delete([])


def test_many_objects_are_written(objects):
    objects.write_many((f"packs/{number:03}", str(number).encode()) for number in range(40))
    assert sorted(found.name for found in objects.list("packs/")) == [f"packs/{number:03}" for number in range(40)]
    assert objects.read("packs/017") == b"17"


def test_only_a_few_objects_are_in_memory_at_a_time():
    """Each object is asked for only when there is room for it, so that a document of any length can be uploaded."""
    objects = RemoteObjects("memory:///")
    asked = 0

    def pictures() -> Iterator[tuple[str, bytes]]:
        nonlocal asked
        for number in range(50):
            asked += 1
            written = sum(1 for _ in objects.list("p"))
            assert asked - written <= FAN_OUT + 1
            yield f"p/{number}", b"data"

    objects.write_many(pictures())
    assert asked == 50


def test_after_a_failure_nothing_more_is_begun(s3_server, monkeypatch):
    server = S3Server()
    server.start()
    asked = []
    try:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        objects = RemoteObjects(server.create())

        def pictures() -> Iterator[tuple[str, bytes]]:
            for number in range(1000):
                asked.append(number)
                if number == 10:
                    server.stop()
                yield f"p/{number}", b"data"

        with pytest.raises(StoreError, match=r"s3://bucket-1/some/folder cannot be written to.*check the network"):
            objects.write_many(pictures())
    finally:
        server.stop()
    assert len(asked) <= 10 + 2 * FAN_OUT


def test_a_bucket_that_does_not_exist_is_told_before_any_work_is_done(s3_url):
    with pytest.raises(ConfigurationError, match=r"s3://nobody-has-this.*does not exist; create it or correct"):
        RemoteObjects("s3://nobody-has-this/folder")


def test_an_azure_container_that_does_not_exist_is_told(azure_url):
    with pytest.raises(ConfigurationError, match=r"az://nobody-has-this.*does not exist; create it or correct"):
        RemoteObjects("az://nobody-has-this/folder")


def test_a_service_that_does_not_answer_is_named(s3_url, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{free_port()}")
    with pytest.raises(StoreError, match=r"s3://bucket-\d+/some/folder cannot be opened: .*check the network"):
        RemoteObjects(s3_url)


def test_an_endpoint_without_encryption_must_be_allowed(s3_url, monkeypatch):
    monkeypatch.delenv("AWS_ALLOW_HTTP")
    with pytest.raises(ConfigurationError, match="AWS_ALLOW_HTTP=true"):
        RemoteObjects(s3_url)


def test_a_bucket_of_google_asks_for_its_credentials(tmp_path, monkeypatch):
    """No server of that kind is here; that the address is taken and its credentials are asked for is what is tested."""
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "missing.json"))
    with pytest.raises(ConfigurationError, match=r"gs://bucket/folder cannot be opened") as told:
        RemoteObjects("gs://bucket/folder")
    assert "GOOGLE_APPLICATION_CREDENTIALS" in str(told.value)


def test_an_azure_account_that_is_not_named_is_asked_for(monkeypatch):
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT_NAME", raising=False)
    with pytest.raises(ConfigurationError, match="Account must be specified; set AZURE_STORAGE_ACCOUNT_NAME"):
        RemoteObjects("az://container/folder")


@pytest.mark.parametrize("url", ["ftp://host/folder", "https://host/folder", "s3://"])
def test_an_address_of_another_kind_is_refused(url):
    with pytest.raises(ConfigurationError, match=r"s3://|address"):
        RemoteObjects(url)


@pytest.mark.processes
def test_without_obstore_the_extra_is_named():
    code = (
        "import sys; sys.modules['obstore'] = None\n"
        "from quire.core.errors import ConfigurationError\n"
        "from quire.store.remote import RemoteObjects\n"
        "try: RemoteObjects('s3://bucket/folder')\n"
        "except ConfigurationError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert "quire-documents[cloud]" in done.stdout
