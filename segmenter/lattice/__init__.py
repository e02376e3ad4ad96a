"""The word lattice: the DAG of a sentence and the algorithms that choose a path through it."""
