"""A gigabyte by clusters on one machine; see `__main__.py`."""
