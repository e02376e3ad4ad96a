"""``segmenter.compat.jieba``: dictionaries of one's own, and its names in all of jieba's forms."""

from __future__ import annotations

import io
import logging
import subprocess
import sys
import types
from pathlib import Path

import pytest
import worlds
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT, SHARED
from reference.dag import word_dag
from reference.jieba import guessed_as_jieba, unigram_from_left
from reference.words import Dictionary

import segmenter as seg
import segmenter.compat.jieba as jieba
from segmenter import Segmenter
from segmenter.compat.jieba import analyse, finalseg, posseg
from segmenter.errors import ResourceError
from segmenter.keywords import load_idf
from segmenter.lexicon import Lexicon
from segmenter.tagging.pos import load as load_pos

try:
    seg.load()
    load_pos()
    load_idf()
except ResourceError:
    pytest.skip("models/ is not built here", allow_module_level=True)


@pytest.fixture
def t() -> jieba.Tokenizer:
    return jieba.Tokenizer()


# --- dictionaries of one's own -----------------------------------------------------------------


def test_of_equal_words_the_last_counts(tmp_path: Path) -> None:
    path = tmp_path / "dict.txt"
    path.write_text("B超 3 n\n云计算 10 n\nB超 7 nz\n", "utf-8")
    tokenizer = jieba.Tokenizer(path)
    assert tokenizer.FREQ["B超"] == 7
    assert tokenizer.lcut("做B超") == ["做", "B超"]


def test_hmm_finds_words_that_a_dictionary_of_ones_own_lacks(tmp_path: Path) -> None:
    path = tmp_path / "dict.txt"
    path.write_text("来到 10 v\n网易 10 n\n大厦 10 n\n", "utf-8")
    tokenizer = jieba.Tokenizer(path)
    text = "李小福来到网易杭研大厦"
    assert tokenizer.lcut(text) == ["李小福", "来到", "网易", "杭研", "大厦"]
    assert tokenizer.lcut(text, HMM=False) == ["李", "小", "福", "来到", "网易", "杭", "研", "大厦"]
    # what stands between Han characters, as jieba has it
    assert tokenizer.lcut("涨3.14%了++吧") == ["涨", "3.14%", "了", "++", "吧"]
    tokenizer.del_word("杭研")
    assert tokenizer.lcut("网易杭研大厦") == ["网易", "杭", "研", "大厦"]


def test_nothing_is_folded_where_the_dictionary_is_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "dict.txt"
    path.write_text("台灣 10 ns\n台湾 1 ns\n大学 1 n\n", "utf-8")
    tokenizer = jieba.Tokenizer(path)
    assert tokenizer.lcut("台灣大學", HMM=False) == ["台灣", "大", "學"]


HARD = st.text("他说的确实在理杭研囧龘a1b.%+#&_- ，\n😀ñ", max_size=14)


@given(HARD | worlds.texts)
def test_guessed_words_are_those_of_the_reference(text: str) -> None:
    lexicon, plain, guessing, han = _guessers()
    dictionary = Dictionary.from_counts(_COUNTS.items(), jieba=True)
    path = unigram_from_left(word_dag(text, dictionary))
    words = [text[edge.start : edge.end] for edge in path]
    expected = guessed_as_jieba(words, lexicon.__contains__, han.cut)
    assert guessing.cut(text) == expected
    assert "".join(plain.cut(text)) == text


_COUNTS = {w: float(n) for w, n in worlds.COUNTS.items() if w.isalpha()} | {"a.": 1.0, "ab": 3.0}
_made: list[tuple[Lexicon, Segmenter, Segmenter, Segmenter]] = []


def _guessers() -> tuple[Lexicon, Segmenter, Segmenter, Segmenter]:
    if not _made:
        lexicon = Lexicon.build([(w, n, "") for w, n in _COUNTS.items()], profile="jieba")
        han = Segmenter(None, decoder="hmm", tagger=finalseg.model())
        guessing = Segmenter(lexicon, oov="hmm", unknown_tagger=finalseg.model())
        _made.append((lexicon, Segmenter(lexicon), guessing, han))
    return _made[0]


