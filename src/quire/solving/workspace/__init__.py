"""Workspaces: a task and its documents as a tree of files with one digest, and what a runner wrote beside them.

The same inputs are the same tree, byte for byte, on every machine: paths are fixed, lines sorted, times and modes
constant, and nothing in it says when or where it was made.
"""
