"""Tasks of the service as durable workflows: several sources read, turned into answers, and delivered."""
