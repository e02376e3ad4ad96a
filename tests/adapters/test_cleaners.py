"""The hooks of docs/en/integrations/corpora.md in the packages themselves, where these are there.

Only the modules that take words are loaded: the packages need clusters and GPUs for the rest.
"""

from __future__ import annotations

import importlib
import sys
import types
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from pages import run_page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEXT = "他在北京大学读书，我们都同意他的看法。\n她说：“好吧。” 我们走！"


def load_part(package: str, name: str) -> Any:
    """A module of a package, imported without running the ``__init__`` of what it lies in.

    Raises:
        ModuleNotFoundError: the package, or what the module needs, is not installed.
    """
    spec = PathFinder.find_spec(package)
    if spec is None or spec.submodule_search_locations is None:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    folder, parts = spec.submodule_search_locations[0], [package]
    for step in ("", *name.split(".")[:-1]):
        if step:
            folder += f"/{step}"
            parts.append(step)
        prefix = ".".join(parts)
        if prefix not in sys.modules:
            module = types.ModuleType(prefix)
            module.__path__ = [folder]
            sys.modules[prefix] = module
    return importlib.import_module(f"{package}.{name}")


def tokenizer_of_mteb() -> Any:
    """The class ``BM25Tokenizer``; the card of its model, which imports all of mteb, is left out.

    Raises:
        ModuleNotFoundError: mteb, or what the module needs, is not installed.
    """
    card = types.ModuleType("mteb.models.model_meta")
    vars(card)["ModelMeta"] = lambda **fields: fields
    sys.modules[card.__name__] = card
    return load_part("mteb", "models.model_implementations.bm25").BM25Tokenizer


@pytest.fixture(autouse=True)
def _modules() -> Iterator[None]:
    """Half-loaded packages are gone afterwards."""
    before = dict(sys.modules)
    yield
    for name in sys.modules.keys() - before.keys():
        if name.partition(".")[0] in ("nemo_curator", "data_juicer", "fastembed", "mteb"):
            del sys.modules[name]


@pytest.fixture
def page() -> dict[str, Any]:
    """The names of the page, from NeMo Curator on."""
    names: dict[str, Any] = {}
    for heading in ("NeMo Curator", "data-juicer", "Sparse vectors: fastembed, Qdrant, mem0, mteb"):
        names.update(run_page("corpora.md", asserts=1, heading=heading, names=names))
    return names


def part(package: str, name: str) -> Any:
    try:
        return load_part(package, name)
    except ModuleNotFoundError as e:
        pytest.skip(f"{e.name} is not installed")


def test_the_page_needs_none_of_them(page: dict[str, Any]) -> None:
    assert page["spaced"]("他在北京大学读书") == "他 在 北京大学 北京 大学 读书"


def test_filters_of_nemo_curator(page: dict[str, Any]) -> None:
    pytest.importorskip("jieba", reason="jieba is not installed")
    module = part("nemo_curator", "stages.text.filters.heuristic.string")
    step = module.SymbolsToWordsFilter(lang="zh")
    with pytest.raises(ZeroDivisionError):  # what the page warns of
        step.score_document(TEXT)
    step._word_splitter = page["fast"].cut
    assert step.keep_document(step.score_document(TEXT))
    count = module.WordCountFilter(lang="zh")
    count._word_splitter = page["fast"].cut
    assert count.score_document(TEXT) == len(page["fast"].cut(TEXT))


def test_words_of_data_juicer(page: dict[str, Any]) -> None:
    words = part("data_juicer", "ops.common.helper_func").get_words_from_document
    assert words("他在北京大学读书") == ["他在北京大学读书"]
    tokenizer = page["Words"](device="cpu")
    got = words(TEXT, token_func=tokenizer.encode_as_pieces)
    assert "".join(got) == TEXT
    assert "北京大学" in got


def test_terms_of_fastembed(page: dict[str, Any]) -> None:
    terms = part("fastembed", "sparse.utils.tokenizer").SimpleTokenizer.tokenize
    assert terms("他在北京大学读书") == ["他在北京大学读书"]
    assert terms(page["spaced"](TEXT))[:4] == ["他", "在", "北京大学", "北京"]


def test_terms_of_mteb(page: dict[str, Any]) -> None:
    pytest.importorskip("bm25s", reason="bm25s is not installed")
    try:
        splitter = tokenizer_of_mteb()
    except ModuleNotFoundError as e:
        pytest.skip(f"{e.name} is not installed")
    tokenizer = splitter("zho", tokenizer=page["words"].cut_for_search)
    index = tokenizer.fit_transform([TEXT, "我们走"])
    assert {"北京大学", "北京", "大学", "读书"} <= index.vocab.keys()
    query = tokenizer.transform(["北京"])
    assert [query_term for query_term in query.vocab if query_term] == ["北京"]


def test_sparse_vectors_of_fastembed(page: dict[str, Any], tmp_path: Path) -> None:
    """The class that Qdrant's client uses: a query's terms are among those of its text."""
    fastembed = pytest.importorskip("fastembed", reason="fastembed is not installed")
    # without stemming it reads nothing of its model's folder
    model = fastembed.SparseTextEmbedding(
        "Qdrant/bm25", disable_stemmer=True, specific_model_path=str(tmp_path)
    )

    def matches(text: str, query: str) -> bool:
        terms = set(next(iter(model.embed([text]))).indices)
        return set(next(iter(model.query_embed(query))).indices) <= terms

    assert not matches(TEXT, "北京")
    assert matches(page["spaced"](TEXT), page["spaced"]("北京"))
    assert matches(page["spaced"](TEXT), page["spaced"]("大学"))


def test_memories_of_mem0(page: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """What its Memory hands to the store as the text of BM25."""
    main = pytest.importorskip("mem0.memory.main", reason="mem0 is not installed")
    memory = object.__new__(main.Memory)  # whose own way opens stores and a language model
    memory.embedding_model = memory.db = memory.vector_store = store = mock.MagicMock()
    monkeypatch.setattr(main, "lemmatize_for_bm25", page["spaced"])
    memory._create_memory("他在北京大学读书", {}, {})
    payload = store.insert.call_args.kwargs["payloads"][0]
    assert payload["text_lemmatized"] == "他 在 北京大学 北京 大学 读书"
