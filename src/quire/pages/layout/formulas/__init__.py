"""Formulas as LaTeX, from glyphs, fonts, sizes, baselines and drawn rules."""
