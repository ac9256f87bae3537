"""Bytes to blocks: what is on each page, and the document that the pages make.

`render` opens files and gives text and pictures of pages, `formats` does so for office files; `prepare`, `detect` and
`recognize` read pictures; `layout` makes the blocks of a page, `assemble` the document. Comes in: a `Document`. Goes
out: blocks with boxes, in reading order. Pages do not know who runs them, or where their output is stored.
"""
