"""``python -m eval.complaints``: what users complain about, asked of jieba and rjieba.

The cases stand in ``eval/complaints.toml``; the questions here are asked of any :class:`System`, of
ours by ``tests/together/test_complaints.py`` (and here, for the table).  A system answers each
question with a list of what is wrong, empty where all is well.  Results:
``eval/results/complaints.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import pickle
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from eval import common
from segmenter.loading import load_by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from segmenter.choices import Decoder

CASES: dict[str, Any] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)


class System(Protocol):
    """A segmenter as the questions need it; what it cannot do it raises NotImplementedError for."""

    name: str

    def with_words(self, words: Sequence[str]) -> System:
        """One that knows these words too, at the greatest weight there is."""

    def with_split(self, word: str, parts: Sequence[str]) -> System:
        """One that cuts a word into these parts."""

    def without(self, words: Sequence[str]) -> System:
        """One for which these are not words; this one goes on unchanged."""

    def with_rule(self, rule: str, setting: str) -> System:
        """One that keeps ("keep") or splits ("split") what a rule finds."""

    def cut(self, text: str) -> list[str]:
        """The words of a text."""

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where they stand."""

    def index(self, text: str) -> list[tuple[str, int, int]]:
        """The tokens of a search index with their spans."""

    def query(self, text: str) -> list[tuple[str, int, int]]:
        """The tokens that a query is searched by, with their spans in it."""

    def pickled(self) -> bytes:
        """What another process is sent."""


# --- questions -----------------------------------------------------------------------------------


def user_words_take_effect(system: System) -> list[str]:
    """Family 1."""
    wrong = [
        f"{case['word']}: {'/'.join(cut)}"
        for case in CASES["user_words"]["words"]
        if case["word"] not in (cut := system.with_words([case["word"]]).cut(case["text"]))
    ]
    for case in CASES["user_words"]["split"]:
        try:
            cut = system.with_split(case["word"], case["parts"]).cut(case["text"])
        except NotImplementedError:
            cut = [case["word"]]
        if case["word"] in cut:
            wrong.append(f"{case['word']} not split: {'/'.join(cut)}")
    return wrong


def index_and_query_agree(system: System) -> list[str]:
    """Family 2: a query of whole words is found, every word of a text is in its index, tokens nest.

    A query is found where some way through its tokens, from its beginning to its end, stands in the
    index of the text, one token behind the other.
    """
    wrong = []
    for case in CASES["search"]["pairs"]:
        text, query = case["text"], case["query"]
        index, asked = set(system.index(text)), system.query(query)
        if not any(_is_at(place, index, asked, len(query)) for place in range(len(text))):
            words = "/".join(dict.fromkeys(token for token, _, _ in asked))
            wrong.append(f"{query} in {text}: the index has no way through {words}")
        there = {token for token, _, _ in index}
        coarse = [word for word in system.cut(text) if word not in there]
        if coarse:
            wrong.append(f"{text}: words that are not in its index: {'/'.join(coarse)}")
    for text in CASES["search"]["nested"]:
        spans = sorted({(start, end) for _, start, end in system.index(text)})
        for a, b in spans:
            for c, d in spans:
                if a < c < b < d:
                    wrong.append(f"{text}: {text[a:b]} and {text[c:d]} cross")
    return wrong


def _is_at(
    place: int, index: set[tuple[str, int, int]], asked: list[tuple[str, int, int]], length: int
) -> bool:
    reached = {0}
    for token, start, end in sorted(asked, key=lambda t: (t[1], t[2])):
        if start in reached and (token, place + start, place + end) in index:
            reached.add(end)
    return length in reached


def nothing_is_lost(system: System) -> list[str]:
    """Family 4."""
    wrong = []
    texts = [*CASES["nothing_lost"]["texts"]]
    texts += ["".join(map(chr, codes)) for codes in CASES["nothing_lost"]["surrogates"]]
    for text in texts:
        try:
            words, spans = system.cut(text), system.spans(text)
        except UnicodeError as error:
            wrong.append(f"{text!r}: {type(error).__name__}")
            continue
        if "".join(words) != text:
            wrong.append(f"{text!r}: lost")
        elif [text[a:b] for a, b in spans] != words:
            wrong.append(f"{text!r}: wrong spans")
    return wrong


