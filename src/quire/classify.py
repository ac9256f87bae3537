"""Classifiers for pipelines: they say what regions are."""

from quire.pipelines.classify import *  # noqa: F403
