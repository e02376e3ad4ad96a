"""What is done with a mutant of each kind: all that its kind can do.  See :mod:`mutants`."""

from __future__ import annotations

import contextlib
import functools
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import worlds

from segmenter import Segmenter, keywords, pos
from segmenter.errors import SegmenterError
from segmenter.lexicon import Lexicon
from segmenter.lexicon.user import UserDictionary
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
from segmenter.subword.model import BYTE_PIECES
from segmenter.tagging.decompile import decompile
from segmenter.tagging.predictor import Predictor
from segmenter.tagging.scores import tag_scores

if TYPE_CHECKING:
    from collections.abc import Callable

TEXTS = [
    worlds.GOLDEN,
    "中华人民共和国的人民在3.14年3月，一日千里！\r\n 日日日日日日日ab1的确\u0301实",
    "北京大学生图书馆里的研究生研究生命起源1998年12月3.5%，iPhone15",
    "天地你们他们日月大山中国人山石田土水火木金土大小上下中国",
    "買國際標準的龘堃鑫鑫\U0001f469\u200d\U0001f4bb\ud800\u0301𠀀人\t-5·6/7‰三千五百",
    "乾淨的著名麵條" * 3 + "人" * 40,
]
SHORT = TEXTS[:3]


class Subject(NamedTuple):
    """A kind of compiled file.

    Attributes:
        kind: of the artifact.
        sections, meta: those of a sound file.
        use: does with a file's bytes all that its kind can do.
        fixed: sections that are read by other libraries, which check them as they please.
    """

    kind: str
    sections: dict[str, bytes]
    meta: dict[str, Any]
    use: Callable[[bytes], None]
    fixed: tuple[str, ...] = ()


# --- what is done with a file ------------------------------------------------------------------


def each(*calls: Callable[[], object]) -> None:
    """Every call, whether or not those before it refuse the file."""
    for call in calls:
        with contextlib.suppress(SegmenterError):
            call()


class Turn:
    """The number of the mutant under way: some of what is done takes turns by it."""

    number = 0


def cut(s: Segmenter, texts: list[str] = TEXTS) -> None:
    # on a busy machine a call waits for its second thread much longer than it works
    threads = 2 if Turn.number % 4 == 0 else 1
    for text in texts:
        s.ends(text)
        assert s.skip or "".join(s.cut(text)) == text
    each(
        lambda: s.cut_batch(texts, threads),
        lambda: s.cut_bytes("\n".join(texts).encode("utf-8", "replace"), threads=threads),
        lambda: [s.tokenize(text) for text in texts],
        lambda: [s.nbest(text, 3) for text in SHORT],
    )


def do_all(s: Segmenter) -> None:
    cut(s)
    each(
        lambda: [str(s.explain(text)) for text in SHORT],
        lambda: [s.dag(text) for text in SHORT],
        lambda: [s.cut_all(text) for text in SHORT],
        lambda: [s.cut_for_search(text) for text in SHORT],
    )


world = functools.cache(worlds.lexicon)


def now_and_then(data: bytes) -> bool:
    """Whether a mutant gets what takes long, by its digest."""
    return data[50] % 8 == 0


WORDS_OF_USER = [("的确", "delete"), ("共和国的", "force"), ("图书馆里", 30.0), "国际标准"]


def use_lexicon(data: bytes) -> None:
    lexicon = Lexicon.from_bytes(data, variants=len(data) % 3 != 0)
    for decoder in worlds.ALL_DECODERS:
        each(lambda decoder=decoder: cut(Segmenter(lexicon, decoder=decoder), SHORT))  # type: ignore[misc]
    each(
        lambda: do_all(Segmenter(lexicon)),
        lambda: cut(Segmenter(lexicon, oov="keep", skip=["punct", "space"], user=WORDS_OF_USER)),
        lambda: cut(Segmenter(lexicon, matcher="aho-corasick"), SHORT),
        lambda: list(lexicon),
        lambda: [lexicon.count(word) for word in worlds.GOLDEN_WORDS],
        lambda: [lexicon.native.fold(text) for text in TEXTS],
        lambda: lexicon.artifact.describe(),
    )


def use_marisa(data: bytes) -> None:
    lexicon = Lexicon.from_bytes(data)
    each(lambda: do_all(Segmenter(lexicon)), lambda: list(lexicon), lambda: lexicon.count("的确"))


def use_idf(data: bytes) -> None:
    table = keywords.Idf(Lexicon.from_bytes(data))
    for word in ("吃", "鱼", "无此词"):
        table.idf(word)


def use_tagger(data: bytes) -> None:
    predictor = Predictor.from_bytes(data, variants=len(data) % 3 != 0)
    kind = predictor.meta.get("algorithm", "crf")

    def made(**more: Any) -> Segmenter:
        return Segmenter(None, decoder=kind, tagger=predictor, **more)

    each(
        lambda: cut(made()),
        lambda: cut(made(user=WORDS_OF_USER, skip=["punct"])),
        lambda: [tag_scores(made(), text) for text in SHORT],
        lambda: predictor.fold(TEXTS[4]),
        lambda: now_and_then(data) and decompile(predictor.artifact),
        lambda: cut(Segmenter(world(), oov="tagger", guesser=predictor), SHORT),
    )


def use_pos(data: bytes) -> None:
    tagger = pos.PosTagger.from_bytes(data)
    words = ["他", "在", "北京", "研究", "历史", "。", " ", "\n", "iPhone", "2026年", "龘堃"]
    words.append("的" * 9)
    tagger.tags(words * 3)
    tagger.tags(words, ["r", None] * 6)
    tagger.pairs(words)


def use_user(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "words.user"
        path.write_bytes(data)
        user = UserDictionary.load(path)
        each(
            lambda: cut(Segmenter(world(), user=user)),
            lambda: list(user),
            lambda: user.dumps(),
            lambda: user.without(["的确"]).with_words(["确实在"]),
        )


def use_subword(data: bytes) -> None:
    use_tokenizer(Tokenizer.from_bytes(data))


def use_tokenizer(t: Tokenizer) -> None:
    for text in (*SHORT, "low lower\n<s>", ""):
        encoded = None
        with contextlib.suppress(SegmenterError):
            encoded = t.encode(text)
        if encoded is not None:
            each(
                lambda encoded=encoded: (encoded.offsets, encoded.tokens),  # type: ignore[misc]
                lambda encoded=encoded: t.decode(encoded.ids),  # type: ignore[misc]
            )
    each(
        lambda: t.encode_batch(SHORT),
        lambda: t.to_bytes(),
        lambda: tokenizer_json.to_config(t),
        lambda: cut(Segmenter(world(), oov="bpe", subwords=t), SHORT),
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