def dictionaries_leave_each_other_alone(system: System) -> list[str]:
    """Family 6."""
    case = CASES["isolation"]
    other = system.with_words([])
    untouched = other.cut(case["text"])
    added = other.with_words([case["word"]])
    if case["word"] not in added.cut(case["text"]):
        return [f"{case['word']} was added and is not there"]
    before = added.cut(case["text"])
    wrong = []
    try:
        fewer = added.without([case["word"]])
    except NotImplementedError as error:
        return [str(error)]
    if case["word"] in fewer.cut(case["text"]):
        wrong.append(f"{case['word']} was removed and is still there")
    if added.cut(case["text"]) != before:
        wrong.append(f"removing from one changed another: {'/'.join(added.cut(case['text']))}")
    if (cut := other.cut(case["text"])) != untouched:
        wrong.append(f"and a third: {'/'.join(untouched)} became {'/'.join(cut)}")
    wrong += [
        f"{word} cannot be removed"
        for word in case["removed"]
        if word in added.without([word]).cut(case["text"])
    ]
    return wrong


def it_goes_to_other_processes(system: System) -> list[str]:
    """Family 7."""
    case = CASES["processes"]
    try:
        raw = system.pickled()
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        return [f"{type(error).__name__}: {error}"]
    again = pickle.loads(raw)
    if list(again.cut(case["text"])) != system.cut(case["text"]):
        return ["it cuts otherwise afterwards"]
    return [f"{len(raw):,} bytes"] if len(raw) > case["most_bytes"] else []


def typed_atoms_stay_whole_or_come_apart(system: System) -> list[str]:
    """Family 9."""
    wrong = [
        f"{case['atom']}: {'/'.join(cut)}"
        for case in CASES["atoms"]["whole"]
        if case["atom"] not in (cut := system.cut(case["text"]))
    ]
    for setting, wanted in ("keep", "kept"), ("split", "split"):
        for case in CASES["atoms"][wanted]:
            parts = [case["atom"]] if setting == "keep" else case["parts"]
            try:
                cut = system.with_rule(case["rule"], setting).cut(case["text"])
            except NotImplementedError as error:
                wrong.append(f"{case['rule']} {setting}: {error}")
                continue
            if not any(cut[k : k + len(parts)] == parts for k in range(len(cut))):
                wrong.append(f"{case['rule']} {setting}: {'/'.join(cut)}")
    return wrong


FAMILIES: dict[str, Callable[[System], list[str]]] = {
    "1. user words take effect whatever is in them": user_words_take_effect,
    "2. index and query agree": index_and_query_agree,
    "4. nothing is lost, spans are exact": nothing_is_lost,
    "6. dictionaries leave each other alone": dictionaries_leave_each_other_alone,
    "7. it goes to other processes": it_goes_to_other_processes,
    "9. typed atoms stay whole or come apart": typed_atoms_stay_whole_or_come_apart,
}


# --- systems -------------------------------------------------------------------------------------


class Ours:
    """A preset of this package: a Segmenter, and how it was loaded, to load it with other rules."""

    def __init__(
        self, segmenter: Any, preset: str = "fast", decoder: Decoder | None = None
    ) -> None:
        self.segmenter, self.preset, self.decoder = segmenter, preset, decoder
        self.name = f"ours, {segmenter.decoder}"

    def with_words(self, words: Sequence[str]) -> Ours:
        return Ours(self.segmenter.with_words(list(words)))

    def with_split(self, word: str, parts: Sequence[str]) -> Ours:
        assert "".join(parts) == word
        return Ours(self.segmenter.with_words([("|".join(parts), "split")]))

    def with_rule(self, rule: str, setting: str) -> Ours:
        return Ours(load_by_name(self.preset, decoder=self.decoder, atoms={rule: setting}))

    def without(self, words: Sequence[str]) -> Ours:
        return Ours(self.segmenter.without(list(words)))

    def cut(self, text: str) -> list[str]:
        words: list[str] = self.segmenter.cut(text)
        return words

    def spans(self, text: str) -> list[tuple[int, int]]:
        spans: list[tuple[int, int]] = self.segmenter.tokenize(text).spans
        return spans

    def index(self, text: str) -> list[tuple[str, int, int]]:
        return [(t.text, t.start, t.end) for t in self.segmenter.tokenize(text, mode="index")]

    def query(self, text: str) -> list[tuple[str, int, int]]:
        return [(t.text, t.start, t.end) for t in self.segmenter.tokenize(text, mode="query")]

    def pickled(self) -> bytes:
        return pickle.dumps(self.segmenter)


