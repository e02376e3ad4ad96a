"""Files: where shipped ones lie, how one is written whole or not at all, and text line by line."""
