"""Makes the golden pages with Chromium, LibreOffice and reportlab: `python -m tests.quality.making [FAMILY ...]`.

The files and the truth about them are committed, so that no test needs these programs.
"""
