"""Open WebUI: the `DoclingLoader` of `open_webui/retrieval/loaders/main.py`, the file as it is in the wheel.

That module also imports the other loaders and the settings of the application, which need its database and hundreds of
packages. `DoclingLoader` uses none of them, so they are stand-ins here.
"""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from unittest.mock import MagicMock

import calls


class StandIns:
    """Finds any module of the application, and the packages that the other loaders import."""

    NAMES = ("open_webui", "azure", "ftfy", "fastapi")

    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self, is_package=True) if name.partition(".")[0] in self.NAMES else None

    def create_module(self, spec):
        module = ModuleType(spec.name)
        module.__getattr__ = lambda attribute: STAND_IN[attribute]
        return module

    def exec_module(self, module):
        module.__path__ = []


class Values(dict):
    def __missing__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return MagicMock(name=name)


STAND_IN = Values(GLOBAL_LOG_LEVEL="WARNING", AIOHTTP_CLIENT_SESSION_SSL=True, REQUESTS_VERIFY=True)


def loader_module():
    sys.meta_path.insert(0, StandIns())
    path = Path(sys.prefix).parent / "open-webui" / "main.py"
    spec = importlib.util.spec_from_file_location("open_webui_loaders", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LOADERS = loader_module()


def load(url, path, mime_type="application/pdf", key=None, params=None):
    loader = LOADERS.DoclingLoader(url, key, path, mime_type, params)
    return [[document.page_content, document.metadata] for document in loader.load()]


calls.make(load)
