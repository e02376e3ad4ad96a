"""Characters and kinds: what is known of a text before any word list is opened."""
