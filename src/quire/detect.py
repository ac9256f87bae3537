"""Detectors for pipelines: they find the regions of a page to read."""

from quire.pipelines.detect import *  # noqa: F403
