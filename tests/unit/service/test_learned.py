"""Models that requests name: those of a folder, for each tenant its own, and nothing outside of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from quire.core.errors import UsageError
from quire.evidence.learn.training import learn
from quire.service.learned import LearnedModels
from quire.store.scoped import scope_of
from tests.unit.evidence.learn.receipts import sample


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("models")
    model = learn(map(sample, range(5)))
    for name in ("outside.model", "models/receipts.model", "models/acme/bills.model", "models/notes.txt"):
        model.save(made / name)
    (made / "models" / "damaged.model").write_text("{}")
    return made / "models"


def test_a_model_is_found_by_its_name(folder):
    assert LearnedModels(str(folder)).extractor("receipts", "") == f"learned:{folder / 'receipts.model'}"


@pytest.mark.parametrize(
    "name", ["../outside", "acme/bills", "/etc/passwd", "receipts.model", "notes", "", ".", "recei\0pts", "*"]
)
def test_a_name_is_never_a_path(folder, name):
    with pytest.raises(UsageError, match=r"choose from damaged, receipts$"):
        LearnedModels(str(folder)).extractor(name, "")


def test_a_tenant_has_the_models_of_its_own_folder_alone(folder):
    models = LearnedModels(str(folder))
    assert [models.names(scope_of(tenant)) for tenant in ("acme", "other", "default")] == [
        ["bills"],
        [],
        ["damaged", "receipts"],
    ]
    assert models.extractor("bills", scope_of("acme")).endswith("acme/bills.model")
    with pytest.raises(UsageError, match=r"choose from bills$"):
        models.extractor("receipts", scope_of("acme"))
    for tenant in ("other", "../models/acme", "."):
        with pytest.raises(UsageError, match="there is none yet"):
            models.extractor("bills", scope_of(tenant))


def test_a_damaged_model_is_refused_without_its_path(folder):
    with pytest.raises(UsageError, match="the model 'damaged' of this server") as refused:
        LearnedModels(str(folder)).extractor("damaged", "")
    assert str(folder) not in str(refused.value)


def test_a_server_without_a_folder_says_so(folder):
    for place in (None, str(folder / "missing")):
        assert LearnedModels(place).names("") == []
        with pytest.raises(UsageError, match="this server has no model"):
            LearnedModels(place).extractor("receipts", "")
