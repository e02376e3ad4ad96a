"""spaCy: a tokenizer that the config of a pipeline can name and that is saved with the pipeline.

>>> import spacy
>>> nlp = spacy.blank("zh", config={"nlp": {"tokenizer": {"@tokenizers": "segmenter.zh"}}})
>>> [token.text for token in nlp("他说的确实在理")]
['他', '说', '的', '确实', '在理']
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from segmenter.adapters import require
from segmenter.core import Segmenter
from segmenter.errors import ArgumentError, wrong_type
from segmenter.loading import load, load_by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from segmenter.choices import Decoder

spacy = require("spacy", "spacy", __name__)

FILE = "segmenter.json"


class Tokenizer:
    """A spaCy tokenizer: the text of a ``Doc`` is the text, byte for byte.

    As usual in spaCy, one blank after a word is that token's ``whitespace_``; more are tokens.

    Args:
        vocab: the pipeline's vocabulary.
        segmenter: cuts the texts; it must not drop words.

    Raises:
        ArgumentError: the segmenter drops words (``skip=``), which the ``Doc`` would lack.
    """

    def __init__(self, vocab: Any, segmenter: Segmenter) -> None:
        if not isinstance(segmenter, Segmenter):
            raise wrong_type("segmenter", segmenter, "a Segmenter, made by segmenter.load")
        if segmenter.skip:
            raise ArgumentError(
                "segmenter: skip= leaves out tokens, and a Doc holds its whole text: load one "
                "without it"
            )
        self.vocab = vocab
        self.segmenter = segmenter

    def __call__(self, text: str) -> Any:
        words: list[str] = []
        spaces: list[bool] = []
        for word in self.segmenter.cut(text):
            if word[0] == " " and words and not spaces[-1] and not words[-1].isspace():
                spaces[-1] = True
                word = word[1:]
            if word:
                words.append(word)
                spaces.append(False)
        return spacy.tokens.Doc(self.vocab, words=words, spaces=spaces)

    def pipe(self, texts: Iterable[str], batch_size: int = 1000) -> Iterator[Any]:
        return map(self, texts)

    # --- kept with the pipeline ------------------------------------------------------------------

    def to_bytes(self, *, exclude: Sequence[str] = ()) -> bytes:
        """Return the arguments that load the Segmenter, and the user's words; not the lexicon.

        Raises:
            ArgumentError: the Segmenter was not made by ``segmenter.load``.
        """
        from segmenter.lexicon.user.files import lines_of

        recipe = self.segmenter.replace(None).recipe
        if recipe is None:
            raise ArgumentError(
                "segmenter: only one that segmenter.load made can be saved: load it by name or path"
            )
        state = {
            "load": recipe,
            "words": list(lines_of(self.segmenter.user, "jsonl")),
            "fingerprint": self.segmenter.fingerprint,
        }
        return json.dumps(state, ensure_ascii=False).encode()

    def from_bytes(self, data: bytes, *, exclude: Sequence[str] = ()) -> Tokenizer:
        """Load the Segmenter that :meth:`to_bytes` described.

        Raises:
            ArgumentError: the files installed here would cut differently from that Segmenter.
        """
        from segmenter.lexicon.user import UserDictionary

        state = json.loads(data)
        words = "\n".join(state["words"]).encode()
        user = UserDictionary.load(words, format="jsonl") if words else None
        segmenter = load(**state["load"], user=user)
        if segmenter.fingerprint != state["fingerprint"]:
            raise ArgumentError(
                f"segmenter: the pipeline was saved with {state['fingerprint']}, here is "
                f"{segmenter.fingerprint}: install that version, or give the pipeline a new "
                "tokenizer"
            )
        self.segmenter = segmenter
        return self

    def to_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> None:
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / FILE).write_bytes(self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> Tokenizer:
        """Read the file that :meth:`to_disk` wrote."""
        return self.from_bytes((Path(path) / FILE).read_bytes())


def create(
    preset: str = "balanced",
    standard: str = "general",
    decoder: Decoder | None = None,
    user: str | None = None,
) -> Callable[[Any], Tokenizer]:
    """The factory behind ``@tokenizers = "segmenter.zh"`` in a config.

    Args:
        preset, standard, decoder: see :func:`segmenter.load`.
        user: path of a user dictionary.
    """

    def make(nlp: Any) -> Tokenizer:
        segmenter = load_by_name(preset, standard=standard, decoder=decoder, user=user)
        return Tokenizer(nlp.vocab, segmenter)

    return make


spacy.registry.tokenizers("segmenter.zh", func=create)
