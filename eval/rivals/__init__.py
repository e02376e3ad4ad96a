"""All other segmenters that can be installed, each in its own environment, on the same lines."""
