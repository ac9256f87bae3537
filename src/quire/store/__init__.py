"""Stores: where artifacts and facts live. `opening` opens one by its place, `files` keeps it in a folder, `temporary`
for a single read; `collecting`, `deleting` and `reporting` look after one."""
