"""What is done with a mutant of each kind: all that its kind can do.  See :mod:`mutants`."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from unittest import mock

import worlds

from segmenter import Segmenter, artifact, keywords
from segmenter.errors import SegmenterError
from segmenter.lexicon import Lexicon
from segmenter.lexicon.user import UserDictionary
from segmenter.serve.scores import tag_scores
from segmenter.subword import (
    BPE,
    AddedToken,
    Tokenizer,
    Unigram,
    WordPiece,
    normalise,
    pretokenise,
)
from segmenter.subword.formats import tokenizer_json
from segmenter.subword.models.model import BYTE_PIECES
from segmenter.tagging import pos
from segmenter.tagging.predictor import Predictor
from segmenter.train.tagging.decompile import decompile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from segmenter.artifact import Artifact

T = TypeVar("T")

TEXTS = [
    worlds.GOLDEN,
    "中华人民共和国的人民在3.14年3月，一日千里！\r\n 日日日日日日日ab1的确\u0301实",
    "北京大学生图书馆里的研究生研究生命起源1998年12月3.5%，iPhone15",
    "天地你们他们日月大山中国人山石田土水火木金土大小上下中国",
    "買國際標準的龘堃鑫鑫\U0001f469\u200d\U0001f4bb\ud800\u0301𠀀人\t-5·6/7‰三千五百",
    "乾淨的著名麵條" * 3 + "人" * 40,
]
SHORT = TEXTS[:3]
ALL = "\n".join(TEXTS)


class Subject(NamedTuple):
    """A kind of compiled file.

    Attributes:
        kind: of the artifact.
        sections, meta: those of a sound file.
        use: does with an opened file all that its kind can do.
        fixed: sections that are read by other libraries, which check them as they please.
    """

    kind: str
    sections: dict[str, bytes]
    meta: dict[str, Any]
    use: Callable[[Artifact], None]
    fixed: tuple[str, ...] = ()


# --- what is done with a file ------------------------------------------------------------------


def each(*calls: Callable[[], object]) -> None:
    """Every call, whether or not those before it refuse the file."""
    for call in calls:
        with contextlib.suppress(SegmenterError):
            call()


class Turn:
    """Whose turn it is: what a call does beside cutting goes round, by the number of the mutant."""

    number = 0
    calls = 0

    @classmethod
    def of(cls, number: int) -> None:
        cls.number = cls.calls = number

    @classmethod
    def one(cls, n: int) -> int:
        """The next of n things to do."""
        cls.calls += 1
        return cls.calls % n

    @classmethod
    def some(cls, things: Sequence[T], n: int) -> list[T]:
        """Every n-th of the things, others for another mutant."""
        return list(things[cls.number % n :: n])


def now_and_then() -> bool:
    """Whether a mutant gets what takes long."""
    return Turn.number % 8 == 0


def cut(s: Segmenter, texts: list[str] = TEXTS) -> None:
    """All the texts at once, and by turns what else reads words: every engine of a mutant has
    another turn, and every mutant begins with another."""
    text_joined = ALL if texts is TEXTS else "\n".join(texts)
    assert s.skip or "".join(s.cut(text_joined)) == text_joined
    turn = Turn.one(8)
    text = texts[turn % len(texts)]
    if turn in (0, 4):
        s.ends(text)
        each(lambda: s.nbest(text, 3))
    elif turn in (1, 5):
        s.tokenize(text)
        s.tokenize(text_joined)
    elif turn in (2, 6):
        # on a busy machine a call waits for its second thread much longer than it works
        s.cut_batch(texts, 2 if Turn.number % 32 == 0 else 1)
    else:
        data = text_joined.encode("utf-8", "replace")
        s.cut_bytes(data, threads=2 if Turn.number % 32 == 1 else 1)


def do_all(s: Segmenter) -> None:
    text = SHORT[Turn.number % len(SHORT)]
    cut(s)
    each(
        lambda: str(s.explain(text)),
        lambda: s.dag(text),
        lambda: s.cut_all(text),
        lambda: s.cut_for_search(text),
        lambda: s.nbest(text, 3),
    )


world = functools.cache(worlds.lexicon)


WORDS_OF_USER = [("的确", "delete"), ("共和国的", "force"), ("图书馆里", 30.0), "国际标准"]


def use_lexicon(art: Artifact) -> None:
    lexicon = Lexicon(art, variants=Turn.number % 3 != 0)
    for decoder in Turn.some(worlds.ALL_DECODERS, 2):
        each(lambda decoder=decoder: cut(Segmenter(lexicon, decoder=decoder)))  # type: ignore[misc]
    calls: list[Callable[[], object]] = [
        lambda: cut(Segmenter(lexicon, oov="keep", skip=["punct", "space"], user=WORDS_OF_USER)),
        lambda: do_all(Segmenter(lexicon)),
        lambda: cut(Segmenter(lexicon, matcher="aho-corasick"), SHORT),
        lambda: cut(Segmenter(lexicon, matcher="marisa"), SHORT),
        lambda: cut(Segmenter(lexicon, matcher="pyahocorasick"), SHORT),
        lambda: list(lexicon),
        lambda: lexicon.native.fold(ALL),
        lambda: [lexicon.count(word) for word in worlds.GOLDEN_WORDS],
        lambda: lexicon.artifact.describe(),
    ]
    each(*Turn.some(calls, 3))


def use_marisa(art: Artifact) -> None:
    lexicon = Lexicon(art)
    calls: list[Callable[[], object]] = [
        lambda: do_all(Segmenter(lexicon)),
        lambda: list(lexicon),
        lambda: cut(Segmenter(lexicon, decoder="shortest")),
        lambda: lexicon.count("的确"),
    ]
    each(*Turn.some(calls, 2))


def use_idf(art: Artifact) -> None:
    table = keywords.Idf(Lexicon(art))
    for word in ("吃", "鱼", "无此词"):
        table.idf(word)


def use_tagger(art: Artifact) -> None:
    predictor = Predictor(art, variants=Turn.number % 3 != 0)
    kind = predictor.meta.get("algorithm", "crf")

    def load_with(**options: Any) -> Segmenter:
        return Segmenter(None, decoder=kind, tagger=predictor, **options)

    calls: list[Callable[[], object]] = [
        lambda: cut(load_with(user=WORDS_OF_USER, skip=["punct"])),
        lambda: tag_scores(load_with(), SHORT[Turn.number % len(SHORT)]),
        lambda: cut(Segmenter(world(), oov="tagger", unknown_tagger=predictor), SHORT),
        lambda: now_and_then() and predictor.fold(TEXTS[4]),
        lambda: now_and_then() and decompile(predictor.artifact),
    ]
    each(lambda: cut(load_with()), *Turn.some(calls, 3), *(calls[3:] if now_and_then() else ()))


def use_pos(art: Artifact) -> None:
    tagger = pos.PosTagger(art)
    words = ["他", "在", "北京", "研究", "历史", "。", " ", "\n", "iPhone", "2026年", "龘堃"]
    words.append("的" * 9)
    tagger.tags(words * 3)
    tagger.tags(words, ["r", None] * 6)
    tagger.pairs(words)


def use_user(art: Artifact) -> None:
    with mock.patch.object(artifact, "open", return_value=art):
        user = UserDictionary._map("words.user", True, ())
    each(
        lambda: cut(Segmenter(world(), user=user)),
        lambda: list(user),
        lambda: user.dumps(),
        lambda: user.without(["的确"]).with_words(["确实在"]),
    )


def use_subword(art: Artifact) -> None:
    use_tokenizer(Tokenizer._from_artifact(art, None))


def use_tokenizer(t: Tokenizer) -> None:
    for text in (ALL[:200], "low lower\n<s>", ""):
        encoded = None
        with contextlib.suppress(SegmenterError):
            encoded = t.encode(text)
        if encoded is not None:
            each(
                lambda encoded=encoded: (encoded.offsets, encoded.tokens),  # type: ignore[misc]
                lambda encoded=encoded: t.decode(encoded.ids),  # type: ignore[misc]
            )
    each(
        lambda: Turn.number % 4 == 0 and t.encode_batch(SHORT),
        lambda: Turn.number % 4 == 1 and t.to_bytes(),
        lambda: Turn.number % 4 == 2 and tokenizer_json.to_config(t),
        lambda: Turn.number % 4 == 3 and cut(Segmenter(world(), oov="bpe", subwords=t), SHORT),
    )


# --- tokenizers: one of each model ---------------------------------------------------------------


def _pieces(n: int) -> list[str]:
    return [w for w in [*worlds.COUNTS, *"鑫堃low er"] if len(w) <= n]


MODELS = ("unigram", "bpe", "wordpiece")


def tokenizers() -> dict[str, Tokenizer]:
    """One of each model, with steps of many types."""
    pieces = list(dict.fromkeys([*BYTE_PIECES, *_pieces(2)]))
    unigram = Unigram([(p, -1.0 - i / 8) for i, p in enumerate(pieces)], byte_fallback=True)
    merges = [(w[0], w[1]) for w in pieces if len(w) == 2 and {*w} <= {*pieces}]
    bpe = BPE({p: i for i, p in enumerate(pieces)}, merges, byte_fallback=True)
    words = ["[UNK]", *_pieces(2), *("##" + c for c in "的确实人")]
    piece = WordPiece({p: i for i, p in enumerate(dict.fromkeys(words))}, "[UNK]")
    return {
        "unigram": Tokenizer(
            unigram,
            normaliser=normalise.Sequence([normalise.NFKC(), normalise.Replace("low", "er")]),
            pretokeniser=pretokenise.Metaspace(),
            added=[AddedToken("<s>", 5000, special=True)],
        ),
        "bpe": Tokenizer(bpe, pretokeniser=pretokenise.Split("[的，]", "Isolated", regex=True)),
        "wordpiece": Tokenizer(piece, pretokeniser=pretokenise.BertPreTokenizer()),
    }
