"""What people are advised to install is what the project is called."""

from __future__ import annotations

import re
import tomllib

from quire.core.errors import DISTRIBUTION, install_advice
from tests.docs.pages import PAGES, ROOT, name_of

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
_ADVICE = re.compile(r"pip install [^\n`]*?([\w.-]*)\[([\w,]+)\]")


def test_the_distribution_is_called_as_the_advice_says() -> None:
    assert PROJECT["name"] == DISTRIBUTION
    assert install_advice("excel") == "pip install 'quire-documents[excel]'"


def test_advice_in_code_is_made_in_one_place_and_names_extras_that_exist() -> None:
    texts = {path: path.read_text() for path in SOURCES}
    asked = {extra for text in texts.values() for extra in re.findall(r"install_advice\('(\w+)'\)", text)}
    assert asked and asked <= PROJECT["optional-dependencies"].keys()
    assert [path.name for path, text in texts.items() if re.search(r"pip install '?quire", text)] == []


def test_the_pages_offer_only_extras_that_exist() -> None:
    for page in PAGES:
        for name, extras in _ADVICE.findall(page.read_text()):
            assert name in (DISTRIBUTION, "."), f"{name_of(page)}: {name}[{extras}]"
            assert set(extras.split(",")) <= PROJECT["optional-dependencies"].keys(), name_of(page)
