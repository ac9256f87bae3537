"""The retriever for LangChain of the examples."""

from __future__ import annotations

import sys

import calls


def retrieve(folder, url, query, k):
    sys.path.insert(0, folder)
    from langchain_retriever import QuireRetriever

    found = QuireRetriever(url=url, k=k).invoke(query)
    return [[document.page_content, document.metadata] for document in found]


calls.make(retrieve)
