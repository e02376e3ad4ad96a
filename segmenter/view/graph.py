"""All that a sentence's page shows, as plain data: the word DAG, every decoder's path, tag scores.

Numbers of costs and scores are natural logarithms (nats); offsets count code points.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from segmenter.choices import DECODERS, LATTICE, PRESETS, TAGGERS
from segmenter.errors import (
    ArgumentError,
    DictionaryError,
    ResourceError,
    SegmenterError,
    wrong_type,
)
from segmenter.lattice.dag import WordDag
from segmenter.lattice.shortest_path import k_best
from segmenter.lexicon.builder import COST_SCALE
from segmenter.lexicon.user import UserDictionary
from segmenter.loading import load

if TYPE_CHECKING:
    import os

    from segmenter.segmenter import Segmenter
    from segmenter.subword import Tokenizer

#: Characters of the longest text that is drawn: arcs of more are no picture any more.
LONGEST = 200
#: Up to here every node has the cost of the best path to it; the work grows with the square.
LONGEST_COSTED = 60

_USER_LINE = re.compile(r"(.+?)[ ]*=[ ]*(force|prefer|delete|split|[0-9]+(?:\.[0-9]+)?)")


class Gallery:
    """The Segmenters and vocabularies whose answers to one sentence are shown beside each other.

    Args:
        chosen: the Segmenter that the others are compared with.
        decoders: every Segmenter by the name of its decoder, ``chosen`` among them.
        missing: why other decoders are not there, by name.
        vocabularies: subword Tokenizers by name.

    >>> gallery = Gallery.of("fast")
    >>> gallery.chosen.decoder, "unigram" in gallery.decoders
    ('perceptron', True)
    """

    def __init__(
        self,
        chosen: Segmenter,
        decoders: dict[str, Segmenter],
        missing: dict[str, str],
        vocabularies: dict[str, Tokenizer],
    ) -> None:
        self.chosen = chosen
        self.decoders = decoders
        self.missing = missing
        self.vocabularies = vocabularies

    @classmethod
    def of(cls, name: str | os.PathLike[str] = "balanced", **options: Any) -> Gallery:
        """Everything that can be shown beside ``load(name, **options)``.

        Beside a preset these are all decoders of its standard; beside a lexicon of the caller's
        own the lattices over it; beside a tagger of his own the shipped ones.
        """
        chosen = load(name, **options)
        own = ("decoder", "oov", "skip", "matcher")  # not every decoder takes these
        beside = {k: v for k, v in options.items() if k not in own}
        own_lexicon = name not in PRESETS and chosen.tagger is None
        source = name if name in PRESETS or own_lexicon else "balanced"
        decoders, missing = {}, {}
        for decoder in DECODERS:
            if decoder == chosen.decoder:
                decoders[decoder] = chosen
                continue
            if own_lexicon and decoder in TAGGERS:
                continue
            try:
                decoders[decoder] = load(source, decoder=decoder, **beside)
            except ArgumentError as e:
                missing[decoder] = str(e)
            except ResourceError:  # whose message has the folders of this machine
                missing[decoder] = "its files are not installed"
        return cls(chosen, decoders, missing, _vocabularies())

    def replace(self, user: UserDictionary) -> Gallery:
        """The same with other words of the user."""
        decoders = {name: s.replace(user) for name, s in self.decoders.items()}
        chosen = decoders[self.chosen.decoder]
        return Gallery(chosen, decoders, self.missing, self.vocabularies)


def _vocabularies() -> dict[str, Tokenizer]:
    from segmenter import subword

    found = {}
    for name in subword.SHIPPED:
        try:
            found[name] = subword.load(name)
        except ResourceError:
            continue
    return found


def user_words(lines: str) -> UserDictionary:
    """Words as one types them: one a line, with a level, ``split`` or a weight behind ``=``.

    A line with a tab in it is one of a user dictionary's file, with all that this can say.

    Raises:
        DictionaryError: a line that cannot be used; names it.

    >>> words = user_words("iPhone 15\\n在理 = delete\\n提|出=split")
    >>> [(w.word, w.level) for w in words]
    [('iPhone 15', 'prefer'), ('在理', 'delete'), ('提出', 'force')]
    """
    rows = [_row(line) for line in lines.replace("\r\n", "\n").split("\n")]
    text = "\n".join(rows) + "\n"
    try:
        return UserDictionary.load(text.encode("utf-8", "replace"), format="tsv")
    except DictionaryError as e:
        raise DictionaryError("words", e.line, e.reason) from None


def _row(line: str) -> str:
    """A line as one types it, as one of a user dictionary's file."""
    if "\t" in line:
        return line
    given = _USER_LINE.fullmatch(line.strip())
    word, level = given.groups() if given else (line.strip(" "), "")
    if level != "split":  # where a backslash keeps a bar of the word's own
        word = word.replace("\\", "\\\\")
    return f"{word}\t{level}" if level else word


