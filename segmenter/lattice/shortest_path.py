"""Fewest words: Dijkstra's shortest path (1959) and the N shortest paths.

The tie rule of the whole package: among paths of equal cost compare from the right, the longer
word wins.

>>> from segmenter.lattice.dag import WordDag
>>> words = dict.fromkeys("他 说 的 的确 确实 实在 在理 理 实 在 确".split(), 1)
>>> dag = WordDag.of("他说的确实在理", words)
>>> "/".join(dijkstra(dag))
'他/说/的/确实/在理'
>>> for path, length in n_shortest(dag, 3): print("/".join(path), length)
他/说/的/确实/在理 5
他/说/的确/实/在理 5
他/说/的确/实在/理 5
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.lattice.max_match import decode, k_best

if TYPE_CHECKING:
    from segmenter.lattice.dag import WordDag


def dijkstra(dag: WordDag) -> list[str]:
    """The path of fewest words."""
    return decode(dag, "shortest")


def n_shortest(dag: WordDag, n: int) -> list[tuple[list[str], int]]:
    """At most ``n`` distinct paths of fewest words, with their lengths, in the tie rule's order."""
    return k_best(dag, n, "shortest")
