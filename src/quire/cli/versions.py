"""The output of `quire --version`: the versions of all components, for bug reports."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from quire import __version__
from quire.core.errors import ConfigurationError

_LIBRARIES = ("onnxruntime", "opencv-python-headless", "numpy", "pillow")
_OPTIONAL = ("xlsxwriter", "pikepdf", "psycopg", "obstore", "restate-sdk")


def version_lines() -> Iterator[str]:
    """`quire X.Y.Z`, then one line for each part with its version, or why it is not used."""
    yield f"quire {__version__}"
    yield from (f"  {name:<11}  {value}" for name, value in _parts())


def _parts() -> Iterator[tuple[str, str]]:
    yield "python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    yield "reader", _reader()
    yield "pdfium", _pdfium()
    yield "ocr models", _models()
    yield "tesseract", _tesseract()
    yield "libraries", ", ".join(f"{name} {_installed(name) or 'not installed'}" for name in _LIBRARIES)
    found = {name: _installed(name) for name in _OPTIONAL}
    yield "optional", ", ".join(f"{name} {number}" for name, number in found.items() if number) or "none"


def _reader() -> str:
    from quire.pages.render.pdf import native_available

    number = _installed("quire-native")
    if number is None:
        return "pure Python; quire-native, the faster one, is not installed"
    return f"quire-native {number}" if native_available() else f"pure Python; quire-native {number} is switched off"


def _pdfium() -> str:
    try:
        from pypdfium2.version import PDFIUM_INFO
    except (ImportError, OSError) as error:
        return f"cannot be loaded: {error}"
    return f"{PDFIUM_INFO.build} (pypdfium2 {_installed('pypdfium2')})"


def _models() -> str:
    from quire.pages.recognize.engine_registry import make

    try:
        return f"PP-OCRv6, engine rapidocr {make('rapidocr').version}"
    except ConfigurationError as error:
        return str(error)


def _tesseract() -> str:
    from quire.pages.recognize.tesseract.program import find

    try:
        program = find()
    except ConfigurationError as error:
        return str(error)
    return f"{program.version} with {', '.join(program.traineddata) or 'no languages'}"


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