def picture(gallery: Gallery, text: str, words: str = "") -> dict[str, Any]:
    """What the page draws of a sentence; JSON can hold it.

    Args:
        gallery: what decodes.
        text: at most :data:`LONGEST` characters.
        words: more words of the user, see :func:`user_words`.

    Raises:
        TypeError: ``text`` is no str.
        ArgumentError: ``text`` is too long.
        DictionaryError: a line of ``words`` cannot be used.
    """
    if not isinstance(text, str):
        raise wrong_type("text", text, "str")
    if len(text) > LONGEST:
        raise ArgumentError(
            f"text: {len(text):,} characters: at most {LONGEST} can be drawn, so give a sentence"
        )
    plain = gallery
    added = user_words(words)
    if len(added):
        gallery = gallery.replace(plain.chosen.user.with_words(added))
    dag = _lattice(gallery).dag(text)
    decided = _lattice(gallery).dag(text, decided=True)
    decoders = [_decoder(name, s, text, decided) for name, s in gallery.decoders.items()]
    if len(added):
        for row, name in zip(decoders, gallery.decoders, strict=True):
            row["before"] = plain.decoders[name].tokenize(text).spans
    return {
        "text": text,
        "characters": list(text),
        "chosen": gallery.chosen.decoder,
        "fingerprint": gallery.chosen.fingerprint,
        "words": words,
        "edges": _edges(gallery, dag),
        "costs": _costs(decided),
        "decoders": decoders,
        "missing": [{"name": name, "why": why} for name, why in gallery.missing.items()],
        "taggers": [
            _tagger(name, s, text) for name, s in gallery.decoders.items() if name in TAGGERS
        ],
        "pieces": [_pieces(name, t, text) for name, t in gallery.vocabularies.items()],
        "why": gallery.chosen.explain(text).rows,
    }


def _lattice(gallery: Gallery) -> Segmenter:
    return next((s for n, s in gallery.decoders.items() if n in LATTICE), gallery.chosen)


def _edges(gallery: Gallery, dag: WordDag) -> list[dict[str, Any]]:
    segmenter = _lattice(gallery)
    rows = []
    for edge in dag.edges:
        word = dag.text[edge.start : edge.end]
        row: dict[str, Any] = {
            "start": edge.start,
            "end": edge.end,
            "cost": edge.cost / COST_SCALE,
            "kind": edge.kind,
        }
        if edge.kind == "word":
            row["count"] = segmenter.lexicon.count(word)
            row["tag"] = segmenter.lexicon.tag_of(edge.word)
        elif edge.kind == "user":
            entry = segmenter.user[word]
            row["level"] = entry.level
            row["tag"] = entry.tag
        rows.append(row)
    return rows


def _costs(dag: WordDag) -> list[float | None] | None:
    """The least cost to every node, where the text is not too long.

    None for nodes that no path reaches: inside runs and spans that stay whole.
    """
    n = len(dag.text)
    if n > LONGEST_COSTED:
        return None
    costs: list[float | None] = [0.0]
    for node in range(1, n + 1):
        part = WordDag(dag.text[:node], [e for e in dag.edges if e.end <= node])
        best = k_best(part, 1, "unigram")
        costs.append(best[0][1] / COST_SCALE if best else None)
    return costs


def _decoder(name: str, segmenter: Segmenter, text: str, dag: WordDag) -> dict[str, Any]:
    tokens = segmenter.tokenize(text)
    spans = tokens.spans
    costs = {(e.start, e.end): e.cost for e in dag.edges}
    along = [costs.get(span) for span in spans]
    known = [cost for cost in along if cost is not None]
    row: dict[str, Any] = {
        "name": name,
        "lattice": name in LATTICE,
        "spans": spans,
        "tags": [token.tag for token in tokens],
        "sources": [token.source.value for token in tokens],
        # under the lattice's costs, so that paths of different decoders can be compared
        "cost": sum(known) / COST_SCALE if len(known) == len(along) else None,
    }
    if name in TAGGERS:
        row["margins"] = [token.score for token in tokens]
    if not name.endswith("-max"):
        best = segmenter.nbest(text, 1)
        row["score"] = best[0][1] if best else None
    return row


def _tagger(name: str, segmenter: Segmenter, text: str) -> dict[str, Any]:
    from segmenter.tagging.scheme import allowed, tag_word

    scored = segmenter.tag_scores(text)
    tags = scored.tags
    path = [
        tags.index(tag)
        for start, end in segmenter.tokenize(text).spans
        for tag in tag_word(end - start, len(tags))
    ]
    return {
        "name": name,
        "tags": tags,
        "start": [
            value if tag in (tags[0], tags[-1]) else None
            for tag, value in zip(tags, scored.start, strict=True)
        ],
        "transitions": [
            [value if allowed(a, b) else None for b, value in zip(tags, row, strict=True)]
            for a, row in zip(tags, scored.transitions, strict=True)
        ],
        "scores": scored.scores,
        "path": path,
    }


def _pieces(name: str, tokenizer: Tokenizer, text: str) -> dict[str, Any]:
    from segmenter.subword.show import shown

    try:
        encoding = tokenizer.encode(text)
    except SegmenterError as e:  # a text that spells a special token
        return {"name": name, "pieces": [], "why": str(e)}
    return {
        "name": name,
        "pieces": [
            {"start": start, "end": end, "id": number, "text": shown(tokenizer.bytes_of(number))}
            for number, (start, end) in zip(encoding.ids, encoding.offsets, strict=True)
        ],
    }
