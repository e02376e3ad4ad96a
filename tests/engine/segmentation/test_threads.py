"""One Segmenter for many threads; pickles, copies, forked and spawned processes."""

from __future__ import annotations

import copy
import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
import worlds
from places import ROOT

import segmenter
from segmenter import ArgumentError, Segmenter, load
from segmenter.lexicon import Lexicon

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXTS = [worlds.random_text(seed, 5 + seed % 90) for seed in range(100)]
TEXTS += [worlds.random_text(seed, 200 + 40 * seed) for seed in range(20)]  # without the GIL


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lexicon_path = tmp_path_factory.mktemp("lexicon") / "small.lex"
    worlds.lexicon().save(lexicon_path)
    return lexicon_path


@pytest.mark.parametrize("decoder", ["unigram", "bigram", "trigram", "bidirectional-max"])
def test_eight_threads_on_one_segmenter(path: Path, decoder: str) -> None:
    shared = load(path, decoder=decoder)
    expected = [load(path, decoder=decoder).cut(t) for t in TEXTS]
    long_text = "".join(TEXTS) * 4  # long enough that the GIL is released
    long_expected = shared.cut(long_text)
    start = threading.Barrier(8)

    def work(number: int) -> bool:
        start.wait()
        for turn in range(6):
            order = range(len(TEXTS)) if (number + turn) % 2 else range(len(TEXTS) - 1, -1, -1)
            for i in order:
                if shared.cut(TEXTS[i]) != expected[i]:
                    return False
            if number % 4 == 0 and shared.cut(long_text) != long_expected:
                return False
            if number % 4 == 1 and shared.cut_batch(TEXTS, 2) != expected:
                return False
            if number % 4 == 2 and shared.ends(long_text)[-1] != len(long_text):
                return False
            if number % 4 == 3:
                data = "\n".join(TEXTS).encode("utf-8", "replace")
                if shared.cut_bytes(data, b"", 2) != data:
                    return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def _another_thread_ran(call: Callable[[], object], times: int) -> bool:
    """Whether a thread that waits for the GIL ever got it from these calls; nothing else gives it
    away here."""
    old = sys.getswitchinterval()
    begun, go, ran = threading.Event(), threading.Lock(), []

    def wait() -> None:
        begun.set()
        with go:
            ran.append(True)

    go.acquire()
    thread = threading.Thread(target=wait)
    thread.start()
    begun.wait()
    sys.setswitchinterval(1000)
    try:
        go.release()
        for _ in range(times):
            call()
            if ran:
                break
        return bool(ran)
    finally:
        sys.setswitchinterval(old)
        thread.join()


SENTENCE = "他说的确实在理，"
#: Calls that decode for longer than giving the GIL away takes.
UNLOCKED: dict[str, Callable[[Segmenter], object]] = {
    "cut": lambda s: s.cut(SENTENCE * 25),
    "ends": lambda s: s.ends(SENTENCE * 25),
    "tag": lambda s: s.tag(SENTENCE * 25),
    "tokenize": lambda s: s.tokenize(SENTENCE * 25),
    "cut_for_search": lambda s: s.cut_for_search(SENTENCE * 25),
}


@pytest.mark.parametrize("decoder", ["unigram", "bigram", "perceptron", "crf"])
@pytest.mark.parametrize("call", UNLOCKED.values(), ids=UNLOCKED)
def test_two_hundred_characters_are_decoded_without_the_gil(
    decoder: str, call: Callable[[Segmenter], object]
) -> None:
    s = load(decoder=decoder)
    call(s)  # what is loaded by the first call
    assert _another_thread_ran(lambda: call(s), 100_000)


def test_a_short_text_keeps_the_gil() -> None:
    """Giving it away would take longer than the text, and the test above can fail."""
    s = load("fast")
    assert not _another_thread_ran(lambda: s.cut(SENTENCE), 10_000)


def test_a_network_gives_the_gil_away_for_a_short_sentence() -> None:
    try:
        s = load("accurate")
    except segmenter.ResourceError as e:
        pytest.skip(f"accurate is not here: {e}")
    s.cut(SENTENCE)
    assert _another_thread_ran(lambda: s.cut(SENTENCE * 4), 100_000)


def test_an_error_of_a_matcher_comes_through_and_the_gil_is_held() -> None:
    class Faulty:
        name = "faulty"

        def find(self, text: str) -> bytes:
            raise RuntimeError("no words today")

    lexicon = worlds.lexicon()
    s = Segmenter(lexicon, matcher=Faulty())
    for _ in range(3):
        with pytest.raises(RuntimeError, match="no words today"):
            s.cut(SENTENCE * 25)
    assert Segmenter(lexicon).cut(SENTENCE * 25)


def test_a_finalizer_may_cut_while_a_list_is_made() -> None:
    shared = Segmenter(worlds.lexicon())
    calls: list[list[str]] = []

    class Cycle:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            calls.append(shared.cut("的确在理"))

    old = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(200):
            Cycle()
            assert shared.cut("他说的确实在理" * 40) == shared.cut("他说的确实在理" * 40)
    finally:
        gc.set_threshold(*old)
    gc.collect()
    assert len(calls) == 200
    assert all(words == calls[0] for words in calls)


