"""The Tokenizer: the four steps, special tokens, offsets, the way back, and one file for all.

Its parts and its vocabulary are in :mod:`~.tokenizer.made`, what cuts texts in
:mod:`~.tokenizer.encodes` (the work itself in :mod:`~.subword.steps`), its file in
:mod:`~.subword.parts`.

>>> from segmenter import load
>>> texts = ["他说的确实在理", "他在说理", "确实在理"]
>>> t = Tokenizer.train_from_iterator(texts, segmenter=load("fast"), vocab_size=300)
>>> encoding = t.encode("他确实说€5")
>>> encoding.tokens
['他', '确实', '说', '<0xE2>', '<0x82>', '<0xAC>', '<0x35>']
>>> encoding.offsets
[(0, 1), (1, 3), (3, 4), (4, 5), (4, 5), (4, 5), (5, 6)]
>>> t.decode(encoding)
'他确实说€5'
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from segmenter import artifact
from segmenter.pieces.model import from_bytes
from segmenter.pieces.vocabulary import KIND
from segmenter.subword import decode, pretokenise
from segmenter.subword.parts import opened, packed
from segmenter.subword.tokenizer.encodes import Encodes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Literal, Self

    from segmenter.files import File
    from segmenter.subword import normalise
    from segmenter.subword.parts import Parts
    from segmenter.subword.pretokenise import Cutter
    from segmenter.subword.streaming import Stream

#: The file of a folder written by :meth:`Tokenizer.save_pretrained`.
PRETRAINED = "segmenter-tokenizer.model"


class Tokenizer(Encodes):
    """A model and the steps around it.  Shared by any number of threads; only what is named as in
    ``tokenizers`` changes it (``add_tokens``, ``enable_padding``, …): call that before they run.

    Args:
        model: a :class:`~segmenter.subword.BPE`, ``WordPiece`` or ``Unigram``.
        normaliser: default the identity.
        pretokeniser: default none, a text is one span.
        postprocessor: default none.
        decoder: default the one that the model's pieces need.
        added: added and special tokens.
        allowed: special tokens that :meth:`encode` finds in a text where its caller says nothing:
            none by default, they are ordinary text; ``"all"`` as in Hugging Face ``tokenizers``.
        meta: what the file says of itself (corpus, options, seed).
        name: what error messages call it.
        library: do as this library does where ours differs.  ``"tokenizers"``: a ``▁`` that was put
            before a text covers the text's first character (ours: nothing), one that several
            blanks became covers the last of them, and so on (ours: all that it came from); added
            tokens are decoded like pieces (ours: they stand for themselves).  ``"sentencepiece"``:
            a token covers what lies between the place where it begins and the place where the
            next one does; of the bytes of a character the last covers it, the others nothing.
        truncation, padding: what is done to the tokens of a text, or of a batch; default nothing.
    """

    @classmethod
    def _of(cls, parts: Parts) -> Self:
        return cls(**parts._asdict())

    @property
    def digest(self) -> str:
        """Identity of the content, 64 hexadecimal digits: that of the file it is saved in."""
        if self._digest is None:
            self._digest = artifact.from_bytes(self.to_bytes()).digest
        return self._digest

    # --- tokens to text --------------------------------------------------------------------------

    def decode(self, ids: Iterable[int], *, skip_special: bool = False) -> str:
        """The text of tokens: what :meth:`encode` was given, where the normaliser is the identity
        and the vocabulary is closed.

        Bytes that are no UTF-8 (a sequence cut inside a character) become U+FFFD.  Lone
        surrogates come back as they were.

        Args:
            ids: of tokens; an :class:`Encoding` will do.
            skip_special: leave special tokens out.

        Raises:
            ArgumentError: nothing has such an id.
        """
        if skip_special:
            ids = [number for number in ids if number not in self._added.special_ids]
        if type(self.decoder) is decode.ByteLevel:
            return from_bytes(b"".join(map(self._bytes.__getitem__, ids)))
        return "".join(self.decoder(list(map(self._texts.__getitem__, ids))))

    def stream(self, *, skip_special: bool = False) -> Stream:
        """Text as tokens come in: :meth:`Stream.step <.streaming.Stream.step>` a token.

        >>> from segmenter import subword
        >>> tokenizer = subword.load("bpe")
        >>> stream = tokenizer.stream()
        >>> [stream.step(number) for number in tokenizer.encode("我们€")]
        ['我们', '', '', '€']
        """
        from segmenter.subword.streaming import Stream

        return Stream(self.decode, skip_special)

    def decode_batch(
        self, batch: Iterable[Iterable[int]], *, skip_special: bool = False
    ) -> list[str]:
        """:meth:`decode` for each list of ids."""
        return [self.decode(ids, skip_special=skip_special) for ids in batch]

    # --- training --------------------------------------------------------------------------------

    @classmethod
    def train(
        cls,
        files: File | Iterable[File],
        *,
        encoding: str = "utf-8",
        errors: str = "strict",
        **options: Any,
    ) -> Tokenizer:
        """A Tokenizer trained on text files, line by line.

        Args:
            files: a path, a binary file, or several.
            encoding: of the files.
            errors: ``"strict"``, or ``"replace"``: bytes that are not in ``encoding`` become
                U+FFFD.
            **options: those of :meth:`train_from_iterator`.

        Raises:
            EncodingError: a file is not in ``encoding``; names file, line and byte offset.
            ArgumentError: an option that cannot be used.
            OSError: a file cannot be read.
        """
        from segmenter.subword.training import lines_of

        return cls.train_from_iterator(lines_of(files, encoding, errors), **options)

    @classmethod
    def train_from_iterator(
        cls,
        texts: Iterable[str],
        *,
        model: Literal["bpe", "wordpiece", "unigram"] = "bpe",
        vocab_size: int = 8000,
        segmenter: Cutter | None = None,
        words: int | Iterable[str] | None = None,
        normaliser: normalise.Normaliser | None = None,
        pretokeniser: pretokenise.PreTokeniser | None = None,
        min_frequency: int = 2,
        coverage: float = 0.9995,
        byte_fallback: bool = True,
        byte_level: bool = False,
        special: Iterable[str] = (),
        max_piece: int = 16,
        seed: int = 1,
        threads: int = 1,
        progress: Callable[[str, int, int | None], object] | None = None,
    ) -> Tokenizer:
        """A Tokenizer trained on texts.

        With ``byte_fallback`` (the default) the vocabulary is closed: characters that were not
        seen, or are too rare for ``coverage``, are spelt in UTF-8 bytes, and no text has an
        unknown token.  With a ``segmenter`` and ``words`` it holds whole words, subwords for the
        rest, and the 256 bytes.

        Args:
            texts: any number of str; each is normalised and pre-tokenised for itself.
            model: ``"bpe"``, ``"wordpiece"`` or ``"unigram"``.
            vocab_size: number of ids in all: special tokens, bytes, characters, words, subwords.
            segmenter: pre-tokenise by its words; else by ``pretokeniser``.
            words: how many of the most frequent words become pieces whole, or which; None: a
                quarter of ``vocab_size`` where there is a ``segmenter``, else none.
            normaliser: default the identity.
            pretokeniser: default the pattern of GPT-2, which parts letters, digits and the rest.
            min_frequency: pieces seen less often are not made.
            coverage: share of the text's characters that have pieces of their own; the rarest
                beyond it are bytes or unknown.
            byte_fallback: see above; not for ``"wordpiece"``.
            byte_level: BPE of bytes instead of characters (Radford et al. 2019); closed as well.
                A text's rare characters then share pieces of one or two bytes.
            special: special tokens, in the order of their ids, which come first.
            max_piece: the longest piece of a unigram model in characters.
            seed: of the trainers' choices among what they rate equal; kept in ``meta``.  Present
                trainers decide by written rules and never draw.
            threads: native threads that count spans; the result does not depend on them.
            progress: called with (step, done, of how much or None); steps are ``"count"`` (texts),
                ``"merge"`` and ``"prune"`` (pieces).

        Raises:
            ArgumentError: ``vocab_size`` has no room for special tokens, bytes and characters, or
                an option is out of its range.
        """
        from segmenter.subword.training import TrainingOptions, train

        parts = train(
            texts,
            TrainingOptions(
                model=model,
                vocab_size=vocab_size,
                segmenter=segmenter,
                words=words,
                normaliser=normaliser,
                pretokeniser=pretokeniser,
                min_frequency=min_frequency,
                coverage=coverage,
                byte_fallback=byte_fallback and model != "wordpiece" and not byte_level,
                byte_level=byte_level,
                special=tuple(special),
                max_piece=max_piece,
                seed=seed,
                threads=threads,
                progress=progress,
            ),
        )
        return cls._of(parts)

    def train_new_from_iterator(
        self,
        text_iterator: Iterable[str],
        vocab_size: int,
        length: int | None = None,
        new_special_tokens: Iterable[str] = (),
        **options: Any,
    ) -> Tokenizer:
        """A Tokenizer of the same steps, kind of model and special tokens, trained on other texts.

        Args:
            text_iterator: any number of str.
            vocab_size: number of ids in all.
            length: how many texts there are; taken for the sake of ``transformers``.
            new_special_tokens: behind the special tokens that this one has.
            **options: further ones of :meth:`train_from_iterator`.

        Raises:
            ArgumentError: the model is of a kind that is not trained; an option that cannot be
                used; a post-processor's token that would have no id.
        """
        from segmenter.subword.training import train_new

        parts = train_new(
            self._parts(), text_iterator, vocab_size, tuple(new_special_tokens), options
        )
        return type(self)._of(parts)

    # --- files -----------------------------------------------------------------------------------

    def config(self) -> dict[str, Any]:
        """All of it as ``tokenizer.json`` writes it (Hugging Face ``tokenizers``).

        Steps of ours (``Words``, ``Width``, ``Blanks``) stand there by their names, which that
        library does not know.
        """
        return self._parts().config()

    def to_bytes(self) -> bytes:
        """The compiled form, as it is written to a file; :meth:`from_bytes` reads it."""
        return artifact.pack(KIND, *packed(self._parts()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes one file with all of it, whole or not at all.

        A :class:`~segmenter.subword.pretokenise.Words` pre-tokeniser is written as the name and
        the fingerprint of its Segmenter, not as its lexicon.

        Raises:
            ArtifactError: the file cannot be written.
        """
        artifact.write(path, KIND, *packed(self._parts()))

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        segmenter: Cutter | None = None,
        verify: bool = True,
    ) -> Tokenizer:
        """Reads what :meth:`save` wrote.

        Args:
            path: the file.
            segmenter: for a vocabulary of words: what shall cut, instead of the Segmenter that
                the file names.
            verify: check every byte of the file.

        Raises:
            ArtifactError: the file is missing, damaged, foreign or newer than this package.
            ArgumentError: the Segmenter that the file names gives other boundaries here.
        """
        return cls._opened(artifact.open(path, KIND, verify), segmenter)

    def save_pretrained(self, folder: str | os.PathLike[str]) -> str:
        """Writes the Tokenizer into a folder, as ``transformers`` does; made if it is not there.

        Returns:
            The path of the file, :data:`PRETRAINED` in that folder.
        """
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(os.fspath(folder), PRETRAINED)
        self.save(path)
        return path

    @classmethod
    def from_pretrained(
        cls, folder: str | os.PathLike[str], *, segmenter: Cutter | None = None
    ) -> Tokenizer:
        """Reads what :meth:`save_pretrained` wrote; never from the network."""
        return cls.load(os.path.join(os.fspath(folder), PRETRAINED), segmenter=segmenter)

    @classmethod
    def from_bytes(
        cls, data: bytes, name: str = "<bytes>", segmenter: Cutter | None = None
    ) -> Tokenizer:
        """A Tokenizer from the bytes of :meth:`to_bytes`."""
        return cls._opened(artifact.from_bytes(data, name, KIND), segmenter)

    @classmethod
    def _opened(cls, art: artifact.Artifact, segmenter: Cutter | None) -> Tokenizer:
        made = cls._of(opened(art, segmenter))
        if segmenter is None:
            made._digest = art.digest
        return made

    def __reduce__(self) -> tuple[Callable[..., Tokenizer], tuple[Any, ...]]:
        cutter = pretokenise.cutter_of(self.pretokeniser)
        return _unpickled, (type(self), self.to_bytes(), self.name, cutter)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name}: {self.model!r}>"


def _unpickled(cls: type[Tokenizer], data: bytes, name: str, cutter: Cutter | None) -> Tokenizer:
    return cls.from_bytes(data, name, cutter)
