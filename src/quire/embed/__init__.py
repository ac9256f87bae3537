"""Embedders: models on this machine and on servers, and the batches in which they are asked."""
