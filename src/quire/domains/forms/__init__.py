"""Forms: labels with their values, ruled grids and check boxes, to a workbook with colours by confidence.

`forms.fields("form.pdf").save("form.xlsx")` for labels and values, `forms.tabular(excel_out="out")("form.png")` for
forms that are a grid.
"""

from __future__ import annotations

from quire.domains.forms.fields import drawn_boxes, fields, form_of
from quire.domains.forms.tabular import tabular, tabular_builder
from quire.domains.forms.values import CheckedBox, Form, FormField

__all__ = ["CheckedBox", "Form", "FormField", "drawn_boxes", "fields", "form_of", "tabular", "tabular_builder"]
