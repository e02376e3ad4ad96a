"""The weights of the preset ``best`` of segmenter-zh; it finds them here."""
