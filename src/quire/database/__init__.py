"""Every SQL statement: what a store keeps in SQLite or PostgreSQL.

One schema for both. `database` is the interface, `sqlite` and `postgres` implement it; every other module takes a
`Database` and knows one group of tables.
"""
