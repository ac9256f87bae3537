"""Documents that can be searched: a batch puts them into an index, and searches find places in them."""
