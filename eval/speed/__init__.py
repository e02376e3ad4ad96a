"""Speed against other segmenters, by the protocol of ``eval/timing.py``."""
