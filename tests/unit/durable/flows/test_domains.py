"""The components for forms and drawings: an untrusted file is opened in a worker, never in the runtime's process."""

from __future__ import annotations

import pytest

from quire.core.document import Document
from quire.core.errors import InputError
from quire.core.keys import digest_bytes
from quire.durable.flows.domains import domain_services
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.reads.read_steps import DocumentSteps
from quire.durable.runtimes import local_runtime
from quire.store.files import FileStore
from tests.conftest import ROOT

pytestmark = pytest.mark.processes

SAMPLES = ROOT / "src" / "quire" / "flow" / "samples"
NAMES = ("form.pdf", "drawing.pdf")


def test_forms_and_drawings_are_opened_in_workers(tmp_path, monkeypatch):
    form, drawing = (SourceRef(digest_bytes(p.read_bytes()), p.name, str(p)) for p in map(SAMPLES.joinpath, NAMES))
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 nothing")
    with FileStore(tmp_path / "store") as store:
        with local_runtime(store, workers=1) as runtime:
            read = runtime.result(runtime.submit("document", ReadRequest(form).to_json()), timeout_s=60)
        monkeypatch.setattr(Document, "reader", property(_opened_here))
        services = domain_services(DocumentSteps(store, workers=1))
        found = services["form"](document=read, source=form.to_json())
        assert [one["label"] for one in found["check_boxes"]] == ["Pilot wanted", "Night passage"]
        book = services["form_workbook"](document=read, source=form.to_json())
        assert book[".form.xlsx"].startswith(b"PK")
        sheet = services["drawing"](source=drawing.to_json(), pages=None)
        assert [tag["tag"] for tag in sheet["tags"]["equipment"]] == ["T-2040", "P-2041A"]
        with pytest.raises(InputError):
            lost = SourceRef(digest_bytes(broken.read_bytes()), broken.name, str(broken))
            services["drawing"](source=lost.to_json(), pages=None)


def _opened_here(document: Document) -> None:
    raise AssertionError(f"{document.name} is opened in this process")
