"""Forms: labels with their values, ruled grids and check boxes, to a workbook with colours by confidence.

`forms.fields("form.pdf").save("form.xlsx")` for labels and values, `forms.tabular(excel_out="out")("form.png")` for
forms that are a grid.
"""

from __future__ import annotations

from quire.pipelines.domains.forms.fields import drawn_boxes, fields, form_of
from quire.pipelines.domains.forms.found_form import CheckedBox, Form, FormField
from quire.pipelines.domains.forms.tabular import tabular, tabular_builder

__all__ = ["CheckedBox", "Form", "FormField", "drawn_boxes", "fields", "form_of", "tabular", "tabular_builder"]
