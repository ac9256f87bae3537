"""Everything that survives a crash: work on documents as workflows over a store, on either runtime.

Comes in: requests (to read, to run a flow, to convert a batch of files, to extract, to index). Goes out: artifacts in
the store, and rows in its database. Its own layers, each built on those before it:

- `steps`: what steps of all workflows are made of; `reads`: documents and pages; `extracts`: values of a document;
  `review`: values that people decide about; `views`: what a browser is shown of a document; `indexing`: its passages in
  a search index.
- `flows`: steps that users wire; `tasks`: requests to the server; `worker_workflows`: all that a worker can run.
- `inline`: flows in the process of the caller; `folders`: batches over the files of this machine.
- `runtimes`: a store opened with a runtime that has all of these; `restate_worker`, `document_index`, `deletion`.
"""
