"""Every allocation of a call fails once; afterwards the worker gives what a new one gives.

    LD_PRELOAD=allocations.so PYTHONPATH=.:tests/capi python tests/allocations.py [PART ...]

``allocations.so`` is tests/allocations.cpp, which replaces C++'s ``operator new``.  For the public
functions of the C library and of the bindings, with several decoders and options: the n-th
allocation of a call fails, for every n until a call needs fewer.  The call must say that there is
no memory; the calls after it, with shorter and longer texts, must give the results of a new worker.
``--long``: longer texts, all presets, and a second turn in which all later allocations of the call
fail too.  Under AddressSanitizer this finds what a half-grown buffer makes a kernel write
(tests/sanitizers).
"""

from __future__ import annotations

import argparse
import ctypes as c
import itertools
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from binding import Engine, Options, Refused, library

import segmenter
from segmenter import core as parts_of
from segmenter.files import resources
from segmenter.subword import SHIPPED, Tokenizer

MODELS = str(Path(resources.find("general.lex")).parent)
NO_MEMORY = 5

NUMERALS = "一二三四五六七八九十" * 2
WORDS = (
    "在理\tforce\tn\n中华人民|共和国\tsplit\n圖書館\t9\tnz\n確實\tdelete\n"
    f"微信支付宝\t80\n{NUMERALS}\tprefer\n"
)
SHORT = "他说的确实在理，臺灣大學的圖書館😀"
LONG = (
    "他说的确实在理，2026年11月21日见 https://a.cn/b?c=1。中华人民共和国成立于1949年，臺灣大學的圖書館。"
    "微信支付宝iPhone15降价12.5%，ＡＢＣ😀👍🏽。\r\n"
    f"{NUMERALS} кириллица カタカナ é\n"
    "確實後來乾淨的乾坤，研究生命起源，结婚的和尚未结婚的。\n"
)

Call = Callable[[Any, str], Any]


class Memory:
    """The allocator that fails when it is told to."""

    def __init__(self) -> None:
        self._own = c.CDLL(None)
        try:
            self._own.fail_at.argtypes = [c.c_long, c.c_int]
            self._own.failed.restype = c.c_long
        except AttributeError:
            sys.exit("LD_PRELOAD: the allocator of tests/allocations.cpp is not loaded")

    def run(self, n: int, on: bool, call: Callable[[], Any]) -> bool:
        """Makes a call whose n-th allocation fails; whether there was one."""
        refused = False
        self._own.fail_at(n, on)
        try:
            call()
        except MemoryError:
            refused = True
        except Refused as error:
            refused = error.status == NO_MEMORY
            if not refused:
                raise
        finally:
            failed = self._own.failed()
            self._own.fail_at(0, 0)
        assert failed or not refused, "a call is refused that had its memory"
        return bool(failed)


def check(
    memory: Memory,
    part: str,
    make: Callable[[], Any],
    calls: dict[str, Call],
    texts: list[str],
    *,
    on: bool,
    follow: int,
) -> int:
    """Every call with every failed allocation; returns how many failed.

    ``texts``: the last is that of the call, all of them those of the calls after it.  ``follow``:
    how many functions are called afterwards, the one that failed among them.
    """
    right = {
        (name, k): call(make(), text)
        for name, call in calls.items()
        for k, text in enumerate(texts)
    }
    total = 0
    for name, call in calls.items():
        rest = [call for call in calls if call != name]
        for n in itertools.count(1):
            worker = make()
            if not memory.run(n, on, lambda: call(worker, texts[-1])):  # noqa: B023
                break
            total += 1
            after = [name, *(rest[(n + k) % len(rest)] for k in range(follow - 1))]
            for step in after:
                for k in range(len(texts)):
                    got = calls[step](worker, texts[k])
                    assert got == right[step, k], (
                        f"{part}: {name}, allocation {n} failed; then {step} of text {k} differs"
                    )
    return total


def refusals(memory: Memory, on: bool, make: Callable[[], Any], end: Callable[[], Any]) -> int:
    """Makes something with every failed allocation, and once without; returns how many failed."""
    for n in itertools.count(1):
        if not memory.run(n, on, make):
            break
    end()
    return n - 1


# --- the C library --------------------------------------------------------------------------------

OPTIONS: dict[str, dict[str, Any]] = {
    "bigram": {"decoder": "bigram"},
    "words": {"decoder": "unigram", "user": WORDS, "search": "ngrams=2,single"},
    "words-fast": {"preset": "fast", "user": WORDS},
}
MORE: dict[str, dict[str, Any]] = {
    "unigram": {"decoder": "unigram"},
    "shortest": {"decoder": "shortest"},
    "fast": {"preset": "fast"},
    "hmm": {"decoder": "unigram", "oov": "hmm"},
    "words-bigram": {"decoder": "bigram", "user": WORDS},
    "trigram": {"decoder": "trigram"},
    "n-shortest": {"decoder": "n-shortest"},
    "bidirectional-max": {"decoder": "bidirectional-max"},
    "forward-max": {"decoder": "forward-max"},
    "backward-max": {"decoder": "backward-max"},
    "balanced": {"preset": "balanced"},
    "accurate": {"preset": "accurate"},
    "words-accurate": {"preset": "accurate", "user": WORDS},
    "skip": {"decoder": "unigram", "skip": "space,punct", "atoms": "split"},
}