def test_a_segmenter_outlives_its_parts() -> None:
    words = Segmenter(worlds.lexicon()).cut("他说的确实在理")
    gc.collect()
    assert "".join(words) == "他说的确实在理"
    engines = [Segmenter(worlds.lexicon(), decoder="bigram") for _ in range(3)]
    engine = engines[1]
    del engines
    gc.collect()
    assert "".join(engine.cut("他说的确实在理" * 200)) == "他说的确实在理" * 200


def test_pickles_small(path: Path) -> None:
    for options in (
        {},
        {"decoder": "bigram", "oov": "keep", "skip": ["space", "punct"]},
        {"matcher": "aho-corasick"},
    ):
        original = load(path, **options)  # type: ignore[arg-type]
        data = pickle.dumps(original)
        assert len(data) < 1024
        restored = pickle.loads(data)
        assert restored.fingerprint == original.fingerprint
        assert restored.lexicon is original.lexicon  # opened once per process
        assert restored.cut_batch(TEXTS) == original.cut_batch(TEXTS)


def test_a_lexicon_in_memory_pickles_whole() -> None:
    original = Segmenter(worlds.lexicon(), decoder="trigram", oov="keep")
    restored = pickle.loads(pickle.dumps(original))
    assert restored.fingerprint == original.fingerprint
    assert restored.cut_batch(TEXTS) == original.cut_batch(TEXTS)


def test_a_pickle_of_another_lexicon_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.lex"
    Lexicon.build([("在", 1, "")]).save(file)
    data = pickle.dumps(load(file))
    Lexicon.build([("在", 1, ""), ("在理", 2, "")]).save(file)
    with pytest.raises(ArgumentError, match=r"other files than .*a\.lex"):
        pickle.loads(data)


def test_shipped_pickle_is_small(shipped: Segmenter) -> None:
    data = pickle.dumps(shipped)
    assert len(data) < 1024
    assert pickle.loads(data).cut(worlds.GOLDEN) == shipped.cut(worlds.GOLDEN)


def test_copies_are_the_same_object(path: Path) -> None:
    original = load(path)
    assert copy.copy(original) is original
    assert copy.deepcopy({"a": [original]})["a"][0] is original


def cut_all_of(job: tuple[Segmenter, list[str]]) -> list[list[str]]:
    shared, texts = job
    return [*shared.cut_batch(texts, 2), *map(shared.cut, texts)]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(path: Path, method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    shared = load(path, decoder="bigram")
    expected = shared.cut_batch(TEXTS, 2)  # threads have run before the fork
    with multiprocessing.get_context(method).Pool(2) as pool:
        for got in pool.map(cut_all_of, [(shared, TEXTS)] * 4):
            assert got == expected * 2


def test_module_default_is_made_by_any_thread(shipped: Segmenter) -> None:
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(segmenter.cut, [worlds.GOLDEN] * 64))
    assert all(words == results[0] for words in results)


_AT_THE_END = """
import sys, threading, time
import segmenter
from segmenter.lexicon import Lexicon

path, call = sys.argv[1:]
segment = segmenter.load(path)
with_matcher = segmenter.load(path, matcher="aho-corasick", oov="keep")
short, long = "的确实在理" * 100, "的确实在理" * 4000
calls = {
    "cut": lambda: segment.cut(short),
    "ends": lambda: segment.ends(long),
    "tokenize": lambda: segment.tokenize(short),
    "batch": lambda: with_matcher.cut_batch([long] * 40, 2),
    "bytes": lambda: segment.cut_bytes(long.encode(), b" ", 2),
    "load": lambda: segmenter.load(path, user=["的确"]),
}
work = calls[call]
work()

def without_end():
    while True:
        work()

for _ in range(3):
    threading.Thread(target=without_end, daemon=True).start()
time.sleep(0.1)
"""


@pytest.mark.parametrize("call", ["cut", "ends", "tokenize", "batch", "bytes", "load"])
def test_daemon_threads_at_the_end_of_python(path: Path, call: str) -> None:
    """Python ends them by unwinding their stacks, which aborted the process in almost every run."""
    for _ in range(4):
        got = subprocess.run(
            [sys.executable, "-c", _AT_THE_END, str(path), call],
            capture_output=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            timeout=60,
            check=False,
        )
        assert (got.returncode, got.stderr) == (0, b"")


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the module has another name")
def test_an_interpreter_that_is_open_at_the_end_of_python(path: Path) -> None:
    code = (
        f"import segmenter; cycle = [segmenter.load({str(path)!r})]; cycle.append(cycle)\n"
        "print(len(cycle[0].cut('的确实在理')))"
    )
    got = subprocess.run(
        [
            sys.executable,
            "-c",
            "import _xxsubinterpreters as interpreters\n"
            "interpreter = interpreters.create()\n"
            f"interpreters.run_string(interpreter, {code!r})",
        ],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
        check=False,
    )
    assert got.returncode == 0, got.stderr
    assert int(got.stdout) > 0
