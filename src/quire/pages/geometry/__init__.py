"""Positions on a page, the same for lines, words, cells and boxes: what two boxes share, rows, columns and edges.

`extents` compares boxes, `rows` puts things into rows and other groups, `neighbours` finds the next one in a direction.
"""
