"""What the engine promises, with words outside the lexicon cut by subwords."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import signals
import worlds
from atom_cases import NEVER_ENDING
from places import ROOT

from segmenter import chunks, load, sentences, subword
from segmenter.choices import LATTICE
from segmenter.files import resources
from segmenter.subword import Tokenizer
from segmenter.types import Source

if TYPE_CHECKING:
    from segmenter.choices import Lattice, Oov

LINE = "他说的确实在理研究生命起源，" * 12


def test_no_tokenizer_is_imported() -> None:
    code = (
        "import sys, segmenter\n"
        "s = segmenter.load('fast', decoder='unigram', oov='bpe'); s.cut('他说龘堃')\n"
        "print(*sorted(n for n in sys.modules if n.startswith('segmenter.subword.')))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", cwd=ROOT, check=True
    )
    loaded = result.stdout.split()
    assert loaded
    assert {name.split(".")[2] for name in loaded} == {"models"}


@pytest.mark.parametrize("oov", ["bpe", "unigram"])
@pytest.mark.parametrize("decoder", LATTICE)
def test_a_lattices_score_is_the_logarithm_of_the_words_probability(
    decoder: Lattice, oov: Oov
) -> None:
    segmenter = load("fast", decoder=decoder, oov=oov)
    costs = segmenter.lexicon.native.word_costs()
    for text in (LINE, *(worlds.random_text(seed, 30) for seed in range(20))):
        for token in segmenter.tokenize(text):
            if token.source is not Source.LEXICON:
                assert token.score is None, token
            else:
                number = segmenter.lexicon.native.find(token.text)
                assert token.score == pytest.approx(-costs[number] / 2048), token


def test_the_work_grows_with_the_text_alone() -> None:
    s = load("fast", decoder="unigram", oov="bpe", skip=["space", "punct"])
    for unit in NEVER_ENDING:
        text = (unit * 3000)[:3000]
        single, double = (s._engine.steps(text * n) for n in (1, 2))
        assert double <= 2.2 * single + 2000, (unit, single, double)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform has no timers")
@pytest.mark.parametrize("name", ["bpe", "unigram"])
def test_signals_are_heard_in_a_long_call(name: str) -> None:
    """One span of all the text, by the kernel of a shipped vocabulary."""
    model = Tokenizer.load(resources.find(f"subword-{name}.model")).model

    def call(size: int) -> None:
        text = LINE * 80_000 * size
        model.encode_later(text, [(0, len(text))])

    signals.check_heard(call)


def test_chunks_count_the_tokens_of_a_tokenizer() -> None:
    text = "他来了。我走了，因为下雨，而且很晚了。好吧！你呢？我们明天再见，到时候再说。"
    pieces = subword.load("bpe")
    for size in (6, 12, 20, 100):
        parts = chunks(text, size, "tokens", segmenter=load("fast"), tokenizer=pieces)
        assert "".join(c.text for c in parts) == text
        assert all(len(pieces.encode(c.text).ids) <= size for c in parts), size
    chunks_whole = chunks(text, 100, "tokens", tokenizer=pieces)
    assert {c.end for c in chunks_whole} <= {s.end for s in sentences(text)}
