"""What the database of a store remembers beside artifacts: claims, runs and their events, outputs, files, quarantine.

One schema for SQLite and PostgreSQL; every module takes a `Database` and knows one group of tables.
"""
