"""What users of other segmenters complain about, as questions to a Segmenter.

The cases stand in ``complaints.toml``.  A question is answered with a list of what is wrong, empty
where all is well.
"""

from __future__ import annotations

import pickle
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segmenter.loading import load_by_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from segmenter.choices import Decoder

CASES: dict[str, Any] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)


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


# --- questions -----------------------------------------------------------------------------------


def user_words_take_effect(system: Ours) -> list[str]:
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


def index_and_query_agree(system: Ours) -> list[str]:
    """Family 2: a query of whole words is found, every word of a text is in its index, tokens nest.

    A query is found where some way through its tokens, from its beginning to its end, stands in the
    index of the text, one token behind the other.
    """
    wrong = []
    for case in CASES["search"]["pairs"]:
        text, query = case["text"], case["query"]
        index, query_tokens = set(system.index(text)), system.query(query)
        if not any(_is_at(place, index, query_tokens, len(query)) for place in range(len(text))):
            words = "/".join(dict.fromkeys(token for token, _, _ in query_tokens))
            wrong.append(f"{query} in {text}: the index has no way through {words}")
        index_terms = {token for token, _, _ in index}
        coarse = [word for word in system.cut(text) if word not in index_terms]
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
    place: int, index: set[tuple[str, int, int]], query: list[tuple[str, int, int]], length: int
) -> bool:
    reached = {0}
    for token, start, end in sorted(query, key=lambda t: (t[1], t[2])):
        if start in reached and (token, place + start, place + end) in index:
            reached.add(end)
    return length in reached


def nothing_is_lost(system: Ours) -> list[str]:
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


def dictionaries_leave_each_other_alone(system: Ours) -> list[str]:
    """Family 6."""
    case = CASES["isolation"]
    derived = system.with_words([])
    untouched = derived.cut(case["text"])
    added = derived.with_words([case["word"]])
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
    if (cut := derived.cut(case["text"])) != untouched:
        wrong.append(f"and a third: {'/'.join(untouched)} became {'/'.join(cut)}")
    wrong += [
        f"{word} cannot be removed"
        for word in case["removed"]
        if word in added.without([word]).cut(case["text"])
    ]
    return wrong


def it_goes_to_other_processes(system: Ours) -> list[str]:
    """Family 7."""
    case = CASES["processes"]
    try:
        raw = system.pickled()
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        return [f"{type(error).__name__}: {error}"]
    restored = pickle.loads(raw)
    if list(restored.cut(case["text"])) != system.cut(case["text"]):
        return ["it cuts otherwise afterwards"]
    return [f"{len(raw):,} bytes"] if len(raw) > case["most_bytes"] else []


def typed_atoms_stay_whole_or_come_apart(system: Ours) -> list[str]:
    """Family 9."""
    wrong = [
        f"{case['atom']}: {'/'.join(cut)}"
        for case in CASES["atoms"]["whole"]
        if case["atom"] not in (cut := system.cut(case["text"]))
    ]
    for setting, verb in ("keep", "kept"), ("split", "split"):
        for case in CASES["atoms"][verb]:
            parts = [case["atom"]] if setting == "keep" else case["parts"]
            try:
                cut = system.with_rule(case["rule"], setting).cut(case["text"])
            except NotImplementedError as error:
                wrong.append(f"{case['rule']} {setting}: {error}")
                continue
            if not any(cut[k : k + len(parts)] == parts for k in range(len(cut))):
                wrong.append(f"{case['rule']} {setting}: {'/'.join(cut)}")
    return wrong
