"""Traces: everything about one run of a task in one file, from which its report is made again without any call."""
