"""User dictionaries in threads and processes: swaps, pickles, copies, memory."""

from __future__ import annotations

import copy
import gc
import multiprocessing
import pickle
import subprocess
import sys
import threading
import tracemalloc
import weakref
from typing import TYPE_CHECKING

import pytest
import worlds
from places import ROOT

import segmenter
from segmenter import ArgumentError, Segmenter, default, load
from segmenter.lexicon import Lexicon
from segmenter.lexicon.user import UserDictionary

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ["iPhone 15", "C++", ("的|确", "split"), ("云计算", 50, "n", {"id": 1})]
TEXT = "买iPhone 15学C++的确云计算"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("user") / "small.lex"
    worlds.lexicon().save(path)
    return path


def cut_all_of(job: tuple[Segmenter, list[str]]) -> list[list[str]]:
    segmenter_, texts = job
    return [segmenter_.cut(t) for t in texts]


# --- complaint 7 ---------------------------------------------------------------------------------


def test_complaint_7_a_segmenter_with_user_words_pickles(path: Path) -> None:
    user = load(path, user=WORDS)
    raw = pickle.dumps(user)
    back = pickle.loads(raw)
    assert back.cut(TEXT) == user.cut(TEXT)
    assert back.fingerprint == user.fingerprint
    assert back.user == user.user
    assert back.tokenize("云计算")[0].payload == {"id": 1}
    assert back.lexicon is user.lexicon  # one load a process
    assert pickle.loads(raw).user is back.user
    # the words themselves, and less than 1 KB of everything else
    assert len(raw) < 1024 + len(pickle.dumps(user.user))


