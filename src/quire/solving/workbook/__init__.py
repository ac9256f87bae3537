"""Workbooks of a solve: what an Excel template asks for, and the template filled with values and their evidence.

In: a template, the values of an answer, the evidence of each. Out: a JSON Schema, and a workbook as bytes, the same for
the same input. No runner and no store: pictures of places come from a function.
"""

from quire.solving.workbook.fill import fill_workbook as fill_workbook
from quire.solving.workbook.lost_parts import lost_parts as lost_parts
from quire.solving.workbook.template_schema import template_schema as template_schema
