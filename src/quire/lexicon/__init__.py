"""The meaning of words and numbers, wherever they stand: no page, no box, no document.

Used by the layout, extraction, search and verification, so that all of them call the same text an amount or a date.
Comes in: a text. Goes out: what it says.
"""
