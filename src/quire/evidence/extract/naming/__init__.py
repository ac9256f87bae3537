"""Names of fields: concepts with their labels in several languages, and how well a text names one."""
