"""OCR: which pages need it, the engines that read their pictures, and their answers as the text of a page."""
