"""What a template holds that openpyxl does not keep."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping

from quire.solving.workbook.template_file import check_template

_MEMBERS: Mapping[str, str] = {
    r"xl/vbaProject\.bin": "macros",
    r"xl/(slicers|slicerCaches)/": "slicers",
    r"xl/(timelines|timelineCaches)/": "timelines",
    r"xl/ctrlProps/": "form controls",
    r"xl/activeX/": "ActiveX controls",
    r"xl/embeddings/": "embedded objects",
    r"xl/diagrams/": "SmartArt",
    r"xl/charts/chartEx": "charts of the kinds that came with Excel 2016",
    r"xl/threadedComments/": "threads of comments",
    r"xl/media/.*\.(emf|wmf|svg)$": "drawings as pictures (EMF, WMF, SVG)",
    r"xl/(connections\.xml|queryTables/)": "data connections",
    r"xl/metadata\.xml": "formulas that spill into other cells",
}
"""Parts of the archive by the beginning of their names."""
_CONTENTS = (
    ("xl/drawings/drawing", rb"<xdr:(?:sp|cxnSp|grpSp)[ >]", "shapes and text boxes"),
    ("xl/worksheets/sheet", rb"<x14:sparklineGroup[ >]", "sparklines"),
    ("xl/worksheets/sheet", rb"<x14:conditionalFormatting[ >]", "data bars and icon sets of Excel 2010"),
    ("xl/worksheets/sheet", rb"<x14:dataValidation[ >]", "choices whose list is on another sheet"),
    ("xl/worksheets/sheet", rb"<legacyDrawingHF[ >]", "pictures in headers and footers"),
)
"""The beginning of a part's name, what stands in it, and what that is."""


def lost_parts(template: bytes) -> list[str]:
    """What the filled workbook will lack, for a warning: `shapes and text boxes`, `macros`. Raises UsageError for a
    file that is no template."""
    check_template(template)
    found = []
    with zipfile.ZipFile(io.BytesIO(template)) as archive:
        names = archive.namelist()
        found += [what for pattern, what in _MEMBERS.items() if any(re.match(pattern, name) for name in names)]
        for begin, pattern, what in _CONTENTS:
            if any(name.startswith(begin) and re.search(pattern, archive.read(name)) for name in names):
                found.append(what)
    return found
