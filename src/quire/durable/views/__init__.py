"""Looking at a document that was read: its pages, pictures, exports, tables, and search. Each is made once and kept."""
