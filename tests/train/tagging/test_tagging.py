"""Taggers: schemes, features, trainers, the portable and the compiled form, the kernel."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.scorer import Scorer, decode, viterbi
from tagger_text import DEV, OUTER, TRAIN, WORDS, sentences

import segmenter as seg
from segmenter import artifact
from segmenter.compat.jieba.finalseg import model as jieba_hmm
from segmenter.errors import ArgumentError, DictionaryError, ResourceError
from segmenter.kernels import _engine, _tokens, _train
from segmenter.lexicon import Lexicon
from segmenter.tagging.predictor import Predictor
from segmenter.train import accessor_variety, new_words, tagger
from segmenter.train.tagging import crf, features, hmm
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model
from segmenter.train.tagging.decompile import decompile
from segmenter.train.tagging.scheme import FOUR, allowed, encode, tag_word

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def trained() -> tagger.Result:
    return tagger.train(TRAIN, DEV, [OUTER], tagger.TaggerOptions(epochs=5))


@pytest.fixture(scope="module")
def engine(trained: tagger.Result) -> _engine.Engine:
    sections, meta = compile_model(trained.model)
    data = artifact.pack(form.KIND, sections, meta)
    return _engine.Engine(Predictor.from_bytes(data).native)


# --- schemes --------------------------------------------------------------------------------


@given(st.lists(st.text("甲乙丙", min_size=1, max_size=7), max_size=8))
def test_tags_give_the_words_back(words: list[str]) -> None:
    tags = encode(words)
    assert all(allowed(a, b) for a, b in pairwise(tags))
    assert decode(tags) == np.cumsum([len(w) for w in words], dtype=int).tolist()


def test_a_word_has_a_character() -> None:
    with pytest.raises(ArgumentError, match="length: 0 is less than 1"):
        tag_word(0)


# --- features -------------------------------------------------------------------------------


def test_a_word_of_one_fold_is_unknown_there() -> None:
    text = [["他", "说"]] * 9 + [["图书馆", "图书馆", "好"]]
    space = features.FeatureSpace.of_text(text)
    row = space.words.classes[space.words.names.index("图书馆")]
    assert row[9] == 0xFFFF  # left out with its own fold
    assert (row[:9] == row[features.FULL]).all()
    assert row[features.FULL] == 6  # nearly always a word, twice


def test_training_states_count_occurrences() -> None:
    count = np.array([0, 0, 0, 1, 3, 8, 2, 50])
    occurrences = np.array([0, 2, 3, 20, 10, 10, 2, 50])
    assert features.training_states(count, occurrences).tolist() == [0, 1, 2, 3, 4, 5, 6, 7]


def test_compiled_trainer_tags_as_the_model_in_python() -> None:
    space = features.FeatureSpace.of_text(TRAIN, [OUTER])
    trainer = space.trainer()
    corpus = trainer.add_corpus(*space.columns(TRAIN, space.folds))
    dev = trainer.add_corpus(*space.columns(DEV))
    got = crf.train(trainer, corpus, dev, epochs=3)
    trainer.set_weights(got.weights)
    column = np.frombuffer(trainer.tag(dev), np.uint8).tolist()
    model = space.linear_model(got.weights, trainer.layout, {})
    offset = 0
    for words in DEV:
        text = "".join(words)
        expected = viterbi(model, Scorer(model)(text))
        assert column[offset : offset + len(text)] == expected, text
        offset += len(text)


def test_a_tagger_learns_the_text(trained: tagger.Result) -> None:
    assert trained.dev_f1 is not None
    assert trained.dev_f1 > 0.9


@pytest.mark.parametrize("algorithm", ["perceptron", "crf"])
def test_equal_seeds_equal_bytes(algorithm: str) -> None:
    options = tagger.TaggerOptions(algorithm=algorithm, epochs=2, seed=5)
    first, second = (
        "\n".join(tagger.train(TRAIN, DEV, (), options).model.lines()) for _ in range(2)
    )
    assert first == second
    other_tagger = tagger.train(TRAIN, DEV, (), replace(options, seed=6)).model
    assert "\n".join(other_tagger.lines()) != first


def test_only_the_given_pairs_are_features() -> None:
    options = tagger.TaggerOptions("perceptron", epochs=3)
    pairs = set(tagger.train(TRAIN, options=options).model.pairs)
    some = set(sorted(pairs)[::2])
    assert some < pairs
    second = tagger.train(TRAIN, options=options, pairs=some).model
    assert second.pairs
    assert some.issuperset(second.pairs)


def test_options_are_checked() -> None:
    with pytest.raises(ArgumentError, match="algorithm"):
        tagger.TaggerOptions(algorithm="svm")
    with pytest.raises(ArgumentError, match="empty"):
        tagger.train([])
    with pytest.raises(ArgumentError, match="at most"):
        features.FeatureSpace.of_text(TRAIN, [OUTER] * 3)
    with pytest.raises(ArgumentError, match="rate"):
        tagger.train(TRAIN, DEV, (), tagger.TaggerOptions(rate=0.0))
    with pytest.raises(ArgumentError, match=r"margin: -1\.0 is not from 0"):
        tagger.TaggerOptions(margin=-1.0)
    with pytest.raises(ArgumentError, match=r"margin: 1\.0 needs an own trainer"):
        tagger.TaggerOptions("hmm", margin=1.0)


def test_text_without_a_recurring_pair_is_too_little() -> None:
    with pytest.raises(ArgumentError, match="sentences: too little to learn from"):
        features.FeatureSpace.of_text([["他", "说"], ["好"]])


@pytest.mark.parametrize("algorithm", ["perceptron", "crf"])
def test_a_single_sentence_is_too_little(algorithm: str) -> None:
    options = tagger.TaggerOptions(algorithm, epochs=2)
    trained = tagger.train([["他", "说", "的", "确实", "在理", "。"]], (), (), options)
    with pytest.raises(ArgumentError, match="sentences: too little to learn from: no character"):
        compile_model(trained.model)


# --- the portable form ------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["hmm", "perceptron", "crf"])
def test_a_compiled_model_comes_back(algorithm: str, tmp_path: Path) -> None:
    trained = tagger.train(TRAIN, DEV, [OUTER], tagger.TaggerOptions(algorithm, epochs=3)).model
    sections, meta = compile_model(trained)
    compiled = artifact.from_bytes(artifact.pack(form.KIND, sections, meta))
    portable = decompile(compiled)
    path = tmp_path / "m.txt"
    portable.write(path)
    recompiled = artifact.from_bytes(artifact.pack(form.KIND, *compile_model(form.read(path))))
    assert list(decompile(recompiled).lines()) == list(portable.lines())
    first, second = (
        _engine.Engine(p) for p in (Predictor(compiled).native, Predictor(recompiled).native)
    )
    for words in (*DEV, *TRAIN, ["𠮷", "Ａ", "é", "…", "8", "ひ"]):
        text = "".join(words)
        assert first.cut(text) == second.cut(text)
        # margins are sums of the weights themselves
        assert _tokens.margins_of(first, text) == _tokens.margins_of(second, text)


def test_only_a_tagger_is_decompiled() -> None:
    with pytest.raises(ArgumentError, match="weights that the portable form does not hold"):
        decompile(jieba_hmm().artifact)
    lexicon = Lexicon.build([("北京", 2.0, "")])
    with pytest.raises(ArgumentError, match="is a lexicon, not a tagger"):
        decompile(lexicon.artifact)


def test_a_character_without_weights_is_not_its_class(tmp_path: Path) -> None:
    uni = np.zeros((3, 4, 4))
    uni[1, 2] = [1.0, 0, 0, 0]
    uni[2, 2] = [0, 0, 0, 2.0]
    model = form.LinearModel(np.zeros(4), np.zeros((4, 4)), ["国", "中", "<han>"], uni)
    model.write(tmp_path / "m.txt")
    back = form.read(tmp_path / "m.txt")
    assert back.chars == ["<han>", "中", "国"]
    assert Scorer(back)("国")[0].tolist() == [0, 0, 0, 0]
    assert Scorer(back)("人")[0].tolist() == [0, 0, 0, 2]


def test_text_form_round_trip(trained: tagger.Result, tmp_path: Path) -> None:
    path = tmp_path / "m.txt"
    trained.model.write(path)
    back = form.read(path)
    assert list(back.lines()) == list(trained.model.lines())
    assert compile_model(back) == compile_model(trained.model)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("pair\t0\t中国\t1 2 3", "4 finite numbers"),
        ("pair\t9\t中国\t1 2 3 4", "distance"),
        ("char\t0\t中\t1 2 nan 4", "finite"),
        ("wrod\t中国\t1", "wrod"),
        ("word\t中国\t99", "class"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "m.txt"
    path.write_text(f'{form.FIRST_LINE}\nmeta\t{{"tags": 4}}\n{line}\n', encoding="utf-8")
    with pytest.raises(DictionaryError, match=reason) as info:
        form.read(path)
    assert info.value.line == 3


def test_foreign_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.txt"
    path.write_text("hello\n", encoding="utf-8")
    with pytest.raises(DictionaryError, match="first line"):
        form.read(path)


# --- the kernel -------------------------------------------------------------------------------

TEXT = st.text(
    st.sampled_from("".join(sorted(set("".join(WORDS)))))
    | st.sampled_from("ＡＢ９ \t\n\r\0é̂αβ가カ😀龘")
    | st.characters()
)


@given(TEXT)
def test_words_are_the_text(engine: _engine.Engine, text: str) -> None:
    words = engine.cut(text)
    assert "".join(words) == text
    assert engine.ends(text).tolist() == np.cumsum([len(w) for w in words], dtype=int).tolist()


def test_long_text_without_a_break(engine: _engine.Engine) -> None:
    text = "".join("".join(s) for s in sentences(900, 3))
    assert len(text) > 8192
    assert engine.ends(text)[-1] == len(text)


def test_compiled_agrees_with_the_portable_form(
    trained: tagger.Result, engine: _engine.Engine
) -> None:
    agreed = total = 0
    for words in DEV:
        text = "".join(words)
        tags = viterbi(trained.model, Scorer(trained.model)(text))
        agreed += decode([FOUR[t] for t in tags]) == engine.ends(text).tolist()
        total += 1
    assert agreed >= total - 1  # eight bits a weight: a tie may fall the other way


def test_runs_stay_whole(engine: _engine.Engine) -> None:
    words = engine.cut("iPhone15ProMax  他\r\nαβγ3.1415说")
    assert {"  ", "\r\n"} <= set(words)
    for run_text in ("iPhone15ProMax", "αβγ", "3.1415"):
        assert any(run_text in w for w in words)


def test_the_full_stop_of_an_english_sentence_stands_alone() -> None:
    try:
        taggers = [seg.load(name) for name in ("fast", "balanced")]
    except ResourceError:
        pytest.skip("the shipped models are not built here")
    for s in taggers:
        assert s.cut("I have a dream. 他用Python.")[-4:] == ["他", "用", "Python", "."]
        assert "dream" in s.cut("I have a dream. 他用Python.")
        assert s.cut("买iPhone15.\n很好")[1:4] == ["iPhone15", ".", "\n"]
        assert s.cut("café. Ok")[:2] == ["café", "."]
        # what goes on after it is one thing, and so are words of the user
        assert "Tom·克鲁斯" in s.cut("演员Tom·克鲁斯")
        assert "ab.cd" in "/".join(s.cut("见ab.cd"))
        assert s.with_words(["etc."]).cut("等等etc.")[-1] == "etc."


def test_dates_of_any_year_stay_whole(engine: _engine.Engine) -> None:
    text = "在2031年9月27日"  # none of them is in the training text
    assert not {5, 7, 10} & set(engine.ends(text).tolist())


def test_a_carriage_return_alone_is_a_blank(engine: _engine.Engine) -> None:
    text = "他\r说\r\n的\r"
    assert engine.cut(text) == ["他", "\r", "说", "\r\n", "的", "\r"]
    words_found, _ = _engine.cut_bytes(engine, text.encode(), b"/", 1)
    assert words_found == "他/\r/说\r\n的/\r".encode()


def test_all_paths_and_their_scores(trained: tagger.Result, engine: _engine.Engine) -> None:
    text = "他说北京大学好"
    model = trained.model
    scores = Scorer(model)(text)
    base = float(scores[:, 3].sum())  # of the tag S, which the kernel leaves out
    paths = [(ends, -score) for _, ends, score in _tokens.nbest(engine, text, 1000)]
    assert len({tuple(ends) for ends, _ in paths}) == len(paths) == 2 ** (len(text) - 1)
    assert [cost for _, cost in paths] == sorted(cost for _, cost in paths)
    assert paths[0][0] == engine.ends(text).tolist()
    for ends, cost in paths:
        words = [text[a:b] for a, b in pairwise([0, *ends])]
        column = [FOUR.index(t) for t in encode(words)]
        path = model.start[column[0]] + sum(scores[i, t] for i, t in enumerate(column))
        path += sum(model.trans[a, b] for a, b in pairwise(column))
        assert -cost == pytest.approx(path - base, abs=0.5)  # eight bits a weight


def test_margins_are_the_distance_to_the_best_path_without_the_word(
    engine: _engine.Engine,
) -> None:
    text = "他在北京大学看书"
    paths = [(ends, -score) for _, ends, score in _tokens.nbest(engine, text, 1000)]
    starts, ends, margins = _tokens.margins_of(engine, text)
    for start, end, margin in zip(starts, ends, margins, strict=True):
        kept_paths = [
            cost
            for path, cost in paths
            if {start, end} <= {0, *path} and not any(start < e < end for e in path)
        ]
        other_costs = [cost for _, cost in paths if cost not in kept_paths]
        assert min(kept_paths) == paths[0][1]
        assert margin == pytest.approx(min(other_costs) - paths[0][1], abs=1e-3)


# --- HMM and crfsuite ---------------------------------------------------------------------------


def test_hmm_scores_are_log_probabilities() -> None:
    model = hmm.train([["他", "说"], ["北京", "好"]], smoothing=1.0)
    assert np.isclose(np.exp(model.start[[0, 3]]).sum(), 1)
    for a in range(4):
        may = [allowed(FOUR[a], b) for b in FOUR]
        assert np.isclose(np.exp(model.trans[a][may]).sum(), 1)
    row = model.uni[model.chars.index("他"), 2]
    # 1 of 3 characters tagged S is 他; 5 characters and one for the rest are smoothed by 1
    assert np.isclose(row[3], np.log((1 + 1) / (3 + 6)))
    assert np.isclose(row[0], np.log((0 + 1) / (1 + 6)))


def test_a_compiled_hmm_cuts() -> None:
    result = tagger.train(TRAIN, None, (), tagger.TaggerOptions(algorithm="hmm"))
    sections, meta = compile_model(result.model)
    native = Predictor.from_bytes(artifact.pack(form.KIND, sections, meta)).native
    engine = _engine.Engine(native)
    assert engine.cut("我在北京") == ["我", "在", "北京"]


def test_crfsuite_gives_the_same_tags() -> None:
    pytest.importorskip("sklearn_crfsuite")
    space = features.FeatureSpace.of_text(TRAIN, [OUTER])
    trainer = space.trainer()
    columns, unseen = space.columns(TRAIN, space.folds), space.columns(DEV)
    corpus, dev = trainer.add_corpus(*columns), trainer.add_corpus(*unseen)
    fitted = crf.fit_crfsuite(trainer, corpus, columns.offsets, TRAIN, iterations=40)
    weights = crf.from_crfsuite(fitted, trainer.layout[5])
    model = space.linear_model(weights, trainer.layout, {})
    rows = crf.attributes(trainer, dev, unseen.offsets)
    for words, items in zip(DEV, rows, strict=True):
        scores = Scorer(model)("".join(words))
        ours = viterbi(model, scores, constrained=False)
        assert [FOUR[t] for t in ours] == fitted.predict_single(items)


def test_crfsuite_trains_what_our_trainer_trains() -> None:
    pytest.importorskip("sklearn_crfsuite")
    options = tagger.TaggerOptions(trainer="crfsuite", epochs=30)
    result = tagger.train(TRAIN, DEV, [OUTER], options)
    assert result.dev_f1 is not None
    assert result.dev_f1 > 0.9
    with pytest.raises(ArgumentError, match="trains a single CRF"):
        tagger.TaggerOptions("perceptron", trainer="crfsuite")
    with pytest.raises(ArgumentError, match="trainer: 'mine' is not one of own, crfsuite"):
        tagger.TaggerOptions(trainer="mine")


def test_accessor_varieties_as_counted_by_hand() -> None:
    texts = ["".join(words) for words in TRAIN] + ["北京", "a北京9", "", "北"]
    sides: dict[str, tuple[set[str], set[str]]] = {}
    for text in texts:
        for i, j in combinations(range(len(text) + 1), 2):
            string = text[i:j]
            if 2 <= len(string) <= 4 and all(form.char_type(ord(c)) in (1, 3, 7) for c in string):
                left, right = sides.setdefault(string, (set(), set()))
                left.add(text[i - 1 : i])
                right.add(text[j : j + 1])
    least = {s: min(len(left), len(right)) for s, (left, right) in sides.items()}
    expected = {s: n for s, n in least.items() if n >= 2}
    assert expected["北京"] >= 3
    assert accessor_variety.accessor_varieties(texts, longest=4, least=2) == expected


def test_no_text_has_no_strings() -> None:
    assert accessor_variety.accessor_varieties([]) == {}
    assert accessor_variety.accessor_varieties(["ab", "9"]) == {}
    with pytest.raises(ArgumentError, match="longest: 1 is less than 2"):
        accessor_variety.accessor_varieties(["北京"], longest=1)


def test_strings_are_a_source_of_the_training_text_itself() -> None:
    source = accessor_variety.string_source(TRAIN)
    varieties = accessor_variety.accessor_varieties(["".join(words) for words in TRAIN])
    assert source.states.keys() == varieties.keys()
    for string, n in varieties.items():
        assert source.states[string] == sum(n >= step for step in accessor_variety.STEPS)
    assert len(set(source.states.values())) > 1
    result = tagger.train(TRAIN, DEV, (), tagger.TaggerOptions(strings=True, epochs=2))
    assert result.model.meta["sources"] == ["strings"]
    strings = set(source.states) - {w for words in TRAIN for w in words}
    assert strings  # strings that are not words are features of the model too
    assert strings <= set(result.model.words)
    options_plain = features.FeatureOptions(lexicon=False)
    for wrong in ({"features": options_plain}, {"algorithm": "hmm"}):
        with pytest.raises(ArgumentError, match="strings: True needs"):
            tagger.TaggerOptions(strings=True, **wrong)


def test_pair_hash_gives_each_key_its_place() -> None:
    rng = random.Random(4)
    keys = np.array(
        sorted({rng.randrange(1 << 14) << 16 | rng.randrange(1 << 14) for _ in range(5000)}),
        np.uint32,
    )
    size = len(keys) + len(keys) // 20 + 1
    _, places = _train.build_pair_hash(keys, 1024, size)
    positions = np.frombuffer(places, np.uint32)
    assert len(set(positions.tolist())) == len(keys)
    assert int(positions.max()) < size
    with pytest.raises(ValueError, match="power of two"):
        _train.build_pair_hash(keys, 1000, size)


# --- words of today --------------------------------------------------------------------------


def test_exposures_put_terms_into_common_words_places() -> None:
    text = [["他", "在", "北京", "大学", "学习", "。"]] * 5 + [["短", "句"]]
    exposed, origins = new_words.expose(text, {"慕课", "网课"}, 40, seed=3)
    assert (exposed, origins) == new_words.expose(text, ["网课", "慕课"], 40, seed=3)
    assert {w for words in exposed for w in words} >= {"慕课", "网课"}
    for words, origin in zip(exposed, origins, strict=True):
        changed = [(a, b) for a, b in zip(text[origin], words, strict=True) if a != b]
        assert len(changed) == 1
        assert changed[0][0] in {"北京", "大学", "学习"}
        assert changed[0][1] in {"慕课", "网课"}
    assert new_words.expose(text, [], 0, seed=1) == ([], [])
    with pytest.raises(ArgumentError, match="terms"):
        new_words.expose(text, [], 1, seed=1)
    with pytest.raises(ArgumentError, match="sentences"):
        new_words.expose([["短", "句"]], ["慕课"], 1, seed=1)


def test_exposed_terms_stay_whole() -> None:
    terms = {"生研", "慕课", "慕课网"}
    options = tagger.TaggerOptions(epochs=5, exposures=60)
    source = features.FeatureSource("lists", dict.fromkeys(terms, 3), 3, 2, 1)
    exposed = tagger.train(TRAIN, DEV, [source], options, terms=terms).model
    plain = tagger.train(TRAIN, DEV, [source], tagger.TaggerOptions(epochs=5)).model
    assert exposed.pairs == plain.pairs  # the terms' own pairs are not learnt by heart

    def score(model: form.LinearModel) -> float:
        emissions = Scorer(model)("在慕课。")
        return float(emissions[1, 0] + emissions[2, 2])

    assert score(exposed) > score(plain)
