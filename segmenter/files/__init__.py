"""Files: finding shipped files, atomic writing, and reading text line by line."""
