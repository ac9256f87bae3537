"""Durable reads: one document as a workflow, its pages as idempotent steps."""
