"""Reproducible measurements of Quire beside its peers: `python -m benchmarks --list`."""
