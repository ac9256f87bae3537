"""Folders of documents: which files they hold, what is left to do, and a flow over each document."""
