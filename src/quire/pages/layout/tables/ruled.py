"""Ruled meshes that are tables, with everything else trimmed off."""

from __future__ import annotations

import re
from itertools import pairwise

from quire.core.pagetext import PageText
from quire.lexicon.amounts import is_measure, is_price
from quire.pages.layout.tables.judge import is_drawn
from quire.pages.layout.tables.lattice import inside
from quire.pages.layout.tables.mesh import Mesh
from quire.pages.layout.tables.split import part_words, split_columns, split_rows, split_titles
from quire.pages.layout.tables.table_values import FoundTable
from quire.pages.layout.tables.word_rows import TableWord, amount, in_rows, is_number, rows_of

THIN = 5.0  # points: empty rows and columns thinner than this are gaps of double lines
CAPTION = re.compile(
    r"(table|exhibit|figure|fig\.|tab\.|tabelle|tableau|abbildung)\s*(?:[A-Z]{0,2}\d|[A-Z]\b|[IVXLC]+\b)", re.IGNORECASE
)
NOTE = re.compile(r"(notes?|sources?|exhibit reads|abbreviations?)\b|[*†‡¹²³]", re.IGNORECASE)
FRAMED = 8  # rows: a mesh with fewer is hardly a whole form
FRAME = 400.0  # points: the least width and height of such a frame
LISTED = 6  # lines in a cell of the frame of a form
TALL = 3  # rows: a cell that spans fewer may have lines beside each of them
FAR = 1.8  # of the size: lines of one cell are nearer
TITLES = 0.4  # of the first row or column: the share of cells with words in a table
PROSE = 25  # words: a cell over the whole width with more is not a cell


def ruled_tables(
    page: PageText, meshes: list[Mesh], words: list[TableWord], turned: list[TableWord]
) -> tuple[list[FoundTable], list[TableWord]]:
    """The ruled tables, and the upright words that are in none of them."""
    tables: list[FoundTable] = []
    for mesh in meshes:
        held = inside(mesh, words)
        if len(held) < 3:
            continue
        for word in [*held, *inside(mesh, turned)]:
            mesh.place(word)
        if not is_ruled_table(mesh) or is_drawn(page, mesh.box):
            continue
        tables.append(mesh.table(header_rows(mesh)))
        taken = {id(word) for word in held if _kept(mesh, word)}
        words = [word for word in words if id(word) not in taken]
    return tables, words


def _kept(mesh: Mesh, word: TableWord) -> bool:
    return mesh.ys[0] <= word.baseline - 0.3 * word.size <= mesh.ys[-1]


def is_ruled_table(mesh: Mesh) -> bool:
    """Trim and split the mesh; False if the rest is a box, a frame or a drawing."""
    drop_thin(mesh)
    _cut_frame(mesh)
    _trim(mesh)
    if mesh.columns < 2:
        return False
    _part_tall(mesh)
    part_words(mesh)
    split_columns(mesh)
    split_titles(mesh)
    split_rows(mesh)
    if mesh.columns < 2 or mesh.rows < 2:
        return False
    cells = mesh.cells()
    filled = [cell for cell in cells if _words(mesh, cell)]
    columns = {cell[1] for cell in filled}
    rows = {cell[0] for cell in filled}
    if len(columns) < 2 or len(rows) < 2 or len(filled) < 4:
        return False
    shared = sum(1 for r in rows if sum(1 for cell in filled if cell[0] <= r < cell[0] + cell[2]) > 1)
    if 3 * len(filled) < len(cells) or shared < 2 or not _has_titles(mesh, filled):
        return False
    counts = sorted(amount(_words(mesh, cell)) for cell in filled)
    return not (counts[-1] > 60 and counts[-1] > 0.6 * sum(counts))


