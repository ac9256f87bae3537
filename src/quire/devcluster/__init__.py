"""The programs around workers, started on one machine: PostgreSQL, Restate and HAProxy."""
