"""Extractions as durable work: made once in a worker process, stored under their key, written as reports."""
