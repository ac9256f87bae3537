"""Evaluation: values that were extracted, compared with fixtures of expected ones.

A grade is a pure function of a fixture and an output, so that a stored output is graded again without reading
anything, and gives the same bytes.
"""
