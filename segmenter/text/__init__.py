"""Characters and kinds of tokens, which do not depend on any word list."""
