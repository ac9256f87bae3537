"""The source catalog: everything of a document that a value can cite, with stable ids and a version."""
