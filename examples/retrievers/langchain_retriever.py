"""A LangChain retriever over a Quire server: documents with their page, box and the path of their picture.

Needs `pip install langchain-core`. Quire itself need not be installed where this runs.
"""

from __future__ import annotations

import json
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever


class QuireRetriever(BaseRetriever):
    """`QuireRetriever(url="http://localhost:5001").invoke("gross margin 2022")`."""

    url: str
    k: int = 10
    api_key: str | None = None

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        request = Request(f"{self.url}/api/search?{urlencode({'q': query, 'k': self.k})}")
        if self.api_key:
            request.add_header("X-Api-Key", self.api_key)
        with urlopen(request, timeout=30) as response:
            hits = json.load(response)["hits"]
        kept = ("document", "name", "page", "bbox", "section", "blocks", "score", "crop")
        return [
            Document(id=hit["chunk"], page_content=hit["text"], metadata={name: hit[name] for name in kept})
            for hit in hits
        ]
