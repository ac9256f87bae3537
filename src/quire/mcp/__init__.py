"""Documents for language models: a server of the Model Context Protocol, over a store or over a running server.

`served_documents` asks the HTTP API, over the network or (`in_process`) within this process; `answers/` makes of what
it says the small answers of the tools; `tools` are these, eight at most, `resources` what they link to, `tasks` the
calls that take long; `protocol` is the server of the SDK around all of it, `http_app` and `running` carry it over HTTP
and over standard input and output. Comes in: calls of tools by a client. Goes out: structured answers below a number of
tokens, pictures of places, and errors that say what to ask instead.
"""
