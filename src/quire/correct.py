"""Correctors for pipelines: they rewrite what engines have read."""

from quire.pipelines.correct import *  # noqa: F403
