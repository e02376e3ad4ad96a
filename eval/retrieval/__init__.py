"""Recall and cost of full-text engines with our tokens: ``python -m eval.retrieval``."""
