"""Classifiers of regions: blank, a header, one cell drawn as several. Blank regions are never sent to an engine."""

from __future__ import annotations

from quire.pipelines.classify.both import hybrid
from quire.pipelines.classify.learned import embedding
from quire.pipelines.classify.rules import rule_based

__all__ = ["embedding", "hybrid", "rule_based"]
