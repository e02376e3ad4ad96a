"""A Tokenizer's steps as one call of the kernel (kernels/subword/pipeline.hpp).

:func:`pipeline` translates the steps for the kernel if possible: the replacement of each single
character by a normaliser, added tokens, cuts, the model, and the tokens that a post-processor puts
around a text.  The kernel leaves texts that need more to the steps themselves.  It requests the
replacement of a character on first use.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from segmenter.kernels import _subword
from segmenter.subword import characters, charsmap, forms, normalise, pretokenise, scanning
from segmenter.subword.aligned import SLACK, Aligned
from segmenter.subword.expressions import Set
from segmenter.subword.models.bpe import BPE
from segmenter.subword.models.model import BYTE_TO_CHAR, byte_chars, to_bytes
from segmenter.subword.scanning import Cut

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from segmenter.subword.added import Finder
    from segmenter.subword.models.model import Model

    # returns the replacement of a character; None if it depends on its neighbours
    _Replacement = Callable[[str], str | None]


class _Untranslatable(Exception):
    """The steps cannot be translated into the kernel's terms."""


class _CharacterMap:
    """The effect of normalisation on single characters.

    Attributes:
        steps: applied in order, each to every character of the previous result.
        prefix: prepended to a text.
        plain_edges: leave texts with blanks at the ends to the steps.
        squeezed: what a run of blanks becomes; empty: it stays.
        exceptions: leave texts that contain one of these to the steps.
    """

    def __init__(self, normaliser: normalise.Normaliser) -> None:
        self.steps: list[_Replacement] = []
        self.prefix = ""
        self.plain_edges = False
        self.squeezed = ""
        self.exceptions: tuple[str, ...] = ()
        for step in normaliser.flattened():
            self._take(step)
        self.blank = self.replacement(" ") or " "
        if len(self.blank) > 1:
            self.blank = " "

    def _take(self, step: normalise.Normaliser) -> None:
        if isinstance(step, normalise.Prepend):
            if self.steps:  # a text that the earlier steps leave empty gets no prefix
                raise _Untranslatable
            self.prefix = step.prepend + self.prefix
            if len(self.prefix) > SLACK:
                raise _Untranslatable
        elif type(step) is not normalise.Normaliser:
            # the step that squeezes blanks must be the last one that affects them
            if self.squeezed and not isinstance(step, normalise.Lowercase):
                raise _Untranslatable
            earlier, self.prefix = self.prefix, ""
            self.steps.append(self._step_replacement(step, earlier))
            prefix = [self.steps[-1](c) for c in earlier]
            if None in prefix or (earlier and self.prefix):
                raise _Untranslatable
            self.prefix += "".join(c or "" for c in prefix)
            if len(self.prefix) > SLACK:
                raise _Untranslatable

    def _step_replacement(self, step: normalise.Normaliser, prefix: str) -> _Replacement:
        if isinstance(step, normalise.Form):
            return _form_replacement(step.form)
        if isinstance(step, normalise.Mapped):
            return step.replacement
        if isinstance(step, normalise.Bert):
            return lambda c: None if unicodedata.combining(c) else step(Aligned(c)).text
        if isinstance(step, normalise.ByteLevel):
            return lambda c: byte_chars(to_bytes(c))
        if isinstance(step, normalise.Strip):
            if prefix:  # the ends of the text are no longer those of what is stripped
                raise _Untranslatable
            self.plain_edges = True
            return _identity
        if isinstance(step, normalise.Replace):
            return self._replace_step(step, prefix)
        if isinstance(step, charsmap.Precompiled):
            return lambda c: _cluster_replacement(step.map, c)
        raise _Untranslatable

    def _replace_step(self, step: normalise.Replace, prefix: str) -> _Replacement:
        if step.regex:
            if len(step.content) != 1:
                raise _Untranslatable
            if step.pattern == r"\s+" and step.content == " ":
                self.squeezed = " "
                blanks = scanning.scanner((Cut(r"\s", engine="oniguruma"),))
                return lambda c: " " if blanks.matches(c) else c
            if step.pattern != " {2,}":
                raise _Untranslatable
            self.squeezed = step.content
            return _identity
        if not step.pattern:
            return _identity
        if len(step.pattern) == 1:
            return lambda c: step.content if c == step.pattern else c
        if not prefix and all(earlier is _identity for earlier in self.steps):
            self.exceptions += (step.pattern,)  # this step reads the text as given
            return _identity
        return lambda c: None if c in step.pattern else c

    def replacement(self, c: str) -> str | None:
        """The replacement of a character; None if it depends on its neighbours."""
        text = c
        for step in self.steps:
            replacements = [step(char) for char in text]
            if None in replacements:
                return None
            text = "".join(char or "" for char in replacements)
            if len(text) > SLACK:  # the steps check whether it is too long
                return None
        return text


