"""Bounds: large patterns, n-best lists, long calls that a signal ends, the collector."""

from __future__ import annotations

import gc
import os
import signal
import threading
from typing import TYPE_CHECKING, Any

import pytest
import signals
import worlds

from segmenter import ArgumentError, Segmenter, load
from segmenter.atoms.patterns import compile_patterns
from segmenter.kernels import _engine, _tokens
from segmenter.tagging import pos

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# --- patterns ----------------------------------------------------------------------------------

TOO_LARGE = [
    (r"(?i)(\w{100}){100}", r"the part '(\\w{100}){100}' of pattern 'x' is too large"),
    (r"b(a|b)*a(a|b){20}c", "the part '(a|b){20}' of pattern 'x' is too large"),
    ("((((a?){9}){9}){9}){9}b", "of pattern 'x' is too large"),
    (r".{0,256}a.{0,256}", "the part '.{0,256}' of pattern 'x' is too large"),
    ("x" * 30_000, "pattern 'x' is too large"),
    ("a{" + "1" * 5000 + "}", "a repeat of more than 256"),
    ("a{,257}", "a repeat of more than 256"),
    ("".join(f"[^{chr(0x4E00 + k)}]" for k in range(5000)), "too many sets of characters"),
]


@pytest.mark.parametrize(("pattern", "message"), TOO_LARGE, ids=range(len(TOO_LARGE)))
def test_patterns_that_are_too_large_are_refused_by_their_part(pattern: str, message: str) -> None:
    with pytest.raises(ArgumentError) as e:
        compile_patterns([pattern], ["x"])
    assert message in str(e.value)
    assert len(str(e.value)) < 400


def test_large_patterns_that_can_be_had() -> None:
    assert compile_patterns([r"(?i)\w{256}"]).longest("aß字" * 100, 0) == (256, 0)
    assert compile_patterns(["a{" + "0" * 5000 + "2}"]).longest("aaa", 0) == (2, 0)
    names = [chr(0x4E00 + k) + chr(0x5E00 + k) for k in range(2000)]
    names_pattern = compile_patterns(["|".join(names)])
    assert all(names_pattern.longest(name, 0) == (2, 0) for name in names)


# --- n-best lists ------------------------------------------------------------------------------


@pytest.mark.parametrize("decoder", ["unigram", "trigram", "perceptron", "n-shortest"])
def test_nbest_is_bounded(decoder: str) -> None:
    segmenter = load("fast", decoder=decoder) if decoder != "trigram" else None
    segmenter = segmenter or Segmenter(worlds.lexicon(), decoder=decoder)
    with pytest.raises(ArgumentError, match="the 10,000 best paths of 900 characters"):
        segmenter.nbest("的" * 900, 10_000)
    assert segmenter.nbest("的" * 9000, 1)[0][0] == segmenter.cut("的" * 9000)


# --- the collector -----------------------------------------------------------------------------


class Prying:
    """A matcher that does something in the middle of a batch."""

    name = "prying"

    def __init__(self, act: Callable[[], None]) -> None:
        self.act = act

    def find(self, text: str) -> bytes:
        self.act()
        return b""


@pytest.fixture
def collecting() -> Iterator[None]:
    assert gc.isenabled()
    yield
    gc.enable()


def prying(act: Callable[[], None]) -> Segmenter:
    return Segmenter(worlds.lexicon(), matcher=Prying(act))  # type: ignore[arg-type]


@pytest.mark.usefixtures("collecting")
def test_a_batch_leaves_the_collector_alone() -> None:
    calls: list[bool] = []
    prying(lambda: calls.append(gc.isenabled())).cut_batch(["的", "在"])
    assert calls == [True]  # short texts are cut as one
    prying(gc.disable).cut_batch(["的"])
    assert not gc.isenabled()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
@pytest.mark.usefixtures("collecting")
def test_a_child_forked_in_a_batch_collects() -> None:
    messages: list[int] = []

    def fork() -> None:
        child = os.fork()
        if not child:
            os._exit(0 if gc.isenabled() else 1)
        messages.append(os.waitpid(child, 0)[1])

    prying(fork).cut_batch(["的"])
    assert messages == [0]


@pytest.mark.parametrize("threads", [1, 2])
def test_the_collector_knows_the_lists_of_a_batch(threads: int) -> None:
    for preset in ("fast", "accurate"):
        batches = load(preset).cut_batch(["他说的确实在理", "", "的"] * 50, threads)
        assert gc.is_tracked(batches)
        assert all(gc.is_tracked(words) for words in batches)
    gc.collect()
    assert batches[0] == load("accurate").cut("他说的确实在理")


# --- signals -----------------------------------------------------------------------------------

