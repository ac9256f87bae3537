"""Ready-made pipelines for kinds of documents: forms, drawings, and documents whose fields are not known yet."""
