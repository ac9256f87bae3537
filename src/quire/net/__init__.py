"""The network: documents by URL, servers of models, optional models.

`fetching` downloads within limits and only from allowed addresses, `model_server` talks to servers of language models,
vision models, embedders and search engines, `models` fetches weights once and checks them. Comes in: an address. Goes
out: bytes or JSON, or an error that says whether a retry helps.
"""
