"""Chinese word segmentation."""
