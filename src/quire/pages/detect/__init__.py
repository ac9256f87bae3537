"""Shapes in the picture of a page: rules, photographs and drawings, heavy type."""