def _identity(c: str) -> str:
    return c


def _form_replacement(form: forms.Name) -> _Replacement:
    def replacement(c: str) -> str | None:
        if not forms.begins(form, c):
            return None
        return next(forms.parts(form, c))[0]

    return replacement


def _cluster_replacement(rules: _subword.CharsMap, c: str) -> str | None:
    if c == "\r" or charsmap.extends(c):
        return None
    replacement = rules.shortest(c)
    return c if replacement is None else replacement


def _cuts(step: pretokenise.PreTokeniser) -> dict[str, Any]:
    """Translate a pre-tokeniser into the kernel's terms."""
    before: list[Cut] = []
    after: list[Cut] | None = None  # after a step that changes the text
    options: dict[str, Any] = {}
    steps = step.flattened()
    for part in steps:
        part_cuts = part.cuts()
        if part_cuts is not None:
            (before if after is None else after).extend(part_cuts)
            continue
        if after is not None:
            raise _Untranslatable
        after = []
        if isinstance(part, pretokenise.ByteLevel) and part.spelt and not part.add_prefix_space:
            before += part.regex_cuts()
            options["spelling"] = "".join(BYTE_TO_CHAR[byte] for byte in range(256))
        elif part is not steps[-1]:
            raise _Untranslatable
        elif isinstance(part, pretokenise.Metaspace):
            if part.cut:
                after.append(Cut(Set(characters.chars(part.replacement)), "MergedWithNext"))
            scheme = part.prepend_scheme
            if scheme == "first" and before:
                raise _Untranslatable
            options["mark"] = part.replacement, scheme == "first", True, scheme == "never"
        elif isinstance(part, pretokenise.ByteLevel) and not part.spelt:
            after += part.regex_cuts()
            options["mark"] = " ", False, False, False
        else:
            raise _Untranslatable
    for name, cuts in (("before", before), ("after", after)):
        if cuts:
            options[name] = scanning.scanner(cuts)
    return options


def pipeline(
    model: Model,
    normaliser: normalise.Normaliser,
    pretokeniser: pretokenise.PreTokeniser,
    surrounding: tuple[list[int], list[int]],
    tokens: Finder | None,
    normalised_tokens: Finder | None,
) -> _subword.TextPipeline | None:
    """The kernel for all steps; None if they cannot be translated into its terms.

    Args:
        surrounding: the ids that the post-processor puts before and after those of a text.
        tokens, normalised_tokens: added tokens in the text as given, and in the normalised one.
    """
    if model.kernel is None:
        return None
    try:
        options = _cuts(pretokeniser)
        if options.get("mark", (0, False))[1] and not _keeps_beginnings(normaliser):
            return None
        sentencepiece = None
        if isinstance(normaliser, charsmap.SentencePiece):
            sentencepiece, normaliser = normaliser.kernel, normalise.Normaliser()
        char_map = _CharacterMap(normaliser)
    except _Untranslatable:
        return None

    def learn(characters: str) -> None:
        for c in characters:
            replacement = char_map.replacement(c)
            kernel.set(ord(c), "????" if replacement is None else replacement)

    exceptions = char_map.exceptions
    kernel = _subword.TextPipeline(
        model.kernel,
        learn=learn if char_map.steps else None,
        prefix=char_map.prefix,
        blank=char_map.blank,
        plain_edges=char_map.plain_edges,
        sentencepiece=sentencepiece,
        squeezed=char_map.squeezed,
        tokens=None if tokens is None else tokens.kernel,
        token_ids=[] if tokens is None else tokens.ids,
        tokens_alone=tokens is None or tokens.alone,
        normalised_tokens=None if normalised_tokens is None else normalised_tokens.kernel,
        odd=_subword.TokenFinder(dict.fromkeys(exceptions)) if exceptions else None,
        whole=model.whole_finder if isinstance(model, BPE) else None,
        head=surrounding[0],
        tail=surrounding[1],
        **options,
    )
    return kernel


def _keeps_beginnings(normaliser: normalise.Normaliser) -> bool:
    """Whether the beginning of a normalised text always comes from the text's first character."""
    kinds = (normalise.Form, normalise.Lowercase, normalise.Width)
    steps = normaliser.flattened()
    return all(type(step) is normalise.Normaliser or isinstance(step, kinds) for step in steps)
