"""The fixed set of tools of a solve: they read the catalog of its documents, and collect what a model proposes.

Pure and deterministic: no network, no shell, no file. A wrong call is an answer that the model can repair.
"""