def test_words_of_the_user_stand_in_the_guessed_text() -> None:
    lexicon, _, guessing, _ = _guessers()
    assert guessing.with_words(["研！"]).cut("网杭研！") == ["网杭", "研！"]
    assert guessing.tokenize("网易杭研")[-1].source.value == "model"
    assert lexicon.variants is False


def test_words_are_those_of_jieba_over_its_own_list() -> None:
    real = pytest.importorskip("jieba", reason="the package jieba is not installed")
    real.setLogLevel(logging.CRITICAL)
    tokenizer = jieba.Tokenizer(Path(real.__file__).parent / "dict.txt")
    lines = ["李小福来到网易杭研大厦", "他花了55.6%的钱买C++的书", "赵辰说：B超、T恤和AT&T……"]
    tests = SHARED / "data" / "sighan2005"
    for name in ("pku_test.utf8", "msr_test.utf8"):
        if (tests / name).is_file():
            lines += (tests / name).read_text("utf-8").splitlines()[:150]
    for line in lines:
        assert tokenizer.lcut(line, HMM=False) == real.lcut(line, HMM=False)
    differ = [line for line in lines if tokenizer.lcut(line) != real.lcut(line)]
    assert [line for line in differ if "蠧" not in line] == []
    # the one difference: after a character that its tables never saw jieba finds no more words
    assert real.lcut("赵辰蠧杭研") == ["赵", "辰", "蠧", "杭", "研"]
    assert tokenizer.lcut("赵辰蠧杭研") == ["赵辰", "蠧", "杭研"]


def test_the_hmm_is_jiebas() -> None:
    pytest.importorskip("jieba", reason="the package jieba is not installed")
    import jieba.finalseg as real

    for text in ("杭研", "李小福，来到ab1.5%网易", "工信处女干事"):
        assert list(finalseg.cut(text)) == list(real.cut(text))
    finalseg.add_force_split("杭研")
    try:
        assert list(finalseg.cut("杭研".encode())) == ["杭", "研"]
    finally:
        finalseg.Force_Split_Words.clear()


def test_the_file_of_the_hmm_is_what_its_script_writes(tmp_path: Path) -> None:
    pytest.importorskip("jieba", reason="the package jieba is not installed")
    path = tmp_path / "finalseg.model"
    script = [sys.executable, "dicts/make_finalseg.py", "--out", str(path)]
    subprocess.run(script, cwd=ROOT, check=True, capture_output=True, env=_with_root())
    assert path.read_bytes() == (Path(finalseg.__file__).parent / "finalseg.model").read_bytes()


def _with_root() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": str(ROOT)}


# --- words of the user -------------------------------------------------------------------------


def test_userdict_from_every_kind_of_source(tmp_path: Path) -> None:
    text = "石墨烯膜 5 nz\n创新办 3 i\n"
    path = tmp_path / "words.txt"
    path.write_text(text, "utf-8")
    lines = text.splitlines()
    with path.open(encoding="utf-8") as as_text, path.open("rb") as as_bytes:
        sources = (
            path, str(path), as_text, as_bytes, io.StringIO(text), io.BytesIO(text.encode()),
            lines, (line.encode() for line in lines), text.splitlines(keepends=True),
        )  # fmt: skip
        for source in sources:
            tokenizer = jieba.Tokenizer()
            tokenizer.load_userdict(source)
            assert tokenizer.lcut("买石墨烯膜的创新办") == ["买", "石墨烯膜", "的", "创新办"]
            assert tokenizer.user_word_tag_tab == {"石墨烯膜": "nz", "创新办": "i"}
            assert tokenizer.FREQ["石墨烯膜"] == 5
    with pytest.raises(TypeError, match="f"):
        jieba.Tokenizer().load_userdict(5)
    with pytest.raises(TypeError, match="f"):
        jieba.Tokenizer().load_userdict([5])