class Worker(Engine):
    """An engine with one worker, which can be renewed."""

    def renewed(self) -> Worker:
        self._lib.segmenter_worker_free(self._worker)
        self._worker = c.c_void_p()
        assert self._lib.segmenter_worker_new(self._seg, c.byref(self._worker)) == 0
        return self

    def fold(self, text: str) -> list[int]:
        utf8, points, count = text.encode(), c.POINTER(c.c_uint32)(), c.c_size_t()
        status = self._lib.segmenter_fold(
            self._worker, utf8, c.c_size_t(len(utf8)), c.byref(points), c.byref(count)
        )
        if status:
            raise Refused(status, self._lib.segmenter_error(self._worker).decode())
        return points[: count.value]


def of_worker(long: bool) -> dict[str, Call]:
    """The functions of a worker of the C library."""
    calls: dict[str, Call] = {
        "segmenter_cut": lambda worker, text: worker.ends(text, 2),
        "segmenter_fold": lambda worker, text: worker.fold(text),
        "segmenter_tag": lambda worker, text: worker.tags(text, 1),
        "segmenter_token_at": lambda worker, text: worker.token_at(text.encode(), 1, 1, 2),
    }
    for mode in range(4):
        calls[f"segmenter_tokenize {mode}"] = lambda worker, text, mode=mode: worker.nested(
            text, mode, mode % 3
        )
    if long:
        calls["segmenter_cut 0"] = lambda worker, text: worker.ends(text, 0)
    return calls


def capi(memory: Memory, long: bool, on: bool) -> Iterator[tuple[str, int]]:
    """Workers, and what threads share: lexicon and tagger are opened by the first call."""
    lib = library()
    for name, options in {**OPTIONS, **(MORE if long else {})}.items():

        def opened(options: dict[str, Any] = options) -> Worker:
            return Worker(lib, folder=MODELS, trust_files=1, **options)

        calls = of_worker(long)
        worker = opened()
        for call in calls.values():
            call(worker, LONG)
        if not long and name != "words":
            calls = {call: calls[call] for call in ("segmenter_cut", "segmenter_tokenize 2")}
        texts = [SHORT, LONG * 12] if long else [SHORT, LONG]
        failures = check(memory, name, worker.renewed, calls, texts, on=on, follow=1 + long)
        yield f"C library, {name}", failures
        if name in ("unigram", "fast", "words") and (long or name == "words"):
            first = ("segmenter_fold", "segmenter_tag", "segmenter_tokenize 2")
            some = {call: calls[call] for call in first[: 3 if long else 2]}
            failures = check(memory, name, opened, some, [SHORT, LONG[:75]], on=on, follow=1 + long)
            yield f"C library, {name}, first calls", failures


def opening(memory: Memory, long: bool, on: bool) -> Iterator[tuple[str, int]]:
    """segmenter_open and segmenter_worker_new."""
    lib = library()
    for name, options in {**OPTIONS, **(MORE if long else {})}.items():
        if not long and name != "words-fast":
            continue

        options_struct = Options(
            struct_size=c.sizeof(Options), folder=MODELS.encode(), trust_files=1
        )
        for member, value in options.items():
            setattr(options_struct, member, value.encode())
        options_struct.user_size = len(options.get("user", "").encode())
        engine, why = c.c_void_p(), c.create_string_buffer(256)

        def opened() -> None:
            status = lib.segmenter_open(c.byref(options_struct), c.byref(engine), why, len(why))  # noqa: B023
            if status:
                assert not engine  # noqa: B023
                raise Refused(status, why.value.decode())  # noqa: B023

        n = refusals(memory, on, opened, lambda: lib.segmenter_free(engine))  # noqa: B023
        yield f"segmenter_open, {name}", n
        worker = c.c_void_p()

        def new_worker() -> None:
            status = lib.segmenter_worker_new(engine, c.byref(worker))  # noqa: B023
            if status:
                assert not worker  # noqa: B023
                raise Refused(status, "")

        opened()
        n = refusals(memory, on, new_worker, lambda: lib.segmenter_worker_free(worker))  # noqa: B023
        yield f"segmenter_worker_new, {name}", n
        lib.segmenter_free(engine)


# --- the bindings ---------------------------------------------------------------------------------


def columns(words: Any) -> list[list[int]]:
    return [list(column) for column in words]


