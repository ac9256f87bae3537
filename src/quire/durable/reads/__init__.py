"""Durable reads: one document as a workflow, its pages as steps that are never done twice."""
