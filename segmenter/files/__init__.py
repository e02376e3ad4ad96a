"""Files: the places of shipped ones, writing that is whole or not at all, text line by line."""