def test_a_compiled_dictionary_pickles_by_its_path(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "words.user"
    UserDictionary([f"词{i}" for i in range(5000)]).save(file)
    user = load(path, user=file)
    raw = pickle.dumps(user)
    assert len(raw) < 1024
    assert pickle.loads(raw).cut("有词4711的") == user.cut("有词4711的")
    assert "词4711" in user.cut("有词4711的")
    extended = user.with_words(["别的"])  # no longer what the file holds
    assert pickle.loads(pickle.dumps(extended)).cut("别的词77") == ["别的", "词77"]
    UserDictionary(["另外"]).save(file)
    with pytest.raises(ArgumentError, match="is not the dictionary that was pickled"):
        subprocess_loads(raw)


def subprocess_loads(raw: bytes) -> None:
    """Unpickles where nothing is loaded yet; ArgumentErrors come back."""
    code = "import pickle, sys; pickle.loads(sys.stdin.buffer.read())"
    got = subprocess.run(
        [sys.executable, "-c", code], input=raw, capture_output=True, cwd=ROOT, check=False
    )
    if b"ArgumentError" in got.stderr:
        raise ArgumentError(got.stderr.decode())
    assert got.returncode == 0, got.stderr


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes(path: Path, method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    user = load(path, user=WORDS)
    texts = [TEXT, worlds.random_text(3, 200)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(cut_all_of, [(user, texts)] * 3) == [cut_all_of((user, texts))] * 3


def test_copies_and_cloudpickle(path: Path) -> None:
    user = load(path, user=WORDS)
    assert copy.copy(user) is copy.deepcopy(user) is user
    assert copy.deepcopy(user.user) is user.user
    cloudpickle = pytest.importorskip("cloudpickle")
    raw = cloudpickle.dumps(lambda text: user.cut(text))
    assert pickle.loads(raw)(TEXT) == user.cut(TEXT)


# --- threads and swaps ---------------------------------------------------------------------------


@pytest.fixture
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default, "_default", Segmenter(worlds.lexicon()))


@pytest.mark.usefixtures("_fresh")
def test_calls_under_way_finish_on_the_old_one() -> None:
    """Every text is cut by one state of the dictionary, whole, while it is swapped all the time."""
    segmenter.add_word("AB")
    text = "甲AB乙" * 6000  # long enough to be decoded without the GIL
    expected = segmenter.cut(text)
    segmenter.del_word("AB")
    segmenter.add_word("AB", "force")
    split = ["甲", "A", "B", "乙"] * 6000
    assert default.default_segmenter().with_words([("A|B", "split")]).cut(text) == split
    wrong: list[str] = []
    finished = threading.Event()

    def cut() -> None:
        while not finished.is_set():
            words = segmenter.cut(text)
            if words not in (expected, split):
                wrong.append("mixed")
            if segmenter.cut_batch([text, text], 2) not in ([expected] * 2, [split] * 2):
                wrong.append("mixed batch")

    threads = [threading.Thread(target=cut) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(150):
        segmenter.add_word("AB" if number % 2 else "A|B", "force" if number % 2 else "split")
    finished.set()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.usefixtures("_fresh")
def test_additions_from_many_threads_are_all_kept() -> None:
    def add(number: int) -> None:
        for k in range(25):
            segmenter.add_word(f"词{number}号{k}")

    threads = [threading.Thread(target=add, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(default.default_segmenter().user) == 150


@pytest.mark.usefixtures("_fresh")
def test_a_thousand_swaps_leak_nothing() -> None:
    def swap(times: int) -> None:
        for k in range(times):
            segmenter.add_word(f"词{k % 40}", "prefer", "n", {"k": k})
            segmenter.cut("甲词7乙")
            if k % 10 == 9:
                segmenter.del_word(f"词{k % 40}")

    old = weakref.ref(default.default_segmenter())
    swap(200)
    gc.collect()
    assert old() is None
    tracemalloc.start()
    try:
        swap(100)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        swap(1000)
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 100_000
    finally:
        tracemalloc.stop()


def test_overlays_are_small(path: Path) -> None:
    """A thousand overlays of a thousand words each, all used, in under 100 MB."""
    core = load(path)
    core.cut(TEXT)
    letters = [chr(0x4E00 + k) for k in range(2000)]

    def words(number: int) -> list[str]:
        return [
            letters[(number * 7 + k * 13) % 2000] + letters[(k * 29 + number) % 2000] + "词"
            for k in range(1000)
        ]

    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        overlays = [core.with_words(words(n)) for n in range(60)]
        for overlay in overlays:
            overlay.cut(TEXT)
        gc.collect()
        each = (tracemalloc.get_traced_memory()[0] - before) / len(overlays)
    finally:
        tracemalloc.stop()
    assert each < 100_000
    assert overlays[7].cut(words(7)[3]) == [words(7)[3]]
    assert len(overlays[8].user) == len(set(words(8)))


def test_the_lexicon_is_shared(path: Path) -> None:
    core = load(path)
    assert core.with_words(["新词"]).lexicon is core.lexicon
    assert isinstance(core.lexicon, Lexicon)


# --- damaged pickles -----------------------------------------------------------------------------


def _restored(change: str) -> UserDictionary:
    """A pickled dictionary with one of its columns changed."""
    words = UserDictionary([*WORDS, ("\U00020000", "force", "n")]).with_words(["后来"])
    restore, (_, layers, dead, origin) = words.__reduce__()
    sections, meta = {**layers[0][0]}, {**layers[0][1]}
    name, _, expected = change.partition(" ")
    data = sections.get(name, b"")
    if expected == "gone":
        del sections[name]
    elif expected == "short":
        sections[name] = data[:-1]
    elif expected == "large":
        sections[name] = b"\xff" * len(data)
    elif expected == "first":
        sections[name] = b"\xf0\xff\xff\x00" + data[4:]
    elif expected == "zero":
        sections[name] = bytes(len(data))
    elif name == "dead":
        dead = [memoryview(b"\x05\0\0\0\0\0\0\0")[: int(expected)].tobytes(), *dead[1:]]
    else:
        meta[name] = type(meta[name])(
            int(expected) * [0] if isinstance(meta[name], list) else int(expected)
        )
    restored: UserDictionary = restore(
        change.encode(), [(sections, meta), *layers[1:]], dead, origin
    )
    return restored


@pytest.mark.parametrize(
    "change",
    [
        *(f"{name} {how}" for name in ("flags", "offsets", "text") for how in ("gone", "short")),
        *(f"{name} large" for name in ("flags", "offsets", "text", "tags", "partids", "partfirst")),
        *(f"{name} large" for name in ("parts", "payids", "payfirst")),
        *(f"{name} short" for name in ("weights", "tags", "partids", "parts", "payloads")),
        *("offsets first", "offsets zero", "parts zero", "partfirst first"),
        *("weights gone", "partfirst gone", "payfirst gone", "payloads gone"),
        *("width 2", "width 8", "entries 3", "entries 99", "tags 0", "dead 8", "dead 3"),
    ],
)
def test_a_pickle_with_damaged_columns_is_refused(change: str) -> None:
    with pytest.raises(ArgumentError, match=r"pickle: the dictionary in it is damaged: .*pickle"):
        _restored(change)


def test_what_the_damaged_pickles_are_made_of_is_sound() -> None:
    assert len(_restored("lineends 0")) == len(WORDS) + 2
