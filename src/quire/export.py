"""The formats of a result, each as a function."""

from quire.output.export import *  # noqa: F403
