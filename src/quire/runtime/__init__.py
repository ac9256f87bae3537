"""Runtimes: run workflows, look up their keys and emit events."""
