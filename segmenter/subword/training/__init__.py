"""Training of subword vocabularies, from texts to the parts of a Tokenizer.

The learners (:mod:`~segmenter.subword.training.pairs` for BPE and WordPiece,
:mod:`~segmenter.subword.training.unigram`) work on words with counts.  This module counts, decides
which characters get pieces, and assembles the vocabulary, in the order of the ids: special tokens,
the 256 bytes, characters, whole words, subwords.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, cast

from segmenter.choices import check_whole, checked_threads, one_of
from segmenter.errors import ArgumentError, check_iterable, check_str, wrong_type
from segmenter.files.reading import grouped, read_lines
from segmenter.kernels._subword import SpanCounter
from segmenter.subword import decode, normalise, patterns, postprocess, pretokenise, scanning
from segmenter.subword.added import AddedToken
from segmenter.subword.aligned import Aligned
from segmenter.subword.models.bpe import BPE
from segmenter.subword.models.model import (
    BYTE_OF_PIECE,
    BYTE_PIECES,
    BYTE_TO_CHAR,
    CHAR_TO_BYTE,
    byte_chars,
    to_bytes,
)
from segmenter.subword.models.unigram import Unigram
from segmenter.subword.models.wordpiece import WordPiece
from segmenter.subword.parts import Parts
from segmenter.subword.training import pairs, unigram

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from os import PathLike
    from typing import IO, Any

    from segmenter.subword.models.model import Model
    from segmenter.subword.pretokenise import Cutter
    from segmenter.subword.training.pairs import Merge

    Source = str | PathLike[str] | IO[bytes]
    Progress = Callable[[str, int, int | None], object]

MODELS = ("bpe", "wordpiece", "unigram")
#: Characters of text to count per call.
_BATCH_CHARACTERS = 1 << 22
PREFIX = "##"
#: The options stored in the file.
_STORED_OPTIONS = (
    "model", "vocab_size", "min_frequency", "coverage", "byte_fallback", "byte_level", "max_piece",
    "seed",
)  # fmt: skip


class TrainingOptions(NamedTuple):
    """The options of :meth:`Tokenizer.train_from_iterator`, which documents them."""

    model: str = "bpe"
    vocab_size: int = 8000
    segmenter: Cutter | None = None
    words: int | Iterable[str] | None = None
    normaliser: normalise.Normaliser | None = None
    pretokeniser: pretokenise.PreTokeniser | None = None
    min_frequency: int = 2
    coverage: float = 0.9995
    byte_fallback: bool = True
    byte_level: bool = False
    special: tuple[str, ...] = ()
    unk: str | None = None
    max_piece: int = 16
    seed: int = 1
    progress: Progress | None = None
    threads: int = 1

    def check(self) -> None:
        one_of("model", self.model, MODELS)
        for name, low in (("vocab_size", 1), ("min_frequency", 1), ("max_piece", 1), ("seed", 0)):
            check_whole(name, getattr(self, name), low)
        checked_threads(self.threads)
        if not isinstance(self.coverage, (int, float)):
            raise wrong_type("coverage", self.coverage, "a number")
        if not 0.0 < self.coverage <= 1.0:
            raise ArgumentError(f"coverage: {self.coverage!r} is not a share (above 0, at most 1)")
        if self.segmenter is not None and not hasattr(self.segmenter, "ends"):
            raise wrong_type("segmenter", self.segmenter, "Segmenter")
        if self.segmenter is not None and self.pretokeniser is not None:
            raise ArgumentError(
                "pretokeniser: the segmenter is a pre-tokeniser already: give one of the two"
            )
        if self.byte_level and self.model != "bpe":
            raise ArgumentError(f"byte_level: is for model='bpe', not {self.model!r}")
        if self.byte_level and self.byte_fallback:
            raise ArgumentError(
                "byte_level: has a piece for each byte: leave out byte_fallback=True"
            )
        for token in self.special:
            if (self.byte_fallback and token in BYTE_OF_PIECE) or (
                self.byte_level and token in CHAR_TO_BYTE
            ):
                raise ArgumentError(
                    f"special: {token!r} is the piece of a byte: choose another name"
                )
        if len(set(self.special)) < len(self.special):
            raise ArgumentError("special: a token occurs twice")


class _LearnerInput(NamedTuple):
    """The input of a learner: spans with counts, and the pieces that the model must have."""

    options: TrainingOptions
    counts: Mapping[str, int]
    alphabet: list[str]
    words: list[str]
    fixed: list[str]
    unk: str | None


def lines_of(
    sources: Source | Iterable[Source], encoding: str, errors: str = "strict"
) -> Iterator[str]:
    """The lines of files, without line ends and without empty lines.

    Raises:
        EncodingError: names file, line and byte offset.
    """
    from os import PathLike

    single = isinstance(sources, (str, PathLike)) or hasattr(sources, "read")
    files = [cast("Source", sources)] if single else cast("Iterable[Source]", sources)
    check_iterable("files", files, "a path, a binary file, or several")
    for source in files:
        for _, line in read_lines(source, encoding, errors):
            if line:
                yield line


def train(texts: Iterable[str], options: TrainingOptions) -> Parts:
    """Train the parts of a Tokenizer; see :meth:`Tokenizer.train_from_iterator`."""
    options.check()
    check_iterable("texts", texts)
    normaliser = options.normaliser or normalise.Identity()
    step = _pretokeniser(options)
    counts = count_spans(texts, normaliser, step, options.progress, options.threads)
    if not counts:  # nothing, or an iterator that was read already
        raise ArgumentError("texts: there is no character to learn from: give more text")
    alphabet = covering(counts, options.coverage)
    chosen_words = _words(options, counts)
    special = list(options.special)
    unk = options.unk
    closed = options.byte_fallback or options.byte_level  # nothing is unknown
    if unk is None and (not closed or options.model == "unigram"):
        # tokenizers refuses a unigram model without one, even if bytes leave nothing unknown
        unk = "[UNK]" if options.model == "wordpiece" else "<unk>"
    if unk is not None and unk not in special:
        special.insert(0, unk)
    fixed = [*special, *(BYTE_PIECES if options.byte_fallback else ())]
    # text that looks like a byte piece or a special token must not become a piece
    barred = set(special) | set(BYTE_OF_PIECE)
    alphabet = [c for c in alphabet if c not in barred]
    learn = {"bpe": _bpe, "wordpiece": _wordpiece, "unigram": _unigram}[options.model]
    words = [word for word in chosen_words if word not in barred]
    model = learn(_LearnerInput(options, counts, alphabet, words, fixed, unk))
    meta = {
        "trained": {
            **{name: getattr(options, name) for name in _STORED_OPTIONS},
            "words": len(chosen_words),
            "spans": sum(counts.values()),
            "distinct_spans": len(counts),
            "alphabet": len(alphabet),
        }
    }
    return Parts(
        model,
        normaliser=normaliser,
        pretokeniser=step,
        decoder=_decoder(options),
        added=tuple(AddedToken(token, i) for i, token in enumerate(special)),
        meta=meta,
    )


def train_new(
    old: Parts,
    texts: Iterable[str],
    vocab_size: int,
    special: tuple[str, ...],
    options: dict[str, Any],
) -> Parts:
    """See :meth:`Tokenizer.train_new_from_iterator`."""
    model = old.model
    if not isinstance(model, (BPE, WordPiece, Unigram)):
        raise ArgumentError(
            f"model: a {model.kind} model cannot be trained: make a Tokenizer of another kind"
        )
    specials = sorted((token for token in old.added if token.special), key=lambda token: token.id)
    names = dict.fromkeys([token.content for token in specials])
    if model.unk is not None and model.unk not in names:
        names = {model.unk: None, **names}
    trained = train(
        texts,
        TrainingOptions(
            model=model.kind.lower(),
            vocab_size=vocab_size,
            normaliser=old.normaliser,
            pretokeniser=old.pretokeniser,
            byte_level=isinstance(model, BPE) and model.byte_level,
            byte_fallback=not isinstance(model, WordPiece) and model.byte_fallback,
            special=tuple(dict.fromkeys([*names, *special])),
            unk=model.unk,
        )._replace(**options),
    )
    flags = {token.content: token for token in specials}
    added = [flags.get(token.content, token)._replace(id=token.id) for token in trained.added]
    next_id = max([trained.model.size, *(token.id + 1 for token in trained.added)])
    ordinary = [token for token in old.added if not token.special]
    added += [token._replace(id=next_id + i) for i, token in enumerate(ordinary)]
    ids = {**trained.model.vocab, **{token.content: token.id for token in trained.added}}
    entry = _renumbered(old.postprocessor.config(), ids)
    return old._replace(
        model=trained.model,
        postprocessor=postprocess.make(entry),
        added=tuple(added),
        allowed="all" if old.allowed == names.keys() else (),
        meta=trained.meta,
        name=trained.name,
    )


def _renumbered(entry: Any, ids: Mapping[str, int]) -> Any:
    """The entry of a post-processor with new ids for its tokens."""

    def number(token: str) -> int:
        token_id = ids.get(token)
        if token_id is None:
            raise ArgumentError(
                f"new_special_tokens: the post-processor puts {token!r} around a text, which is "
                "not a special token: add it"
            )
        return token_id

    if isinstance(entry, list):
        return [_renumbered(item, ids) for item in entry]
    if not isinstance(entry, dict):
        return entry
    new_entry = {key: _renumbered(value, ids) for key, value in entry.items()}
    for key in ("sep", "cls"):
        if key in new_entry:
            new_entry[key] = [new_entry[key][0], number(new_entry[key][0])]
    for row in (new_entry.get("special_tokens") or {}).values():
        row["ids"] = [number(token) for token in row["tokens"]]
    return new_entry


def _pretokeniser(options: TrainingOptions) -> pretokenise.PreTokeniser:
    if options.segmenter is not None:
        words = pretokenise.Words(options.segmenter)
        if options.model != "wordpiece":
            return words
        return pretokenise.Sequence([pretokenise.WhitespaceSplit(), words])
    if options.pretokeniser is not None:
        return options.pretokeniser
    if options.model == "wordpiece":
        return pretokenise.BertPreTokenizer()
    return pretokenise.Split(patterns.GPT2)


def _decoder(options: TrainingOptions) -> decode.Decoder | None:
    for part in options.pretokeniser.flattened() if options.pretokeniser is not None else ():
        if isinstance(part, pretokenise.Metaspace):
            blanks = decode.Metaspace(part.replacement, part.prepend_scheme, part.cut)
            if options.byte_fallback:
                return decode.Sequence([decode.ByteFallback(), blanks])
            if options.byte_level:
                return decode.Sequence([decode.ByteLevel(), blanks])
            return blanks
    return None


def count_spans(
    texts: Iterable[str],
    normaliser: normalise.Normaliser,
    step: pretokenise.PreTokeniser,
    progress: Progress | None = None,
    threads: int = 1,
) -> Counter[str]:
    """How often each span occurs in the texts, in the order of first occurrence."""
    cuts = step.cuts()
    if cuts is not None and type(normaliser) is normalise.Normaliser:
        return _count_cuts(_checked(texts, progress), scanning.scanner(cuts), threads)
    counts: Counter[str] = Counter()
    for text in _checked(texts, progress):
        whole = normaliser(Aligned(text))
        part, spans = step(whole, [(0, len(whole.text))])
        counts.update([part.text[a:b] for a, b in spans])
    return counts


def _checked(texts: Iterable[str], progress: Progress | None) -> Iterator[str]:
    for number, text in enumerate(texts, 1):
        check_str(f"texts: number {number}", text)
        yield text
        if progress is not None and number % 10_000 == 0:
            progress("count", number, None)


def _count_cuts(texts: Iterable[str], scanner: scanning.Scanner, threads: int) -> Counter[str]:
    counter = SpanCounter(scanner)
    for batch in grouped(texts, _BATCH_CHARACTERS):
        counter.add(batch, threads)
    return Counter(dict(counter.items()))


def covering(counts: Mapping[str, int], coverage: float) -> list[str]:
    """The most frequent characters that make up the share ``coverage`` of the text, most frequent
    first, ties by code point."""
    characters = unigram.characters_of(counts.items())
    total = characters.total()
    chosen, covered = [], 0
    for c, count in sorted(characters.items(), key=lambda item: (-item[1], item[0])):
        if covered >= coverage * total:
            break
        chosen.append(c)
        covered += count
    return chosen


def _words(options: TrainingOptions, counts: Mapping[str, int]) -> list[str]:
    words = options.words
    if words is None:
        words = options.vocab_size // 4 if options.segmenter is not None else 0
    if isinstance(words, str):
        raise wrong_type("words", words, "a number or an iterable of str")
    if not isinstance(words, int):
        chosen = list(dict.fromkeys(words))
        for word in chosen:
            if not isinstance(word, str) or not word:
                raise ArgumentError(f"words: {word!r} is not a word: give non-empty str")
        return chosen
    check_whole("words", words, 0)
    ranked = [
        (-count, word)
        for word, count in counts.items()
        if len(word) > 1 and count >= options.min_frequency
    ]
    return [word for _, word in sorted(ranked)[:words]]


def _room(options: TrainingOptions, n_taken: int) -> int:
    room = options.vocab_size - n_taken
    if room < 0:
        raise ArgumentError(
            f"vocab_size: {options.vocab_size} has no room for {n_taken} special tokens, bytes, "
            "characters and words: make it larger, or lower coverage or words"
        )
    return room


def _parts(counts: Mapping[str, int], alphabet: Iterable[str]) -> Counter[str]:
    """Spans split at characters that have no piece."""
    with_piece = set(alphabet)
    parts: Counter[str] = Counter()
    for span, count in counts.items():
        if with_piece.issuperset(span):
            parts[span] += count
            continue
        start = 0
        for i, c in enumerate(chain(span, "\0")):
            if i == len(span) or c not in with_piece:
                if start < i:
                    parts[span[start:i]] += count
                start = i + 1
    return parts


def _hidden(fixed: list[str]) -> list[int]:
    """Ids of the special tokens, which text must not produce unless the caller allows it."""
    return [i for i, piece in enumerate(fixed) if piece not in BYTE_OF_PIECE]


def _bpe(learner_input: _LearnerInput) -> Model:
    options, counts, alphabet, words, fixed, unk = learner_input
    if options.byte_level:
        alphabet = sorted(BYTE_TO_CHAR.values())
        counts = {byte_chars(to_bytes(span)): count for span, count in counts.items()}
        words = [byte_chars(to_bytes(word)) for word in words]
    vocab = {piece: i for i, piece in enumerate(dict.fromkeys([*fixed, *alphabet, *words]))}
    _room(options, len(vocab))
    whole_words = set(words)
    parts = _parts({s: c for s, c in counts.items() if s not in whole_words}, alphabet)
    learnt = pairs.learn(parts.items(), options.min_frequency)
    merges = _merged(vocab, learnt, set(fixed), options)
    return BPE(
        vocab,
        merges,
        byte_level=options.byte_level,
        byte_fallback=options.byte_fallback,
        unk=unk,
        ignore_merges=bool(words),
        hidden=_hidden(fixed),
    )


def _wordpiece(learner_input: _LearnerInput) -> Model:
    options, counts, alphabet, words, fixed, unk = learner_input
    with_piece = set(alphabet)
    spans = {s: c for s, c in counts.items() if with_piece.issuperset(s)}
    first = dict.fromkeys(s[0] for s in spans if s)
    inner = dict.fromkeys(PREFIX + c for s in spans for c in s[1:])
    pieces = dict.fromkeys([*fixed, *sorted(first), *sorted(inner), *words])
    vocab = {piece: i for i, piece in enumerate(pieces)}
    _room(options, len(vocab))
    whole_words = set(words)
    parts = [(s, c) for s, c in spans.items() if s not in whole_words]
    learnt = pairs.learn(parts, options.min_frequency, prefix=PREFIX, scored=True)
    _merged(vocab, learnt, set(fixed), options)
    return WordPiece(vocab, unk or "[UNK]", PREFIX, hidden=_hidden(fixed))


def _merged(
    vocab: dict[str, int], learnt: Iterable[Merge], barred: set[str], options: TrainingOptions
) -> list[tuple[str, str]]:
    """Fill the vocabulary up with the pieces of merges; returns the merges used."""
    used: list[tuple[str, str]] = []
    for merge in learnt:
        if len(vocab) >= options.vocab_size:
            break
        if merge.made in barred:
            continue
        vocab.setdefault(merge.made, len(vocab))
        used.append((merge.left, merge.right))
        if options.progress is not None and len(used) % 100 == 0:
            options.progress("merge", len(vocab), options.vocab_size)
    return used


def _unigram(learner_input: _LearnerInput) -> Model:
    options, counts, alphabet, words, fixed, unk = learner_input
    keep = list(dict.fromkeys([*alphabet, *words]))
    room = _room(options, len(fixed) + len(keep))
    parts = _parts(counts, alphabet)
    pieces = unigram.learn(
        parts,
        len(keep) + room,
        keep=keep,
        barred=set(fixed),
        min_frequency=options.min_frequency,
        max_piece=options.max_piece,
        progress=options.progress,
    )
    rows = [*((piece, 0.0) for piece in fixed), *pieces]
    return Unigram(
        rows,
        None if unk is None else fixed.index(unk),
        byte_fallback=options.byte_fallback,
        hidden=_hidden(fixed),
    )