def test_freq_is_a_mapping(t: jieba.Tokenizer) -> None:
    freq = t.FREQ
    n = len(freq)
    assert n > 100_000
    freq["石墨烯膜"] = 12
    assert freq["石墨烯膜"] == 12
    assert "石墨烯膜" in freq
    assert len(freq) == n + 1
    assert "石墨烯膜" in t.lcut("买石墨烯膜了")
    assert list(freq)[-1] == "石墨烯膜"
    del freq["石墨烯膜"]
    assert "石墨烯膜" not in freq
    assert "石墨烯膜" not in t.lcut("买石墨烯膜了")
    with pytest.raises(KeyError):
        del freq["石墨烯膜"]
    freq["北京"] = 0
    assert freq["北京"] == 0
    assert "北京" not in t.lcut("在北京")
    assert freq.get("没有这个词", 0) == 0
    total = t.total
    t.total -= 1000
    assert t.total == total - 1000
    assert jieba.get_FREQ(k="没有这个词", d=3) == 3


def test_words_added_between_two_sentences_take_effect_at_once(t: jieba.Tokenizer) -> None:
    for i in range(300):
        t.add_word(f"新词{i}号", tag="nz")
    before = t._segmenter
    assert before is None  # nothing was loaded or compiled yet
    assert "新词299号" in t.lcut("这是新词299号。")
    t.add_word("新词1号", 0)
    t.add_word("新词1号")
    assert "新词1号" in t.lcut("这是新词1号。")
    with pytest.raises(ValueError, match="word"):
        t.add_word("")


def test_the_dictionary_as_a_file(t: jieba.Tokenizer, tmp_path: Path) -> None:
    line = next(line for line in t.get_dict_file() if line.startswith("北京 ".encode()))
    assert line.decode().split()[2] == "ns"
    path = tmp_path / "dict.txt"
    path.write_text("云 1 n\n", "utf-8")
    with jieba.Tokenizer(path).get_dict_file() as file:
        assert file.read() == "云 1 n\n".encode()


# --- generators --------------------------------------------------------------------------------


def test_cut_gives_generators(t: jieba.Tokenizer) -> None:
    for got in (
        jieba.cut("在北京"), t.cut("在北京"), t.cut("在北京", cut_all=True),
        jieba.cut_for_search("在"), jieba.tokenize("在"), posseg.cut("在北京"),
    ):  # fmt: skip
        assert isinstance(got, types.GeneratorType)
    jieba.enable_parallel(2)
    try:
        assert isinstance(jieba.cut("在北京"), types.GeneratorType)
    finally:
        jieba.disable_parallel()


@pytest.mark.parametrize("end", ["\n", "\r\n", " "])
@pytest.mark.parametrize("hmm", [True, False])
def test_a_long_text_comes_in_parts(t: jieba.Tokenizer, end: str, hmm: bool) -> None:
    text = f"他说的确实在理，我来到北京清华大学。iPhone 15很好{end}" * 4000
    words = t.lcut(text, HMM=hmm)
    assert list(t.cut(text, HMM=hmm)) == words
    short = text[:70_000]
    assert list(t.cut(short, cut_all=True)) == t.lcut(short, cut_all=True)
    if end == "\n":
        calls: list[int] = []

        class Counting:
            def __init__(self, segmenter: Segmenter) -> None:
                self.of = segmenter

            def cut(self, part: str) -> list[str]:
                calls.append(len(part))
                return self.of.cut(part)

        t._segmenter = Counting(t.segmenter)
        assert next(t.cut(text)) == "他"
        assert calls[0] < 70_000  # so much and no more was looked at


def test_words_with_line_ends_in_them_hold_a_long_text_together(t: jieba.Tokenizer) -> None:
    t.add_word("完\n的")
    text = "说完\n的" * 20_000
    assert list(t.cut(text)) == t.lcut(text)
    assert t.lcut(text).count("完\n的") == 20_000


# --- posseg, analyse ---------------------------------------------------------------------------


def test_word_tag_tab(t: jieba.Tokenizer) -> None:
    tokenizer = posseg.POSTokenizer(t)
    table = tokenizer.word_tag_tab
    assert table["北京"] == "ns"
    assert table["的"] == "uj"
    assert table.get("没有这个词") is None
    table["北京"] = "zz"
    assert posseg.pair("北京", "zz") in tokenizer.lcut("在北京")
    assert next(iter(table.items())) == ("北京", "zz")
    assert len(table) > 100_000
    del table["北京"]
    assert table["北京"] == "ns"
    tokenizer.add_word("石墨烯膜", tag="nz")  # what jieba leaves to the Tokenizer
    assert posseg.pair("石墨烯膜", "nz") in tokenizer.lcut("买石墨烯膜")
    with pytest.raises(AttributeError):
        tokenizer.nothing  # noqa: B018


