"""Maximum matching over a word DAG: forward, backward and bidirectional.

Forward repeatedly takes the longest word from the left, backward from the right.  Bidirectional
(after Guo 1997 and common practice) takes, for every stretch of the DAG that no word crosses, the
result with fewer words, then with fewer single characters, then the backward one.

>>> from segmenter.lattice.dag import WordDag
>>> dag = WordDag.of("的确实在理", dict.fromkeys("的 的确 确实 实在 在理 理 实 在 确".split(), 1))
>>> forward(dag), backward(dag)
(['的确', '实在', '理'], ['的', '确实', '在理'])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.kernels import _face

if TYPE_CHECKING:
    from segmenter.lattice.dag import WordDag


def k_best(dag: WordDag, n: int, decoder: str) -> list[tuple[list[str], int]]:
    """At most ``n`` best paths under the decoder's cost: words and summed cost.

    ``n = 0``: the decoder's own path alone, with cost 0.
    """
    number = _face.DECODERS.index(decoder)
    found = _face.dag_paths(len(dag.text), *dag.columns(), number, n)
    text, edges = dag.text, dag.edges
    return [([text[edges[e].start : edges[e].end] for e in path], cost) for path, cost in found]


def decode(dag: WordDag, decoder: str) -> list[str]:
    """The words of the path that the named decoder of the kernels takes through ``dag``."""
    return k_best(dag, 0, decoder)[0][0]


def forward(dag: WordDag) -> list[str]:
    """Forward maximum matching."""
    return decode(dag, "forward-max")


def backward(dag: WordDag) -> list[str]:
    """Backward maximum matching."""
    return decode(dag, "backward-max")


def bidirectional(dag: WordDag) -> list[str]:
    """Bidirectional maximum matching."""
    return decode(dag, "bidirectional-max")
