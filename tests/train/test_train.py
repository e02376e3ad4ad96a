"""Training for users: the commands, the functions behind them, the page that describes them."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import random
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from places import ROOT

import segmenter
from segmenter import artifact, cli, train
from segmenter.errors import ArgumentError, DictionaryError, ResourceError
from segmenter.text import variants
from segmenter.train import command, scoring
from segmenter.train.adapt import AdaptOptions, adapt, space_of_model, weights_of
from segmenter.train.corpus import read_corpus, read_lexicon
from segmenter.train.tagging import model as form
from segmenter.train.tagging.compile import compile_model
from segmenter.train.tagging.decompile import decompile
from segmenter.train.tagging.perceptron import Epoch

if TYPE_CHECKING:
    from collections.abc import Sequence

LIST = """
他 我 你 的 了 在 是 有 说 去 来 一 个 年 月 日 北京 上海 大学 北京大学 学生 研究 研究生 生命 起源
中国 人民 人民大会堂 大会 会堂 银行 今天 天气 很 好 不错 图书馆 图书 里 看书 苹果 手机 1998年 ， 。
"""
WORDS = LIST.split()
#: Another field: its words are strings of two or more words above, or new.
FIELD = [*WORDS[:14], "看书去", "好日", "大会堂", "人民银行", "区块链", "手机银行", "链上", "。"]


def sentences(words: Sequence[str], n: int, seed: int) -> list[list[str]]:
    rng = random.Random(seed)
    return [rng.choices(words, k=rng.randint(2, 12)) for _ in range(n)]


def write(path: Path, lines: Sequence[Sequence[str]]) -> Path:
    path.write_text("".join("  ".join(words) + "\n" for words in lines), "utf-8")
    return path


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the page on training names."""
    folder = tmp_path_factory.mktemp("texts")
    write(folder / "train.txt", sentences(WORDS, 400, 1))
    write(folder / "dev.txt", sentences(WORDS, 60, 2))
    write(folder / "new.txt", sentences(FIELD, 150, 3))
    write(folder / "held.txt", sentences(FIELD, 60, 4))
    (folder / "words.txt").write_text("图书馆\t3\n区块链\n生命科学\n", "utf-8")
    (folder / "in.txt").write_text("他说的北京大学\n", "utf-8")
    return folder


@pytest.fixture(scope="module")
def tagger_files(texts: Path, tmp_path_factory: pytest.TempPathFactory) -> train.TrainedFiles:
    return train.train_tagger(
        "perceptron",
        [texts / "train.txt"],
        texts / "dev.txt",
        out=tmp_path_factory.mktemp("made"),
        standard="mine",
    )


