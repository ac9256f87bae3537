"""Gates of quality: golden blocks, scores with floors, perturbed pages, and fidelity to the words of the file.

`pages/` has documents that `python -m tests.quality.making` made, with the truth about each, and what Quire reads there
today; `python -m tests.quality --write` writes the latter anew.
"""
