"""Review: the doubtful values of an extraction, what people decide about them, and the extraction after that."""
