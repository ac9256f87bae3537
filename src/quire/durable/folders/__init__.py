"""Folders of documents: which files they contain, what remains to be done, and a flow over each document."""
