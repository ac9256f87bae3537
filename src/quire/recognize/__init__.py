"""Engines that read pictures of pages, and their composers."""
