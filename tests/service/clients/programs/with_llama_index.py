"""The retriever for LlamaIndex of the examples, over an index on this machine."""

from __future__ import annotations

import sys

import calls


def retrieve(folders, path, query, k):
    sys.path += folders
    from llama_index_retriever import QuireRetriever

    import quire

    with quire.Index("store", embedder="none") as index:
        index.add(path)
        found = QuireRetriever(index, k=k).retrieve(query)
    return [[one.node.text, one.score, one.node.metadata] for one in found]


if __name__ == "__main__":  # workers import this module
    calls.make(retrieve)