ARTICLE = (
    "人工智能正在改变医疗。医院用人工智能读片，医生用人工智能写病历。北京的医院最早引进人工智能，"
    "上海的医院随后跟进。医生认为，人工智能不会取代医生。"
)


def test_bytes_are_texts_of_keywords_too() -> None:
    for data in (ARTICLE.encode(), ARTICLE.encode("gbk")):
        assert analyse.extract_tags(data) == analyse.extract_tags(ARTICLE)
        assert analyse.textrank(data) == analyse.textrank(ARTICLE)


def test_stop_words_can_be_changed() -> None:
    mine = analyse.TFIDF()
    mine.stop_words.add("人工智能")
    assert "人工智能" not in mine.extract_tags(ARTICLE)
    assert "人工智能" in analyse.TFIDF().extract_tags(ARTICLE)
    mine.stop_words = {"医院"}
    assert "人工智能" in mine.extract_tags(ARTICLE)
    assert "医院" not in mine.extract_tags(ARTICLE)
    assert "的" in mine.STOP_WORDS
    ranked = analyse.TextRank()
    ranked.stop_words.discard("不会")
    ranked.stop_words.add("医院")
    assert "医院" not in ranked.textrank(ARTICLE)


def test_pairfilter_and_span_are_honoured() -> None:
    class Places(analyse.TextRank):
        def pairfilter(self, wp: posseg.pair) -> bool:
            return wp.word in ("北京", "上海", "医院")

    assert set(Places().textrank(ARTICLE)) == {"北京", "上海", "医院"}
    narrow = analyse.TextRank()
    narrow.span = 2
    wide = analyse.TextRank()
    assert narrow.textrank(ARTICLE, withWeight=True) != wide.textrank(ARTICLE, withWeight=True)
    assert wide.textrank(ARTICLE, withWeight=True) == analyse.textrank(ARTICLE, withWeight=True)


def test_keywords_by_another_tokenizer(t: jieba.Tokenizer) -> None:
    t.add_word("改变医疗")
    mine = analyse.TFIDF()
    mine.tokenizer = t
    assert "改变医疗" in mine.extract_tags(ARTICLE)
    assert "改变医疗" not in analyse.extract_tags(ARTICLE)


def test_modules_of_analyse() -> None:
    code = (
        "import segmenter.compat.jieba as ours; ours.install()\n"
        "import jieba, jieba.analyse, jieba.finalseg, jieba.analyse.tfidf, os\n"
        "from jieba.analyse.tfidf import TFIDF, KeywordExtractor, DEFAULT_IDF, _get_abs_path\n"
        "from jieba.analyse.textrank import TextRank\n"
        "from jieba.analyse import tfidf, textrank\n"
        "assert TFIDF is jieba.analyse.TFIDF and callable(tfidf) and callable(textrank)\n"
        "assert jieba.finalseg is ours.finalseg\n"
        "with open(DEFAULT_IDF, encoding='utf-8') as file: word, value = next(file).split(' ')\n"
        "assert float(value) > 0 and issubclass(TextRank, KeywordExtractor)\n"
        "jieba.setLogLevel('ERROR'); jieba.default_logger.debug('quiet')\n"
        "print(DEFAULT_IDF)"
    )
    got = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", cwd=ROOT, check=False
    )
    assert (got.returncode, got.stderr) == (0, "")
    assert not Path(got.stdout.strip()).exists()  # it goes with the process
    assert analyse.TFIDF().median_idf > 5
    assert analyse.TFIDF().idf_freq["北京"] > 0


def test_all_words_of_a_long_line_come_as_they_are_found() -> None:
    text = "中华人民共和国成立于1949年10月1日他说的确实在理iPhone15 Pro" * 5000
    t = jieba.Tokenizer()
    words = t.cut(text, cut_all=True)
    assert [next(words) for _ in range(9)] == t.lcut(text[:500], cut_all=True)[:9]
    assert list(t.cut(text, cut_all=True)) == t.lcut(text, cut_all=True)
