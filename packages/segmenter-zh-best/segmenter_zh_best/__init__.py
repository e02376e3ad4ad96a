"""The weights of the preset ``best`` of segmenter-zh, which loads them from here."""
