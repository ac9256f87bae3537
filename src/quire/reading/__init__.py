"""How a document is read, from the call to the page.

`call` is what users call; `pages` goes from page to page; `page_stages` are the stages that make what is kept of a
page, run by `stage_run`. Pages are parsed in this process (`native_pages`) or in workers (`worker_pages`), and those
that need OCR go through `recognizer`.
"""
