"""The lines of a page that may belong to tables: merged rulings, and edges of backgrounds where there are none."""

from __future__ import annotations

from quire.core.pagetext import PageText
from quire.pages.layout.tables.lattice import find_components, mesh_of
from quire.pages.layout.tables.rects import edges_of, with_edges
from quire.pages.layout.tables.strokes import Rules, Stroke, merged

MAX_RULES = 30_000  # before merging: a page with more is a drawing
MAX_MERGED = 1_500


def find_rules(page: PageText) -> Rules:
    """The lines of a page; none where there are too many for tables."""
    if len(page.rulings) // 5 > MAX_RULES:
        return Rules([], [])
    across: list[Stroke] = []
    down: list[Stroke] = []
    rulings = page.rulings
    for i in range(0, len(rulings), 5):
        x0, y0, x1, y1 = rulings[i : i + 4]
        if y0 == y1:
            across.append((y0, x0, x1))
        elif x0 == x1:
            down.append((x0, y0, y1))
    drawn = _few(Rules(merged(across), merged(down)))
    edges = edges_of(page) if page.rects else []
    if not edges:
        return drawn
    meshes = [mesh for component in find_components(drawn) if (mesh := mesh_of(component)) and mesh.rows > 2]
    return _few(Rules(with_edges(drawn.across, edges, [mesh.box for mesh in meshes]), drawn.down))


def _few(rules: Rules) -> Rules:
    return rules if max(len(rules.across), len(rules.down)) <= MAX_MERGED else Rules([], [])
