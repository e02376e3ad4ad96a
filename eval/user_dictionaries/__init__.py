"""User dictionaries: what they do and what they cost; see `__main__.py`."""

#: Of everything that is drawn.
SEED = 20261121
