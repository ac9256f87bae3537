"""Runners: agents that solve a task over documents, behind the one protocol of `quire.core.runner`."""
