"""Stores: where artifacts and facts live. `files` keeps them in a folder, `temporary` for a single read."""
