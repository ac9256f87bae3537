"""The answers of the tools: models whose JSON Schemas clients see, and the pure functions that fill them."""