def _cut_frame(mesh: Mesh) -> None:
    """Cut off the rows above a table that are parts of the frame of a form, with whole lists in their cells."""
    if mesh.rows < FRAMED or mesh.ys[-1] - mesh.ys[0] < FRAME or mesh.xs[-1] - mesh.xs[0] < FRAME:
        return
    cells = [cell for cell in mesh.cells() if cell[0] < mesh.rows // 3]
    lists = [cell[0] + cell[2] for cell in cells if len(rows_of(_words(mesh, cell))) >= LISTED]
    for _ in range(max(lists, default=0)):
        mesh.drop_row(0)
    while lists and mesh.rows > 1 and _is_whole(mesh, 0):
        mesh.drop_row(0)


def _part_tall(mesh: Mesh) -> None:
    """Draw the lines between rows through cells whose lines are as far apart as the rows beside them."""
    for row, column, height, width in mesh.cells():
        filled = [r for r in range(row, row + height) if any(mesh.atoms[r][column : column + width])]
        if height < TALL or len(filled) < 2:
            continue
        lines = rows_of(_words(mesh, (row, column, height, width)))
        if all(b.baseline - a.baseline > FAR * a.size for a, b in pairwise(lines)):
            for r in range(row + 1, row + height):
                mesh.above[r][column : column + width] = [True] * width


def _has_titles(mesh: Mesh, filled: list[tuple[int, int, int, int]]) -> bool:
    """Whether words fill a good part of the first row or of the first column: a drawing has them anywhere."""
    across = sum(width for row, _, _, width in filled if row == 0)
    down = sum(height for _, column, height, _ in filled if column == 0)
    return across >= TITLES * mesh.columns or down >= TITLES * mesh.rows


def _words(mesh: Mesh, cell: tuple[int, int, int, int]) -> list[TableWord]:
    row, column, height, width = cell
    return [w for line in mesh.atoms[row : row + height] for atom in line[column : column + width] for w in atom]


def drop_thin(mesh: Mesh) -> None:
    """Remove empty rows and columns that are gaps of double lines."""
    for r in reversed(range(mesh.rows)):
        if mesh.rows > 1 and mesh.ys[r + 1] - mesh.ys[r] < THIN and not mesh.row_words(r):
            mesh.drop_row(r)
    for c in reversed(range(mesh.columns)):
        if mesh.columns > 1 and mesh.xs[c + 1] - mesh.xs[c] < THIN and not mesh.column_words(c):
            mesh.drop_column(c)


def _trim(mesh: Mesh) -> None:
    """Cut off captions at the top, notes at the bottom, and empty rows at both."""
    while mesh.rows > 1 and _is_whole(mesh, 0) and _is_caption(mesh.row_words(0)):
        mesh.drop_row(0)
    while mesh.rows > 1 and _is_whole(mesh, mesh.rows - 1) and _is_note(mesh.row_words(mesh.rows - 1)):
        mesh.drop_row(mesh.rows - 1)


def _is_whole(mesh: Mesh, row: int) -> bool:
    """Whether the row is one cell from side to side."""
    return mesh.columns > 1 and not any(mesh.before[row][1:])


def _is_caption(words: list[TableWord]) -> bool:
    text = " ".join(w.text for w in in_rows(words)[:4])
    return not words or bool(CAPTION.match(text)) or len(words) > PROSE


def _is_note(words: list[TableWord]) -> bool:
    text = " ".join(w.text for w in words[:4])
    return not words or bool(NOTE.match(text)) or len(words) > PROSE


def header_rows(mesh: Mesh) -> int:
    """The number of header rows at the top: those before the first with numbers, if any, else the first.

    A first row of amounts is none.
    """
    amounts = [atom for atom in mesh.atoms[0][1:] if atom]
    if len(amounts) > 1 and all(map(is_measure, (atom[-1].text for atom in amounts))):
        return 0
    for r in range(min(mesh.rows, 6)):
        texts = [atom for atom in mesh.atoms[r][1:] if atom]
        paid = any(is_price(word.text) for atom in texts for word in atom)
        if r and texts and (paid or 2 * sum(is_number(a[0].text) for a in texts) >= len(texts)):
            top = r
            break
    else:
        return 1
    spanning = [r for r in range(top) if r == 0 or not all(mesh.before[r][1:]) or not all(mesh.above[r])]
    return max(spanning) + 1 if spanning else 1
