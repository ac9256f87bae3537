"""A development cluster on one machine: starts PostgreSQL, Restate, HAProxy and workers."""
