"""The language of financial statements: their kinds, titles, line items and periods.

Comes in: one text, such as a label, a heading or a question. Goes out: the line item, the kind of statement, or the
period that it names. The layout asks it which lines belong to the head of a table, extraction which row is meant, and
search which statement a page is part of and a question is about.
"""