def of_segmenter(long: bool) -> dict[str, Call]:
    """The functions of a Segmenter that call the kernels."""
    lines = lambda text: text.splitlines(keepends=True)  # noqa: E731
    calls: dict[str, Call] = {
        "cut": lambda seg, text: seg.cut(text),
        "ends": lambda seg, text: seg.ends(text).tolist(),
        "tokenize": lambda seg, text: [str(t) for t in seg.tokenize(text)],
        "tokenize index": lambda seg, text: [str(t) for t in seg.tokenize(text, mode="index")],
        "tag": lambda seg, text: seg.tag(text),
        "cut_for_search": lambda seg, text: seg.cut_for_search(text),
        "cut_bytes": lambda seg, text: seg.cut_bytes(text.encode()),
        "cut_bytes, 2 threads": lambda seg, text: seg.cut_bytes(text.encode(), threads=2),
        "cut_batch": lambda seg, text: seg.cut_batch(lines(text)),
        "cut_batch, 2 threads": lambda seg, text: seg.cut_batch(lines(text), threads=2),
        "nbest": lambda seg, text: [list(path) for path in seg.nbest(text[:40], 3)],
    }
    if long:
        calls["dag"] = lambda seg, text: str(seg.dag(text[:200]))
        calls["explain"] = lambda seg, text: str(seg.explain(text[:200]))
        calls["cut_all"] = lambda seg, text: seg.cut_all(text[:200])
    return calls


def engine(memory: Memory, long: bool, on: bool) -> Iterator[tuple[str, int]]:
    """Segmenters of Python; each new one has working memory of its own."""
    for name, options in {**OPTIONS, **(MORE if long else {})}.items():
        loadable = {k: v for k, v in options.items() if k not in ("user", "search", "skip")}
        if "user" in options:
            loadable["user"] = [
                line.split("\t")[0] for line in WORDS.splitlines() if "|" not in line
            ]
        if "skip" in options:
            loadable["skip"] = options["skip"].split(",")

        def loaded(
            loadable: dict[str, Any] = loadable, is_own: bool = False
        ) -> segmenter.Segmenter:
            if is_own:
                parts_of._pos_tagger = None  # what is known of words is everybody's
            return segmenter.load(
                loadable.get("preset", "balanced"),
                **{k: v for k, v in loadable.items() if k != "preset"},
            )

        calls = of_segmenter(long)
        for call in calls.values():
            call(loaded(), LONG)
        texts = [SHORT, LONG * 12] if long else [SHORT, LONG]
        if not long:
            some = ("ends", "cut_bytes, 2 threads", "cut_batch, 2 threads", "tokenize index")
            calls = {call: calls[call] for call in some[: 4 if name == "words-fast" else 2]}
        failures = check(memory, name, loaded, calls, texts, on=on, follow=1 + long)
        yield f"Python, {name}", failures
        if name in ("unigram", "words-fast"):

            def alone(loaded: Callable[..., Any] = loaded) -> Any:
                return loaded(is_own=True)

            tag = {"tag": of_segmenter(long)["tag"]}
            failures = check(memory, name, alone, tag, [SHORT, LONG], on=on, follow=1)
            yield f"Python, {name}, first tags", failures


def pieces(memory: Memory, long: bool, on: bool) -> Iterator[tuple[str, int]]:
    """Tokenizers of pieces: small ones of every kind, with ``long`` the shipped ones too."""
    options: dict[str, dict[str, Any]] = {
        "bpe": {"vocab_size": 400},
        "byte-level bpe": {"vocab_size": 400, "byte_level": True},
        "unigram": {"vocab_size": 400, "model": "unigram"},
        "wordpiece": {"vocab_size": 400, "model": "wordpiece"},
    }
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / f"{name}.model" for name in options}
        for name, path in paths.items():
            Tokenizer.train_from_iterator(LONG.splitlines() * 3, **options[name]).save(path)
        if long:
            paths |= {f"shipped {name}": resources.find(SHIPPED[name]) for name in SHIPPED}
        calls: dict[str, Call] = {
            "encode_ids": lambda tokenizer, text: tokenizer.encode_ids(text),
            "encode": lambda tokenizer, text: tokenizer.encode(text).tokens,
            "encode_batch": lambda tokenizer, text: [
                one.ids for one in tokenizer.encode_batch(text.splitlines(), threads=2)
            ],
        }
        texts = [SHORT, LONG * 12] if long else [SHORT, LONG]
        for name, path in paths.items():

            def opened(path: Path = path) -> Tokenizer:
                tokenizer = Tokenizer.load(path)
                if not long:  # its kernel is made by the first call
                    tokenizer.encode_ids(SHORT[:1])
                return tokenizer

            some = calls if long else {"encode_ids": calls["encode_ids"]}
            failures = check(memory, name, opened, some, texts, on=on, follow=1 + long)
            yield f"pieces, {name}", failures


PARTS = {"open": opening, "capi": capi, "engine": engine, "subword": pieces}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--long", action="store_true")
    args = parser.parse_args()
    if unknown := set(args.parts) - set(PARTS):  # argparse would check the empty list itself
        parser.error(f"{', '.join(unknown)}: not one of {', '.join(PARTS)}")
    memory = Memory()
    for name in args.parts or PARTS:
        for on in (False, True) if args.long else (False,):
            for label, failed in PARTS[name](memory, args.long, on):
                print(f"{failed:6} failed allocations: {label}", flush=True)


if __name__ == "__main__":
    main()
