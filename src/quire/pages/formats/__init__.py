"""Documents that are not pages already: office files, web pages, mail, markup."""
