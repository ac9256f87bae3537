"""Solving as durable work: runners in a failover chain over documents that were read, checks, rounds, people."""
