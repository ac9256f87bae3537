"""Blocks to files: Markdown, HTML, JSON, DoclingDocument, workbooks, searchable PDFs, crops of pages.

Comes in: a result, by the protocols of `export.contracts`. Goes out: text or bytes, equal for equal blocks: no times,
no names of machines. A new format is one module and one line in `export.FORMATS`.
"""
