"""Flows as workflows: their steps played, each an artifact under its key."""