class Jieba:
    """jieba; a dictionary of one's own is a Tokenizer, which is all that it has for that."""

    name = "jieba"

    def __init__(self, tokenizer: Any = None) -> None:
        import jieba

        jieba.setLogLevel(60)
        self.tokenizer = tokenizer or jieba.Tokenizer()

    def with_words(self, words: Sequence[str]) -> Jieba:
        new = Jieba()
        for word in words:
            new.tokenizer.add_word(word, 10**9)
        return new

    def with_split(self, word: str, parts: Sequence[str]) -> Jieba:
        new = Jieba()
        new.tokenizer.suggest_freq(tuple(parts), tune=True)
        return new

    def with_rule(self, rule: str, setting: str) -> Jieba:
        raise NotImplementedError("it has no rules to set")

    def without(self, words: Sequence[str]) -> Jieba:
        # what its users do: another Tokenizer, and del_word there
        new = self.with_words([CASES["isolation"]["word"]])
        for word in words:
            new.tokenizer.del_word(word)
        return new

    def cut(self, text: str) -> list[str]:
        words: list[str] = self.tokenizer.lcut(text)
        return words

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [(a, b) for _, a, b in self.tokenizer.tokenize(text)]

    def index(self, text: str) -> list[tuple[str, int, int]]:
        return list(self.tokenizer.tokenize(text, mode="search"))

    def query(self, text: str) -> list[tuple[str, int, int]]:
        return self.index(text)  # the package has one kind of tokens for both

    def pickled(self) -> bytes:
        return pickle.dumps(self.tokenizer)


class Rjieba:
    """rjieba, its compiled form."""

    name = "rjieba"

    def __init__(self) -> None:
        import rjieba

        self.tokenizer: Any = rjieba.Jieba()

    def with_words(self, words: Sequence[str]) -> Rjieba:
        new = Rjieba()
        for word in words:
            new.tokenizer.add_word(word, 10**9, "n")
        return new

    def with_split(self, word: str, parts: Sequence[str]) -> Rjieba:
        raise NotImplementedError

    def with_rule(self, rule: str, setting: str) -> Rjieba:
        raise NotImplementedError("it has no rules to set")

    def without(self, words: Sequence[str]) -> Rjieba:
        raise NotImplementedError("it cannot remove a word")

    def cut(self, text: str) -> list[str]:
        words: list[str] = self.tokenizer.cut(text, True)
        return words

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [(a, b) for _, a, b in self.tokenizer.tokenize(text, "default", True)]

    def index(self, text: str) -> list[tuple[str, int, int]]:
        return list(self.tokenizer.tokenize(text, "search", True))

    def query(self, text: str) -> list[tuple[str, int, int]]:
        return self.index(text)  # the package has one kind of tokens for both

    def pickled(self) -> bytes:
        return pickle.dumps(self.tokenizer)


def ask(system: System) -> dict[str, list[str]]:
    """What is wrong with a system, by family."""
    return {family: question(system) for family, question in FAMILIES.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Asks all systems and writes the results."""
    parser = argparse.ArgumentParser(prog="python -m eval.complaints", description=__doc__)
    parser.parse_args(arguments)
    import segmenter as seg

    systems: list[System] = [Jieba(), Rjieba()]
    systems += [Ours(seg.load(preset), preset) for preset in ("fast", "balanced", "accurate")]
    systems.append(Ours(seg.load("fast", decoder="unigram"), "fast", "unigram"))
    found: dict[str, Any] = common.facts(["jieba", "rjieba"])
    found["wrong"] = {system.name: ask(system) for system in systems}
    rows = [
        [family, *(len(wrong[family]) or "passes" for wrong in found["wrong"].values())]
        for family in FAMILIES
    ]
    lines = [
        "How many of the cases of each family go wrong (`eval/complaints.toml`); every package "
        "with its own dictionary and its defaults (jieba's HMM is on).\n",
        common.table(["", *found["wrong"]], rows),
    ]
    for name, by_family in found["wrong"].items():
        for family, wrong in by_family.items():
            if wrong:
                lines += [f"\n## {name}: {family}\n", *(f"- {case}" for case in wrong)]
    head = common.heading("Families of complaints", found, "python -m eval.complaints")
    common.write("complaints", head + "\n" + "\n".join(lines), found)


if __name__ == "__main__":
    main()
