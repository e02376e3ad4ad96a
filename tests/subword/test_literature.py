"""Worked examples of the literature: the trainers and the models give what is printed there.

Sennrich, Haddow & Birch (2016) for BPE; the four sentences of the Hugging Face course for BPE,
WordPiece and unigram.  The facts stand here; nothing outside the project is read.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

import foreign
import pytest
from reference import merges

from segmenter.subword import BPE, Unigram, WordPiece, decode
from segmenter.subword.normalise import Aligned
from segmenter.subword.pretokenise import BertPreTokenizer, ByteLevel, Metaspace, PreTokeniser
from segmenter.subword.training import pairs, unigram

COURSE = (
    "This is the Hugging Face Course.",
    "This chapter is about tokenization.",
    "This section shows several tokenizer algorithms.",
    "Hopefully, you will be able to understand how they are trained and generate tokens.",
)

BPE_MERGES = (
    "Ġ t|i s|e r|Ġ a|Ġt o|e n|T h|Th is|o u|s e|Ġto k|Ġtok en|n d|Ġ is|Ġt h|Ġth e|i n|Ġa b|"
    "Ġtoken i|Ġtokeni z"
)
BPE_SIZE = 50

WORDPIECE_SPECIAL = ("[CLS]", "[MASK]", "[PAD]", "[SEP]", "[UNK]")
WORDPIECE_SIZE = 70
WORDPIECE = (
    "##a ##b ##c ##ct ##d ##e ##f ##fu ##ful ##full ##fully ##g ##h ##hm ##i ##k ##l ##m ##n ##o "
    "##p ##r ##s ##t ##thm ##thms ##u ##ut ##v ##w ##y ##z ##za ##zat , . C F Fa Fac H Hu Hug Hugg "
    "T Th a ab b c ch cha chap chapt g h i is s sh t th u w y [CLS] [MASK] [PAD] [SEP] [UNK]"
)
WORDPIECE_SCORES = {
    ("T", "##h"): 0.125,
    ("##h", "##i"): 0.03409090909090909,
    ("##i", "##s"): 0.02727272727272727,
    ("a", "##b"): 0.2,
    ("##n", "##s"): 0.00909090909090909,
}
UNIGRAM_LOSSES = {
    "▁": 2.952892114877499,
    "T": 5.288267030694535,
    "h": 4.189654742026425,
    "several": 6.386879319362645,
}


def spans(step: PreTokeniser, text: str) -> list[str]:
    aligned, spans_found = step(Aligned(text), [(0, len(text))])
    return [aligned.text[a:b] for a, b in spans_found]


def counted(step: PreTokeniser) -> Counter[str]:
    counts: Counter[str] = Counter()
    for text in COURSE:
        counts.update(spans(step, text))
    return counts


def test_merges_of_sennrich_s_example_are_learnt() -> None:
    words = {"l o w </w>": 5, "l o w e r </w>": 2, "n e w e s t </w>": 6, "w i d e s t </w>": 3}
    learnt = merges.learn_bpe((word.split(), count) for word, count in words.items())
    merges_found = [(m.left, m.right, m.made) for m in islice(learnt, 5)]
    assert merges_found == [
        ("e", "s", "es"), ("es", "t", "est"), ("est", "</w>", "est</w>"), ("l", "o", "lo"),
        ("lo", "w", "low"),
    ]  # fmt: skip


def test_decoding_of_ends_of_words() -> None:
    pieces = ["the</w>", "high", "est</w>", "moun", "tain</w>"]
    assert "".join(decode.EndOfWord()(pieces)) == "the highest mountain"


def course_bpe() -> BPE:
    counts = Counter({w.replace(" ", "Ġ"): n for w, n in counted(ByteLevel()).items()})
    vocab = {c: i for i, c in enumerate(sorted({c for word in counts for c in word}))}
    merges = []
    for merge in pairs.learn(counts.items()):
        if len(vocab) == BPE_SIZE:
            break
        vocab[merge.made] = len(vocab)
        merges.append((merge.left, merge.right))
    return BPE(vocab, merges, byte_level=True)


def test_bpe_of_the_course_is_learnt() -> None:
    model = course_bpe()
    assert model.merges == [tuple(pair.split(" ")) for pair in BPE_MERGES.split("|")]
    pieces = [
        model.piece_of(piece.id)
        for span in spans(ByteLevel(), "This is not a token.")
        for piece in model.encode(span)
    ]
    assert pieces == ["This", "Ġis", "Ġ", "n", "o", "t", "Ġa", "Ġtoken", "."]


def test_wordpiece_of_the_course_is_learnt() -> None:
    counts = counted(BertPreTokenizer())
    vocab = {p: i for i, p in enumerate(WORDPIECE_SPECIAL)}
    for word in counts:
        for i, c in enumerate(word):
            vocab.setdefault("##" + c if i else c, len(vocab))
    first = None
    for merge in pairs.learn(counts.items(), prefix="##", scored=True):
        first = first or merge
        if len(vocab) >= WORDPIECE_SIZE:
            break
        vocab.setdefault(merge.made, len(vocab))
    assert first is not None
    assert (first.left, first.right, first.score) == ("a", "##b", 0.2)
    assert set(vocab) == set(WORDPIECE.split())
    model = WordPiece(vocab)
    pieces = [
        model.piece_of(piece.id)
        for span in spans(BertPreTokenizer(), "This is the Hugging Face course!")
        for piece in model.encode(span)
    ]
    expected = "Th ##i ##s is th ##e Hugg ##i ##n ##g Fac ##e c ##o ##u ##r ##s ##e [UNK]"
    assert " ".join(pieces) == expected


def test_course_wordpiece_scores() -> None:
    corpus = merges.corpus_of(counted(BertPreTokenizer()).items(), "##")
    counts, symbols = merges.counts_of(corpus)
    for (left, right), score in WORDPIECE_SCORES.items():
        count = counts[left, right]
        assert count / (symbols[left] * symbols[right]) == pytest.approx(score, rel=1e-12)


def test_unigram_of_the_course_is_learnt() -> None:
    counts = counted(Metaspace())
    characters: Counter[str] = Counter()
    longer: Counter[str] = Counter()
    for word, count in counts.items():
        for i, c in enumerate(word):
            characters[c] += count
            for j in range(i + 2, len(word) + 1):
                longer[word[i:j]] += count
    # the course's seeds are the most frequent, not the weightiest; sorted() keeps corpus order
    frequent = sorted(longer.items(), key=lambda item: -item[1])[: 300 - len(characters)]
    pieces = {**characters, **dict(frequent)}
    scores = unigram.log_probabilities(pieces)
    for piece, loss in UNIGRAM_LOSSES.items():
        assert -scores[piece] == pytest.approx(loss, rel=1e-12)
    while len(pieces) > 100:
        lost = foreign.exact_losses(counts.items(), unigram.log_probabilities(pieces))
        for piece in sorted(lost, key=lost.__getitem__)[: int(len(pieces) * 0.1)]:
            del pieces[piece]
    assert len(pieces) == 98
    assert set(characters) < set(pieces)
    model = Unigram(unigram.log_probabilities(pieces).items())
    selected = [
        model.piece_of(piece.id)
        for span in spans(Metaspace(), "This is the Hugging Face course.")
        for piece in model.encode(span)
    ]
    assert " ".join(selected) == "▁This ▁is ▁the ▁Hugging ▁Face ▁ c ou r s e ."
