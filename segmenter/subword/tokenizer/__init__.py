"""The Tokenizer: the four steps, special tokens, offsets, decoding, training and files.

Its parts and vocabulary are in :mod:`~.tokenizer.made`, its encoding methods in
:mod:`~.tokenizer.encodes` (which run :mod:`~.subword.steps`), its file format in
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
from segmenter.subword import decode, pretokenise
from segmenter.subword.models.model import from_bytes
from segmenter.subword.models.vocabulary import KIND
from segmenter.subword.parts import opened, packed
from segmenter.subword.tokenizer.encodes import Encodes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Literal, Self

    from segmenter.files.opening import File
    from segmenter.subword import normalise
    from segmenter.subword.parts import Parts
    from segmenter.subword.pretokenise import Cutter
    from segmenter.subword.streaming import Stream

#: The name of the file that :meth:`Tokenizer.save_pretrained` writes.
PRETRAINED = "segmenter-tokenizer.model"


class Tokenizer(Encodes):
    """A model and the steps around it.

    A Tokenizer can be shared by any number of threads.  Only the methods named after those of
    ``tokenizers`` (``add_tokens``, ``enable_padding``, …) change it: call them before starting
    threads.

    Args:
        model: a :class:`~segmenter.subword.BPE`, ``WordPiece`` or ``Unigram``.
        normaliser: default: the identity.
        pretokeniser: default: none; the whole text is one span.
        postprocessor: default: none.
        decoder: default: the one that suits the model's pieces.
        added: added and special tokens.
        allowed: special tokens that :meth:`encode` recognises in a text unless its caller says
            otherwise.  Default: none, so that they are ordinary text; ``"all"`` does as Hugging
            Face ``tokenizers``.
        meta: metadata to store in the file (corpus, options, seed).
        name: the name to use in error messages.
        library: follow this library where its behaviour differs from ours.  ``"tokenizers"``: a
            ``▁`` prepended to a text covers the text's first character (ours: nothing), one that
            replaces several blanks covers the last of them, and so on (ours: everything it
            replaces); added tokens are decoded like pieces (ours: as their own text).
            ``"sentencepiece"``: a token covers the text from its start to the start of the next
            token; of the bytes of a character, the last one covers it and the others nothing.
        truncation, padding: applied to the tokens of each text, or of a batch; default: none.
    """

    @classmethod
    def _of(cls, parts: Parts) -> Self:
        return cls(**parts._asdict())

    @property
    def digest(self) -> str:
        """The digest of the file that this Tokenizer would be saved as, 64 hexadecimal digits."""
        if self._digest is None:
            self._digest = artifact.from_bytes(self.to_bytes()).digest
        return self._digest

    # --- tokens to text --------------------------------------------------------------------------

    def decode(self, ids: Iterable[int], *, skip_special: bool = False) -> str:
        """The text of tokens.

        If the normaliser is the identity and the vocabulary is closed, this is exactly the text
        that :meth:`encode` was given.  Invalid UTF-8 (a sequence cut inside a character) becomes
        U+FFFD.  Lone surrogates come back unchanged.

        Args:
            ids: token ids; an :class:`Encoding` will do.
            skip_special: leave special tokens out.

        Raises:
            ArgumentError: no token has such an id.
        """
        if skip_special:
            ids = [number for number in ids if number not in self._added.special_ids]
        if type(self.decoder) is decode.ByteLevel:
            return from_bytes(b"".join(map(self._bytes.__getitem__, ids)))
        return "".join(self.decoder(list(map(self._texts.__getitem__, ids))))

    def stream(self, *, skip_special: bool = False) -> Stream:
        """A decoder for tokens as they come in: call :meth:`Stream.step <.streaming.Stream.step>`
        with each token.

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
        """Train a Tokenizer on text files, line by line.

        Args:
            files: a path, a binary file, or several.
            encoding: of the files.
            errors: ``"strict"``, or ``"replace"``: bytes that are invalid in ``encoding`` become
                U+FFFD.
            **options: those of :meth:`train_from_iterator`.

        Raises:
            EncodingError: a file is not in ``encoding``; names file, line and byte offset.
            ArgumentError: an invalid option.
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
        """Train a Tokenizer on texts.

        With ``byte_fallback`` (the default) the vocabulary is closed: characters that are unseen,
        or too rare for ``coverage``, are spelt as UTF-8 bytes, and no text has an unknown token.
        With a ``segmenter`` and ``words`` the vocabulary contains whole words, subwords for the
        rest, and the 256 bytes.

        Args:
            texts: any number of str; each is normalised and pre-tokenised separately.
            model: ``"bpe"``, ``"wordpiece"`` or ``"unigram"``.
            vocab_size: total number of ids: special tokens, bytes, characters, words, subwords.
            segmenter: pre-tokenise into its words; without one, ``pretokeniser`` is used.
            words: words that become whole pieces: how many of the most frequent ones, or which.
                None: a quarter of ``vocab_size`` if there is a ``segmenter``, otherwise none.
            normaliser: default: the identity.
            pretokeniser: default: GPT-2's pattern, which separates letters, digits and the rest.
            min_frequency: pieces seen less often are not created.
            coverage: share of the text's characters that get pieces of their own; the rarest
                characters, beyond that share, become bytes or unknown.
            byte_fallback: see above; not for ``"wordpiece"``.
            byte_level: BPE on bytes instead of characters (Radford et al. 2019); closed as well.
                Rare characters then share pieces of one or two bytes.
            special: special tokens, in the order of their ids, which come first.
            max_piece: the longest piece of a unigram model, in characters.
            seed: seed for choices between equally good pieces; stored in ``meta``.  The current
                trainers break ties by fixed rules and never draw.
            threads: native threads that count spans; the result does not depend on them.
            progress: called with (step, done, total or None); steps are ``"count"`` (texts),
                ``"merge"`` and ``"prune"`` (pieces).

        Raises:
            ArgumentError: ``vocab_size`` has no room for special tokens, bytes and characters, or
                an option is out of range.
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
        """Train a Tokenizer with the same steps, model type and special tokens on other texts.

        Args:
            text_iterator: any number of str.
            vocab_size: total number of ids.
            length: number of texts; accepted for compatibility with ``transformers``, and ignored.
            new_special_tokens: follow the special tokens of this Tokenizer.
            **options: other options of :meth:`train_from_iterator`.

        Raises:
            ArgumentError: models of this kind cannot be trained; an invalid option; a
                post-processor's token that would have no id.
        """
        from segmenter.subword.training import train_new

        parts = train_new(
            self._parts(), text_iterator, vocab_size, tuple(new_special_tokens), options
        )
        return type(self)._of(parts)

    # --- files -----------------------------------------------------------------------------------

    def config(self) -> dict[str, Any]:
        """The whole Tokenizer in the form of ``tokenizer.json`` (Hugging Face ``tokenizers``).

        Our own steps (``Words``, ``Width``, ``Blanks``) appear under their names, which that
        library does not know.
        """
        return self._parts().config()

    def to_bytes(self) -> bytes:
        """The content of the file that :meth:`save` writes; :meth:`from_bytes` reads it."""
        return artifact.pack(KIND, *packed(self._parts()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the Tokenizer to one file, atomically.

        A :class:`~segmenter.subword.pretokenise.Words` pre-tokeniser is written as the name and
        fingerprint of its Segmenter, without the lexicon.

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
        """Read a file written by :meth:`save`.

        Args:
            path: the file.
            segmenter: for a vocabulary of words: use this instead of the Segmenter that the file
                names.
            verify: check every byte of the file.

        Raises:
            ArtifactError: the file is missing, damaged, foreign or newer than this package.
            ArgumentError: the Segmenter that the file names gives other boundaries here.
        """
        return cls._opened(artifact.open(path, KIND, verify), segmenter)

    def save_pretrained(self, folder: str | os.PathLike[str]) -> str:
        """Write the Tokenizer to a folder, as ``transformers`` does; create the folder if needed.

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
        """Read a folder written by :meth:`save_pretrained`; never uses the network."""
        return cls.load(os.path.join(os.fspath(folder), PRETRAINED), segmenter=segmenter)

    @classmethod
    def from_bytes(
        cls, data: bytes, name: str = "<bytes>", segmenter: Cutter | None = None
    ) -> Tokenizer:
        """Read the bytes returned by :meth:`to_bytes`."""
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
