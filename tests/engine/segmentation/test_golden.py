"""The sentence of the textbooks, and what the shipped Segmenter makes of it."""

from __future__ import annotations

import pytest
import worlds
from reference.decoders import best

import segmenter
from segmenter import ArgumentError, Segmenter, default
from segmenter.lattice import steps
from segmenter.lattice.dag import Edge, WordDag
from segmenter.lexicon import Lexicon

WORDS = {w: 1 for w in worlds.GOLDEN_WORDS}  # noqa: C420
DAG = WordDag.of(worlds.GOLDEN, WORDS)
LEXICON = Lexicon.build([(w, 1, "") for w in worlds.GOLDEN_WORDS])

EXPECTED = {
    "forward-max": "他/说/的确/实在/理",
    "backward-max": "他/说/的/确实/在理",
    "bidirectional-max": "他/说/的/确实/在理",
    "shortest": "他/说/的/确实/在理",
    "n-shortest": "他/说/的/确实/在理",
    "unigram": "他/说/的/确实/在理",
}
FIVE = ["他/说/的/确实/在理", "他/说/的确/实/在理", "他/说/的确/实在/理"]


@pytest.mark.parametrize("decoder", EXPECTED)
def test_golden_sentence(decoder: str) -> None:
    assert "/".join(Segmenter(LEXICON, decoder=decoder).cut(worlds.GOLDEN)) == EXPECTED[decoder]


def test_n_shortest_begins_with_the_three_paths_of_five_words() -> None:
    rows = Segmenter(LEXICON, decoder="n-shortest").nbest(worlds.GOLDEN, 100)
    assert ["/".join(words) for words, _ in rows[:3]] == FIVE
    # all words cost the same here
    assert [len(words) for words, _ in rows[:4]] == [5, 5, 5, 6]
    # all distinct, all paths there are: 的确|的 确|的 确实, 实在|实 在|..., counted by hand
    assert len({tuple(words) for words, _ in rows}) == len(rows) == 8
    assert [score for _, score in rows] == sorted((s for _, s in rows), reverse=True)


def test_lattice_functions() -> None:
    for decoder, words in EXPECTED.items():
        assert "/".join(DAG.decode(decoder)) == words  # type: ignore[arg-type]
    paths = DAG.n_best(3, "shortest")
    assert [("/".join(words), length) for words, length in paths] == [(p, 5) for p in FIVE]
    assert DAG.n_best(1, "unigram") == [(FIVE[0].split("/"), 5)]
    with pytest.raises(ArgumentError, match="decoder: 'bigram' is not one of unigram, "):
        DAG.decode("bigram")
    with pytest.raises(ArgumentError, match="n: 0 is less than 1"):
        DAG.n_best(0, "unigram")


def test_every_algorithm_step_by_step_ends_in_the_decoders_path() -> None:
    for decoder, words in EXPECTED.items():
        assert "/".join(DAG.texts(best(DAG, decoder))) == words, decoder
    # of unit costs the fewest words that reach each place: 他 说 的|的确 确 确实 在|实在 理|在理
    settled = [s for s in steps.viterbi(DAG) if isinstance(s, steps.Settle)]
    assert [(s.node, s.cost) for s in settled] == [
        (1, 1), (2, 2), (3, 3), (4, 3), (5, 4), (6, 4), (7, 5),
    ]  # fmt: skip


def test_adjacency_lists() -> None:
    assert DAG.successors(2) == [3, 4]
    assert DAG.words()[:4] == ["他", "说", "的", "的确"]
    assert len(DAG) == 11
    for k in range(len(worlds.GOLDEN)):
        assert all(e.start == k for e in DAG.edges[DAG.offsets[k] : DAG.offsets[k + 1]])


def test_a_dag_checks_its_edges() -> None:
    for edges in ([Edge(0, 3, 1)], [Edge(1, 1, 1)], [Edge(0, 1, -1)], [Edge(0, 1, 1)] * 2):
        with pytest.raises(ArgumentError, match="edges: "):
            WordDag("在理", edges)


def test_every_word_of_the_lexicon() -> None:
    words = Segmenter(LEXICON).cut_all(worlds.GOLDEN)
    assert words.words == "他 说 的 的确 确 确实 实 实在 在 在理 理".split()  # noqa: SIM905
    assert all(worlds.GOLDEN[a:b] == w for (a, b), w in zip(words.spans, words.words, strict=True))


def test_shipped(shipped: Segmenter) -> None:
    decoders = ["unigram", "shortest", "backward-max", "bidirectional-max"]
    if shipped.lexicon.meta["standard"] == "general":
        decoders.append("bigram")  # in pku 在理 is too rare for the pair to win
    for decoder in decoders:
        words = Segmenter(shipped.lexicon, decoder=decoder).cut(worlds.GOLDEN)
        assert "/".join(words) == "他/说/的/确实/在理", decoder


def test_module_functions(shipped: Segmenter) -> None:
    assert segmenter.cut(worlds.GOLDEN) == ["他", "说", "的", "确实", "在理"]
    assert segmenter.cut_batch([worlds.GOLDEN, ""], 2) == [segmenter.cut(worlds.GOLDEN), []]
    assert default.default_segmenter().cut_bytes("他说\n的".encode(), b"/") == "他/说\n的".encode()
    assert segmenter.ends(worlds.GOLDEN).tolist() == [1, 2, 3, 5, 7]
    assert segmenter.tokenize("在2026年").kinds == ["word", "date"]
    assert default.default_segmenter() is default.default_segmenter()
    assert "确实" in default.default_segmenter().cut_all(worlds.GOLDEN).words
    assert default.default_segmenter().nbest(worlds.GOLDEN, 1)[0][0] == segmenter.cut(worlds.GOLDEN)
    assert "lexicon" in str(default.default_segmenter().explain(worlds.GOLDEN))
