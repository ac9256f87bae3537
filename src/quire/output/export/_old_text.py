"""Removes the text layer of an earlier OCR: drawn with mode 3, so removing it changes nothing visible."""

from __future__ import annotations

from typing import Any

_SHOW = frozenset({"Tj", "TJ", "'", '"'})
_NEXT_LINE = frozenset({"'", '"'})
_INVISIBLE = 3
_DEEPEST = 8  # forms within forms


def without_invisible_text(pikepdf: Any, file: Any, page: Any) -> None:
    """Remove the invisible text from a page and from the forms that it draws; everything visible stays."""
    kept = _kept(pikepdf, page, page.resources, 0, _DEEPEST)
    if kept is not None:
        page.obj.Contents = file.make_stream(pikepdf.unparse_content_stream(kept))


def _kept(pikepdf: Any, content: Any, resources: Any, mode: int, depth: int) -> list[Any] | None:
    """The instructions without those that show invisible text, None when nothing changes."""
    kept: list[Any] = []
    modes: list[int] = []
    changed = False
    for instruction in pikepdf.parse_content_stream(content):
        operator = str(instruction.operator)
        if operator == "q":
            modes.append(mode)
        elif operator == "Q" and modes:
            mode = modes.pop()
        elif operator == "Tr" and instruction.operands:
            mode = int(instruction.operands[0])
        elif operator == "Do" and instruction.operands and depth:
            _clean_form(pikepdf, resources, instruction.operands[0], mode, depth)
        elif operator in _SHOW and mode == _INVISIBLE:
            changed = True
            if operator in _NEXT_LINE:
                kept.append(pikepdf.ContentStreamInstruction([], pikepdf.Operator("T*")))
            continue
        kept.append(instruction)
    return kept if changed else None


def _clean_form(pikepdf: Any, resources: Any, name: Any, mode: int, depth: int) -> None:
    """Forms are changed in place: one that several pages draw was made by the same OCR run."""
    form = resources.get("/XObject", {}).get(str(name))
    if form is not None and form.get("/Subtype") == "/Form":
        kept = _kept(pikepdf, form, form.get("/Resources", resources), mode, depth - 1)
        if kept is not None:
            form.write(pikepdf.unparse_content_stream(kept))
