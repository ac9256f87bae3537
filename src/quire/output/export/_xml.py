"""XML attributes and text, without the characters that XML does not allow."""

from __future__ import annotations

import re
from html import escape

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # XML 1.0, section 2.2


def text(value: str) -> str:
    """Text between tags; characters that XML does not allow become U+FFFD."""
    return escape(_NOT_XML.sub("\ufffd", value), quote=False)


def attributes(**values: object) -> str:
    """` NAME="value"` for each value that is not None; a trailing underscore of the name is stripped."""
    return "".join(
        f' {name.rstrip("_")}="{escape(_NOT_XML.sub(chr(0xFFFD), str(value)))}"'
        for name, value in values.items()
        if value is not None
    )
