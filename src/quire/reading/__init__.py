"""Reading a document, from the call to the page.

`call` holds the functions that users call; `pages` iterates over the pages; `page_stages` are the stages that make the
artifacts of a page, run by `stage_run`. Pages are parsed in this process (`native_pages`) or in workers
(`worker_pages`), and those that need OCR go through `recognizer`.
"""
