"""TODO shelf."""
