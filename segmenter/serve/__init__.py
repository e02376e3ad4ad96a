"""To see what segmentation does: a sentence as a graph, the page that draws it, the service."""
