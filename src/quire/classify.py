"""Classifiers for pipelines: they say what regions are."""

from quire.pipelines.classify import embedding, hybrid, rule_based

__all__ = ["embedding", "hybrid", "rule_based"]
