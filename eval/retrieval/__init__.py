"""What full-text engines find by our tokens, and what it costs: ``python -m eval.retrieval``."""
