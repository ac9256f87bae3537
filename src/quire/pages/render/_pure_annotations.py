"""Links, form fields and the structure tree of a page: the pure-Python reader."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any

import pypdfium2.raw as pdfium

from quire.core.affine import Affine
from quire.core.pagetext import FieldInfo, LinkInfo, TagInfo

MAX_TAGS = 20_000
MAX_DEPTH = 64

_FIELD_KINDS = {
    1: "button",
    2: "checkbox",
    3: "radio",
    4: "choice",
    5: "choice",
    6: "text",
    7: "signature",
}


def read_links(document: Any, page: Any, transform: Affine) -> list[LinkInfo]:
    """The boxes and targets of links."""
    found: list[LinkInfo] = []
    position, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    while pdfium.FPDFLink_Enumerate(page, position, link):
        rect = pdfium.FS_RECTF()
        if not pdfium.FPDFLink_GetAnnotRect(link, rect):
            continue
        box = [round(v, 3) for v in transform.bounds(((rect.left, rect.bottom), (rect.right, rect.top)))]
        action = pdfium.FPDFLink_GetAction(link)
        uri = None
        if action and pdfium.FPDFAction_GetType(action) == pdfium.PDFACTION_URI:
            size = pdfium.FPDFAction_GetURIPath(document, action, None, 0)
            buffer = ctypes.create_string_buffer(size)
            pdfium.FPDFAction_GetURIPath(document, action, buffer, size)
            uri = buffer.raw[: max(size - 1, 0)].decode("utf-8", "replace") or None
        target = pdfium.FPDFLink_GetDest(document, link) or (action and pdfium.FPDFAction_GetDest(document, action))
        index = pdfium.FPDFDest_GetDestPageIndex(document, target) if target else -1
        if uri or index >= 0:
            found.append({"box": box, "uri": uri, "page": index + 1 if index >= 0 else None})
    return found


def read_fields(formenv: Any, page: Any, transform: Affine) -> list[FieldInfo]:
    """The form fields of a page with their values."""
    found: list[FieldInfo] = []
    if formenv is None:
        return found
    form = formenv.raw if hasattr(formenv, "raw") else formenv
    for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            if pdfium.FPDFAnnot_GetSubtype(annotation) != pdfium.FPDF_ANNOT_WIDGET:
                continue
            kind = _FIELD_KINDS.get(pdfium.FPDFAnnot_GetFormFieldType(form, annotation), "")
            rect = pdfium.FS_RECTF()
            if not kind or not pdfium.FPDFAnnot_GetRect(annotation, rect):
                continue
            if kind in ("checkbox", "radio"):
                value = ""
                if pdfium.FPDFAnnot_IsChecked(form, annotation):
                    export_value = _wide(partial(pdfium.FPDFAnnot_GetFormFieldExportValue, form, annotation))
                    value = export_value if kind == "radio" and export_value else "on"
            else:
                value = _wide(partial(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation))
            name = _wide(partial(pdfium.FPDFAnnot_GetFormFieldAlternateName, form, annotation))
            name = name or _wide(partial(pdfium.FPDFAnnot_GetFormFieldName, form, annotation))
            box = [round(v, 3) for v in transform.bounds(((rect.left, rect.bottom), (rect.right, rect.top)))]
            found.append({"box": box, "kind": kind, "name": name, "value": value})
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)
    return found


def read_tags(page: Any) -> list[TagInfo]:
    """The structure elements that this page shows, in tree order."""
    found: list[TagInfo] = []
    tree = pdfium.FPDF_StructTree_GetForPage(page)
    if not tree:
        return found
    try:
        for index in range(max(pdfium.FPDF_StructTree_CountChildren(tree), 0)):
            _tag(pdfium.FPDF_StructTree_GetChildAtIndex(tree, index), -1, found, 0)
    finally:
        pdfium.FPDF_StructTree_Close(tree)
    return found


def _tag(element: Any, parent: int, found: list[TagInfo], depth: int) -> None:
    if not element or depth > MAX_DEPTH or len(found) >= MAX_TAGS:
        return
    number = len(found)
    mcids: list[int] = []
    found.append(
        {
            "type": _wide(lambda b, n: pdfium.FPDF_StructElement_GetType(element, b, n)),
            "parent": parent,
            "mcids": mcids,
            "alt": _wide(lambda b, n: pdfium.FPDF_StructElement_GetAltText(element, b, n)),
            "row_span": _span(element, "RowSpan"),
            "column_span": _span(element, "ColSpan"),
        }
    )
    for index in range(max(pdfium.FPDF_StructElement_CountChildren(element), 0)):
        mcid = pdfium.FPDF_StructElement_GetChildMarkedContentID(element, index)
        if mcid >= 0:
            mcids.append(mcid)
        else:
            _tag(pdfium.FPDF_StructElement_GetChildAtIndex(element, index), number, found, depth + 1)


def _span(element: Any, name: str) -> int:
    for index in range(max(pdfium.FPDF_StructElement_GetAttributeCount(element), 0)):
        attribute = pdfium.FPDF_StructElement_GetAttributeAtIndex(element, index)
        value = pdfium.FPDF_StructElement_Attr_GetValue(attribute, name.encode())
        number = ctypes.c_float(0)
        if value and pdfium.FPDF_StructElement_Attr_GetNumberValue(value, number):
            return min(max(int(number.value), 1), 1000)
    return 1


def _wide(call: Callable[[Any, int], int]) -> str:
    """A UTF-16 string that PDFium writes into our buffer."""
    size = call(None, 0)
    if size <= 2 or size > 2_000_000:
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    call(buffer, size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace").strip()
