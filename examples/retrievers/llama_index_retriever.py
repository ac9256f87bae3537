"""A LlamaIndex retriever over an index on this machine: nodes with their page, box and score.

Needs `pip install llama-index-core`.
"""

from __future__ import annotations

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

import quire


class QuireRetriever(BaseRetriever):
    """`QuireRetriever(quire.Index("library")).retrieve("gross margin 2022")`."""

    def __init__(self, index: quire.Index, k: int = 10) -> None:
        super().__init__()
        self._index, self._k = index, k

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = self._index.search(query_bundle.query_str, k=self._k)
        kept = ("document", "name", "path", "page", "bbox", "section", "blocks")
        return [
            NodeWithScore(
                node=TextNode(id_=hit.chunk, text=hit.text, metadata={name: hit.to_json()[name] for name in kept}),
                score=hit.score,
            )
            for hit in hits
        ]
