"""The network: everything that Quire asks of other machines, over one HTTP transport.

`transport` connects, sends, follows redirects and retries, within a deadline and only to allowed addresses. Above it:
`fetching` (documents by URL), `model_server` (language models, vision models, embedders), `language_model`,
`search_engine`, `restate_server`, and `models` (weights, fetched once and checked); the client of Quire's own server is
`quire.client`. Comes in: an address. Goes out: bytes or JSON, or an error that says whether a retry helps.
"""