def run(folder: Path, line: str) -> subprocess.CompletedProcess[bytes]:
    """A command line in a process of its own."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    return subprocess.run(
        [sys.executable, "-m", "segmenter", *shlex.split(line)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        check=False,
    )


# --- segmented text -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "kind", "reason"),
    [
        ("他\0 说".encode(), "characters", "NUL"),
        ("他 \ufffd 说".encode(), "characters", r"U\+FFFD"),
        (b"\xc4\xe3 \xba\xc3", "encoding", "GB18030"),
        ("迈向/v 充满/v 希望/n".encode(), "tags", "迈向/v"),
        ("他说的" * 14 + "的 好", "unsegmented", "is the line segmented"),
        ("他 " * 50_001, "length", "100,000"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: bytes | str, kind: str, reason: str) -> None:
    path = tmp_path / "t.txt"
    raw = line.encode() if isinstance(line, str) else line
    path.write_bytes("他 说\n".encode() + raw + "\n\n好 的\n".encode())
    with pytest.raises(DictionaryError, match=reason) as info:
        read_corpus([path])
    assert (info.value.path, info.value.line) == (str(path), 2)
    corpus = read_corpus([path], errors="skip")
    assert corpus.sentences == [["他", "说"], ["好", "的"]]
    assert [(f.line, f.kind) for f in corpus.reports[0].faults] == [(2, kind)]


def test_lines_that_only_look_bad_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    url = "example.org/" + "a" * 60
    path.write_text(f"\ufeff见 {url} 。\r\n他/她 说 和/或\n", "utf-8")
    assert read_corpus([path]).sentences == [["见", url, "。"], ["他/她", "说", "和/或"]]


def test_text_without_sentences(tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.write_text("\n \n", "utf-8")
    with pytest.raises(ArgumentError, match=r"no sentence in .*empty\.txt"):
        read_corpus([path])
    path.write_text("北\n的\n", "utf-8")
    with pytest.raises(ArgumentError, match="no word of 2 to 8"):
        read_lexicon(path)
    path.write_text("北京\t多\n", "utf-8")
    with pytest.raises(DictionaryError, match="count") as info:
        read_lexicon(path)
    assert info.value.line == 1


# --- train ------------------------------------------------------------------------------------


def test_what_is_written(tagger_files: train.TrainedFiles, texts: Path) -> None:
    assert sorted(os.listdir(os.path.dirname(tagger_files.compiled))) == [
        "CARD.md", "mine.model", "mine.txt",
    ]  # fmt: skip
    seg = segmenter.load(tagger_files.compiled)
    assert seg.decoder == "perceptron"
    assert seg.cut("我在北京大学看书") == ["我", "在", "北京大学", "看书"]
    # the card's scores are those of the loaded model
    gold = list(scoring.read_lines(texts / "dev.txt"))
    words_known = {w for line in scoring.read_lines(texts / "train.txt") for w in line.split()}
    score = scoring.score(gold, [seg.cut(scoring.join_words(line)) for line in gold], words_known)
    assert score == tagger_files.score
    card = Path(tagger_files.card).read_text("utf-8")
    assert f"F1 {score.f1:.4f}" in card
    assert "| seed | 1 |" in card
    for name in ("train.txt", "dev.txt"):
        assert hashlib.sha256((texts / name).read_bytes()).hexdigest() in card
    assert f"{os.path.getsize(tagger_files.compiled):,} bytes" in card
    assert seg.tagger is not None
    assert seg.tagger.meta["standard"] == "mine"
    assert [f["name"] for f in seg.tagger.meta["files"]] == ["train.txt", "dev.txt"]


@pytest.mark.parametrize("algorithm", ["perceptron", "crf", "hmm"])
def test_equal_commands_give_equal_bytes(algorithm: str, texts: Path, tmp_path: Path) -> None:
    line = f"train {algorithm} --train {texts}/train.txt --dev {texts}/dev.txt --out made --seed 3"
    written = []
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        got = run(folder, line)
        assert got.returncode == 0, got.stderr.decode()
        assert got.stdout == b""
        assert b"\r" not in got.stderr  # no progress where there is no terminal
        files = sorted((folder / "made").iterdir())
        assert [f.name for f in files] == ["CARD.md", "own.model", "own.txt"]
        written.append([f.read_bytes() for f in files])
    assert written[0] == written[1]
    assert f"`segmenter {line}`" in written[0][0].decode()


def test_the_seed_matters(tagger_files: train.TrainedFiles, texts: Path, tmp_path: Path) -> None:
    files = [texts / "train.txt"]
    other_model = train.train_tagger("perceptron", files, texts / "dev.txt", out=tmp_path, seed=2)
    first, second = (form.read(m.portable) for m in (tagger_files, other_model))
    assert not np.array_equal(first.trans, second.trans)


def test_crfsuite_trains_a_model_of_the_same_form(texts: Path, tmp_path: Path) -> None:
    pytest.importorskip("sklearn_crfsuite")
    files = [texts / "train.txt"]
    got = train.train_tagger(
        "crf", files, texts / "dev.txt", out=tmp_path, trainer="crfsuite", epochs=30
    )
    assert got.score is not None
    assert got.score.f1 > 0.9
    assert "trainer='crfsuite'" in Path(got.card).read_text("utf-8")


def test_crfsuite_may_be_missing(
    texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn_crfsuite", None)
    line = f"train crf --trainer crfsuite --train {texts}/train.txt --out {tmp_path}/made"
    assert cli.main(shlex.split(line)) == 1
    assert capsys.readouterr().err == (
        "segmenter train: trainer='crfsuite' needs the package sklearn_crfsuite: "
        "pip install 'sklearn-crfsuite>=0.5' 'tqdm>=4'\n"
    )


def test_lexicons_are_features(texts: Path, tmp_path: Path) -> None:
    files = [texts / "train.txt"]
    got = train.train_tagger("crf", files, out=tmp_path, lexicon=[texts / "words.txt"], epochs=2)
    assert form.read(got.portable).meta["sources"] == ["words.txt"]
    assert [r.rows for r in got.reports] == [400, 3]
    assert got.score is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"standard": "a/b"}, "standard: 'a/b'"),
        ({"epochs": -1}, "epochs: -1"),
        ({"patience": 0}, "patience: 0 is less than 1"),
        ({"seed": -1}, "seed: -1 is not from 0 to"),
        ({"trainer": "crfsuite"}, "trains a single CRF"),
        ({"lexicon": ["words.txt"] * 3}, "3 word lists given, 2 at most"),
    ],
)
def test_bad_options_are_named_before_anything_is_written(
    options: dict[str, Any],
    message: str,
    texts: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(texts)
    with pytest.raises(ArgumentError, match=message):
        train.train_tagger("perceptron", ["train.txt"], out=tmp_path / "new", **options)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["epochs", "patience"])
def test_a_number_of_passes_is_an_int(name: str, texts: Path, tmp_path: Path) -> None:
    wrong: dict[str, Any] = {name: "x"}
    with pytest.raises(TypeError, match=f"^{name} must be int, not str$"):
        train.train_tagger("crf", [texts / "train.txt"], out=tmp_path, **wrong)
    with pytest.raises(TypeError, match=r"^epochs must be int, not float$"):
        AdaptOptions(epochs=1.5)  # type: ignore[arg-type]


def test_one_path_is_no_list_of_paths(texts: Path, tmp_path: Path) -> None:
    file = str(texts / "train.txt")
    with pytest.raises(TypeError, match="train must be a list of paths, not str"):
        train.train_tagger("hmm", file, out=tmp_path / "new")
    with pytest.raises(TypeError, match="lexicon must be a list of paths, not str"):
        train.train_tagger("crf", [file], out=tmp_path / "new", lexicon=file)
    assert not (tmp_path / "new").exists()


def test_an_hmm_takes_no_lexicon(texts: Path, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="an HMM has no features of words"):
        train.train_tagger("hmm", [texts / "train.txt"], out=tmp_path, lexicon=["words.txt"])


def test_errors_of_the_command(texts: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("他 说\n他/r 说/v 好/a\n好 的\n", "utf-8")
    got = run(tmp_path, "train perceptron --train bad.txt --out made")
    assert got.returncode == 1
    assert b"bad.txt, line 2: words with tags" in got.stderr
    got = run(tmp_path, "train hmm --train bad.txt --out made --errors warn")
    assert got.returncode == 0
    assert b"bad.txt, line 2: words with tags" in got.stderr
    assert b"2 rows taken, 1 lines left out (tags 1)" in got.stderr
    got = run(tmp_path, "train hmm --train none.txt --out made")
    assert (got.returncode, got.stderr) == (
        1,
        b"segmenter train: none.txt: No such file or directory: check the name and the folder\n",
    )
    assert run(tmp_path, "train hmm --train bad.txt --lexicon w --out made").returncode == 2


# --- progress -----------------------------------------------------------------------------------


def epochs(progress: bool | None) -> bool:
    with command._bar(2, progress) as show:
        if show is None:
            return False
        show(Epoch(1, 9.0, float("nan")))
        show(Epoch(2, 3.0, 0.5))
    return True


def test_progress_is_a_plain_counter_without_tqdm(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert epochs(True)
    assert re.sub(r"\d+ s", "0 s", capsys.readouterr().err) == (
        "\repoch 1 of 2, 0 s, loss 9\repoch 2 of 2, 0 s, dev F1 0.5000\n"
    )
    assert not epochs(None)  # standard error is no terminal here
    assert not epochs(False)
    assert capsys.readouterr().err == ""


def test_progress_by_tqdm(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    assert epochs(True)
    assert "2/2" in capsys.readouterr().err


# --- adapt --------------------------------------------------------------------------------------


def test_adapting_gains(tagger_files: train.TrainedFiles, texts: Path, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "new.model"
    got = train.adapt_tagger(
        tagger_files.compiled, [texts / "new.txt"], texts / "held.txt", out=path
    )
    assert got.before is not None
    assert got.score is not None
    assert got.score.f1 > got.before.f1 + 0.05
    old, new = segmenter.load(tagger_files.compiled), segmenter.load(path)
    assert old.cut("我的区块链") != ["我", "的", "区块链"]
    assert new.cut("我的区块链") == ["我", "的", "区块链"]
    card = (tmp_path / "deep" / "new.CARD.md").read_text("utf-8")
    assert hashlib.sha256(Path(tagger_files.compiled).read_bytes()).hexdigest()[:16] in card
    assert f"F1 {got.before.f1:.4f}" in card
    assert f"F1 {got.score.f1:.4f}" in card
    adapted = train.adapt_tagger(
        tagger_files.compiled, [texts / "new.txt"], texts / "held.txt", out=tmp_path / "2.model"
    )
    assert Path(adapted.compiled).read_bytes() == path.read_bytes()


def test_traditional_text_teaches_what_simplified_text_does(
    tagger_files: train.TrainedFiles, texts: Path, tmp_path: Path
) -> None:
    usual = dict(zip(variants.PLAIN_TO, variants.PLAIN_FROM, strict=True))
    # 后 and 干 have forms of several readings, which the words around them settle
    usual |= {"后": "後", "干": "乾"}
    words = [*FIELD, "后天", "皇后", "干净", "饼干", "馄饨"]  # the last: in no form in the model
    text = sentences(words, 150, 3)
    traditional_lines = [["".join(usual.get(c, c) for c in w) for w in line] for line in text]
    assert traditional_lines != text
    bare = read_corpus([texts / "train.txt"]).sentences
    base = train.train_tagger(
        "perceptron", [write(tmp_path / "base.txt", bare + [["后天", "干净", "皇后"]] * 20)],
        out=tmp_path / "base",
    )  # fmt: skip
    folded = segmenter.load(base.compiled).tagger
    assert folded is not None
    assert folded.fold("後天乾淨，圖書餛飩Ａ") == "后天干净，图书馄饨a"
    made_of = []
    for name, lines in (("simplified", text), ("traditional", traditional_lines)):
        source = write(tmp_path / f"{name}.txt", lines)
        path = tmp_path / f"{name}.model"
        train.adapt_tagger(base.compiled, [source], out=path)
        art = artifact.open(path)
        made_of.append({part: bytes(art.section(part)) for part in art.names()})
        cut = segmenter.load(path).cut
        assert cut("我的區塊鏈") == ["我", "的", "區塊鏈"]
        assert cut("我的区块链") == ["我", "的", "区块链"]
    assert made_of[0] == made_of[1]


def test_both_forms_can_be_adapted(
    tagger_files: train.TrainedFiles, texts: Path, tmp_path: Path
) -> None:
    for name, source in (("a", tagger_files.portable), ("b", tagger_files.compiled)):
        path = tmp_path / f"{name}.model"
        train.adapt_tagger(source, [texts / "new.txt"], out=path)
        assert segmenter.load(path).cut("他说的区块链") == ["他", "说", "的", "区块链"]


def test_adapting_a_text_form_compiles_it_once(
    tagger_files: train.TrainedFiles, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = []

    def counted(
        model: form.LinearModel, **options: bool
    ) -> tuple[dict[str, bytes], dict[str, Any]]:
        compiled.append(model.meta.get("adapted_from"))
        return compile_model(model, **options)

    for module in ("segmenter.train.command", "segmenter.train.adapt"):
        monkeypatch.setattr(f"{module}.compile_model", counted)
    train.adapt_tagger(tagger_files.portable, [texts / "new.txt"], out=tmp_path / "adapted.model")
    assert [bool(source) for source in compiled] == [False, True]


def test_training_begins_where_the_model_is(tagger_files: train.TrainedFiles, texts: Path) -> None:
    base = decompile(artifact.open(tagger_files.compiled))
    new = read_corpus([texts / "new.txt"]).sentences
    space = space_of_model(base, new, words=False)
    assert len(space.pairs) > len(base.pairs)
    trainer = space.trainer()
    trainer.set_weights(weights_of(space, base, trainer.layout))
    dev = read_corpus([texts / "dev.txt"]).sentences
    number = trainer.add_corpus(*space.columns(dev))
    tags = np.frombuffer(trainer.tag(number), np.uint8)
    cut = segmenter.load(tagger_files.compiled).cut
    ends = [np.cumsum([len(w) for w in cut("".join(words))]) for words in dev]
    starts = np.cumsum([0, *(len("".join(words)) for words in dev)])
    expected = np.concatenate([e + s - 1 for e, s in zip(ends, starts, strict=False)])
    assert np.flatnonzero(tags >= 2).tolist() == expected.tolist()


def test_pull_holds_the_model(tagger_files: train.TrainedFiles, texts: Path) -> None:
    base = decompile(artifact.open(tagger_files.compiled))
    new = read_corpus([texts / "new.txt"]).sentences

    def moved(pull: float) -> float:
        got = adapt(base, new, None, AdaptOptions(epochs=3, pull=pull)).model
        return float(np.abs(got.trans - base.trans).max())

    assert moved(1.0) == 0
    assert 0 < moved(0.5) < moved(0.0)


def test_a_model_that_nothing_betters_stays(tagger_files: train.TrainedFiles, texts: Path) -> None:
    base = decompile(artifact.open(tagger_files.compiled))
    text = read_corpus([texts / "train.txt"]).sentences
    got = adapt(base, text[:3], text, AdaptOptions(epochs=2, rate=5.0, pull=0.0))
    assert got.before is not None
    assert got.best == 0
    assert got.after == got.before
    assert list(got.model.lines()) == list(base.lines())


def test_words_of_the_new_text_are_jackknifed(
    tagger_files: train.TrainedFiles, texts: Path
) -> None:
    base = decompile(artifact.open(tagger_files.compiled))
    text = [["他", "说"]] * 9 + [["元宇宙", "好"]]
    space = space_of_model(base, text)
    row = space.words.classes[space.words.names.index("元宇宙")]
    assert row[9] == 0xFFFF  # unknown in the only part that has it
    assert (row[:9] == len(base.groups)).all()
    assert "元宇宙" not in space_of_model(base, text, words=False).words.names


def test_what_cannot_be_adapted(
    tagger_files: train.TrainedFiles, texts: Path, tmp_path: Path
) -> None:
    hmm = train.train_tagger("hmm", [texts / "train.txt"], out=tmp_path)
    files = [texts / "new.txt"]
    with pytest.raises(ArgumentError, match="'hmm' cannot be adapted"):
        train.adapt_tagger(hmm.compiled, files, out=tmp_path / "x.model")
    with pytest.raises(ArgumentError, match="is the model itself"):
        train.adapt_tagger(tagger_files.compiled, files, out=tagger_files.compiled)
    with pytest.raises(ResourceError, match=r"no file 'nobody\.model'"):
        train.adapt_tagger("nobody", files, out=tmp_path / "x.model")
    for options in ({"epochs": 0}, {"rate": 0.0}, {"pull": 1.5}, {"seed": -1}):
        with pytest.raises(ArgumentError, match=next(iter(options))):
            train.adapt_tagger(tagger_files.compiled, files, out=tmp_path / "x.model", **options)  # type: ignore[arg-type]
    assert not (tmp_path / "x.model").exists()


# --- the two forms ------------------------------------------------------------------------------


def test_build_and_export(tagger_files: train.TrainedFiles, tmp_path: Path) -> None:
    got = run(tmp_path, f"build model {tagger_files.portable} -o a.model")
    assert got.returncode == 0, got.stderr.decode()
    assert (tmp_path / "a.model").read_bytes() == Path(tagger_files.compiled).read_bytes()
    for step in ("export model a.model -o a.txt", "build model a.txt -o b.model"):
        assert run(tmp_path, step).returncode == 0
    assert run(tmp_path, "export model b.model -o b.txt").returncode == 0
    assert (tmp_path / "a.txt").read_bytes() == (tmp_path / "b.txt").read_bytes()
    (tmp_path / "c.txt").write_text("segmenter-tagger 1\nmeta\t{}\n", "utf-8")
    got = run(tmp_path, "build model c.txt -o c.model")
    assert got.returncode == 1
    assert b"c.txt, line 2" in got.stderr


def test_the_functions_are_found_when_they_are_asked_for() -> None:
    code = (
        "import sys; import segmenter.train.scoring, segmenter.train as t; "
        "assert 'numpy' not in sys.modules; t.train_tagger; assert 'numpy' in sys.modules"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    assert subprocess.run([sys.executable, "-c", code], env=env, check=False).returncode == 0
    with pytest.raises(AttributeError, match="no attribute 'fit'"):
        train.fit  # type: ignore[attr-defined]  # noqa: B018


# --- the page -----------------------------------------------------------------------------------


def test_the_page_on_training_holds(
    texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tagger_files: train.TrainedFiles
) -> None:
    """Its commands in their order, and its Python, on texts of the names that it uses."""
    page = (ROOT / "docs" / "en" / "training.md").read_text("utf-8")
    for file in texts.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    # the shipped model that it adapts, here the small one
    models = tmp_path / "models"
    models.mkdir()
    (models / "general-fast.model").write_bytes(Path(tagger_files.compiled).read_bytes())
    monkeypatch.setenv("SEGMENTER_DATA", str(models))
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^    segmenter (.*)$", page, re.M)
    assert {shlex.split(line)[0] for line in lines} == {
        "train", "cut", "adapt", "export", "build",
    }  # fmt: skip
    torch = importlib.util.find_spec("torch") is not None
    for line in lines:
        if torch or "bilstm" not in line:  # without torch the rest of the page holds all the same
            assert cli.main(shlex.split(line)) == 0, line
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, "training.md", "exec"), {})
    assert (tmp_path / "out.txt").read_text("utf-8") == "他 说 的 北京大学\n"