LINE = "他说的确实在理研究生命起源，" * 12
LINES = (LINE + "\n").encode()
LONG: dict[str, Callable[[int], object]] = {
    "cut, one line": lambda n: load("fast").cut(LINE * 12_000 * n),
    "cut, a lattice": lambda n: load("fast", decoder="bigram").cut(LINE * 12_000 * n),
    "cut_bytes": lambda n: load("balanced").cut_bytes(LINES * 30_000 * n),
    "cut_bytes, threads": lambda n: load("balanced").cut_bytes(LINES * 60_000 * n, b" ", 3),
    "cut_batch": lambda n: load("fast").cut_batch([LINE] * 40_000 * n),
    "cut_batch, threads": lambda n: load("balanced").cut_batch([LINE] * 40_000 * n, 2),
    "accurate": lambda n: load("accurate").cut((LINE + "\n") * 1500 * n),
    "nbest": lambda n: load("fast", decoder="unigram").nbest(LINE * 15, 3000 * n),
    "nbest, a tagger": lambda n: load("fast").nbest(LINE * 15, 3000 * n),
    "parts of speech": lambda n: pos.load().tags(["研究", "历史"] * 2_000_000 * n),
    "dag": lambda n: _tokens.dag(load("fast", decoder="unigram")._engine, LINE * 16_000 * n),
    "the lattice of a Segmenter": lambda n: load("fast", decoder="unigram").dag(LINE * 4_000 * n),
    "tag": lambda n: load("fast").tag(LINE * 12_000 * n),
    "tokenize": lambda n: load("fast").tokenize(LINE * 6_000 * n),
    "tag_scores": lambda n: _tokens.tag_scores(load("fast")._engine, LINE * 12_000 * n),
    "find_words": lambda n: load("fast", decoder="unigram").lexicon.native.find_words(
        LINE * 60_000 * n
    ),
}


#: Presets, decoders and lines, and how often each is gone through with looks on the way, at least:
#: more than when only the windows of a lattice and the recursion of a tagger looked.
PASSES = [
    ("balanced", None, "1,", 8),
    ("accurate", None, "1,", 15),
    ("accurate", None, "的确实在", 15),
    ("fast", "unigram", "1,", 2.5),
    ("fast", "unigram", "，", 2.5),
    ("fast", "bigram", "1,", 6),
    ("fast", "bigram", "，", 6),
    ("fast", "trigram", "三千五百", 6),
    ("fast", "shortest", "，", 6),
    ("fast", "forward-max", "三千五百", 6),
]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform has no timers")
@pytest.mark.parametrize("name", LONG)
def test_signals_are_heard_in_a_long_call(name: str) -> None:
    load("fast").cut("的")
    signals.check_heard(LONG[name])
    # what was cut off leaves nothing after
    for preset in ("fast", "balanced"):
        assert load(preset).cut("他说的确实在理") == ["他", "说", "的", "确实", "在理"]


@pytest.mark.parametrize(("name", "decoder", "unit", "passes"), PASSES)
def test_every_pass_over_a_line_looks_for_signals(
    name: str, decoder: Any, unit: str, passes: float
) -> None:
    """Steps, not seconds: how many characters the looks of a call covered.

    A run makes the block of a lattice as long as the text, and a tagger that finds no place to end
    a part reads the whole line at once; there a loop without a look lasts as long as the line.
    """
    text = unit * (200_000 // len(unit))
    load(name, decoder=decoder).ends(text)
    assert _engine.characters_checked() >= passes * len(text)


def test_sigint_is_a_keyboard_interrupt() -> None:
    def cut_for_ever() -> None:
        while True:
            load("balanced").cut_bytes(LINES * 20_000, b" ", 2)

    timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        cut_for_ever()


# --- other threads -----------------------------------------------------------------------------

SENTENCES = "他说的确实在理，" * 10_000
#: Calls that make many objects, and through how many of them they go, each of its loops counted.
MAKES: dict[str, tuple[Callable[[Segmenter], Any], int]] = {
    "cut": (lambda s: s.cut(SENTENCES), 60_000),
    "tokenize": (lambda s: s.tokenize(SENTENCES), 120_000),
    "tokenize index": (lambda s: s.tokenize(SENTENCES, mode="index"), 260_000),
    "tokenize pos": (lambda s: s.tokenize(SENTENCES, pos=True), 180_000),
    "tag": (lambda s: s.tag(SENTENCES), 60_000),
    "batch": (lambda s: s.cut_batch(["人"] * 60_000), 60_000),
    "batch of long texts": (lambda s: s.cut_batch([SENTENCES[:16_000]] * 10), 160_000),
    "batch, 2 threads": (lambda s: s.cut_batch(["人"] * 60_000, threads=2), 30_000),
    "words of the user inside": (
        lambda s: s.with_words(["人" * k for k in range(1, 140)]).tokenize(
            "人" * 139, mode="search"
        ),
        60 * 8192,  # one after each of the words inside
    ),
}


@pytest.mark.parametrize("name", MAKES)
def test_other_threads_get_a_turn_while_objects_are_made(name: str) -> None:
    """After 8,192 of them at most: a service answers others within milliseconds."""
    s = load("balanced")
    call, objects = MAKES[name]
    call(s)
    before = _engine.turns()
    call(s)
    assert _engine.turns() - before >= objects // 8192 - 3
