"""Workbooks of a solve: what an Excel template asks for, and the template filled with values and their evidence.

In: a template, the values of an answer, the evidence of each. Out: a JSON Schema, and a workbook as bytes, the same for
the same input. No runner and no store: pictures of places come from a function.
"""

from quire.solve.workbook.fill import fill_workbook as fill_workbook
from quire.solve.workbook.lost_parts import lost_parts as lost_parts
from quire.solve.workbook.template_schema import template_schema as template_schema
