"""Opens PDFs with the compiled reader when it is installed, otherwise with the pure-Python one."""

from __future__ import annotations

import io
import os
from importlib.util import find_spec

from quire.core.document import Document, Reader
from quire.core.errors import CorruptError, InputError, PasswordError, UnsupportedError, install_advice
from quire.pages.render._guard import PdfReader, guarded


def open_pdf(document: Document) -> Reader:
    """The reader of a PDF. `QUIRE_NATIVE=0` forces the pure-Python path.

    A file that PDFium refuses is rewritten by `pikepdf`, where that is installed, and tried again. Pages that would
    exhaust memory or time in PDFium are refused before it reads them.
    """
    data = None
    try:
        reader = _open(document)
    except (CorruptError, PasswordError, UnsupportedError) as error:
        # Also after a password was refused: PDFium does not know every scheme.
        data = _rewritten(document, error)
        reader = _open(document, data)
    try:
        return guarded(reader, document, data)
    except BaseException:
        reader.close()
        raise


def native_available() -> bool:
    """Whether documents are read by the compiled crate."""
    return os.environ.get("QUIRE_NATIVE") != "0" and find_spec("quire_native") is not None


def _open(document: Document, data: bytes | None = None) -> PdfReader:
    if native_available():
        from quire.pages.render._native import NativeReader

        return NativeReader(document, data)
    from quire.pages.render._pure import PureReader

    return PureReader(document, data)


def _rewritten(document: Document, error: InputError) -> bytes:
    """The document as `pikepdf` understands it, decrypted and with a new cross-reference table."""
    try:
        import pikepdf  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        if isinstance(error, CorruptError):
            error.args = (f"{error.args[0]}; {install_advice('repair')} may open it",)
        raise error from None
    try:
        with pikepdf.open(io.BytesIO(document.read_bytes()), password=document.password or "") as pdf:
            if not pdf.pages:
                raise error
            written = io.BytesIO()
            pdf.save(written, static_id=True)
            return written.getvalue()
    except (pikepdf.PasswordError, pikepdf.PdfError, ValueError, RuntimeError):
        raise error from None
