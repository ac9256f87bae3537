"""Values from documents, each with its evidence: what a schema asks for, who proposes values, and the result."""
