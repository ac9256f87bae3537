"""Runtimes: whoever runs stages, looks up their keys and tells what happened."""
