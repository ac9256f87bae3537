"""Flows as workflows: each step makes an artifact under its key."""
