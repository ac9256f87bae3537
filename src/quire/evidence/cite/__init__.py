"""Answers of a language model from passages: every sentence cites them, and is checked against them."""
