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
from segmenter.subword.aligned import MORE, Aligned
from segmenter.subword.expressions import Set
from segmenter.subword.models.bpe import BPE
from segmenter.subword.models.model import BYTE_TO_CHAR, byte_chars, to_bytes
from segmenter.subword.scanning import Cut

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from segmenter.subword.added import Finder
    from segmenter.subword.models.model import Model

    # what a character becomes on its own; None: that depends on its neighbours
    _Of = Callable[[str], str | None]


class _Unsaid(Exception):
    """The steps cannot be translated into the kernel's terms."""


class _Characters:
    """The effect of normalisation on single characters.

    Attributes:
        steps: applied in order, each to every character of the previous result.
        prefix: prepended to a text.
        edges: leave texts with blanks at the ends to the steps.
        squeezed: what a run of blanks becomes; empty: it stays.
        odd: leave texts that contain one of these to the steps.
    """

    def __init__(self, normaliser: normalise.Normaliser) -> None:
        self.steps: list[_Of] = []
        self.prefix = ""
        self.edges = False
        self.squeezed = ""
        self.odd: tuple[str, ...] = ()
        for step in normaliser.each():
            self._take(step)
        self.blank = self.of(" ") or " "
        if len(self.blank) > 1:
            self.blank = " "

    def _take(self, step: normalise.Normaliser) -> None:
        if isinstance(step, normalise.Prepend):
            if self.steps:  # a text that the earlier steps leave empty gets no prefix
                raise _Unsaid
            self.prefix = step.prepend + self.prefix
            if len(self.prefix) > MORE:
                raise _Unsaid
        elif type(step) is not normalise.Normaliser:
            # this one comes last, except for a step that does not affect blanks
            if self.squeezed and not isinstance(step, normalise.Lowercase):
                raise _Unsaid
            before, self.prefix = self.prefix, ""
            self.steps.append(self._of_step(step, before))
            made = [self.steps[-1](c) for c in before]
            if None in made or (before and self.prefix):
                raise _Unsaid
            self.prefix += "".join(c or "" for c in made)
            if len(self.prefix) > MORE:
                raise _Unsaid

    def _of_step(self, step: normalise.Normaliser, before: str) -> _Of:
        if isinstance(step, normalise.Form):
            return _form(step.form)
        if isinstance(step, normalise.Mapped):
            return step.of
        if isinstance(step, normalise.Bert):
            return lambda c: None if unicodedata.combining(c) else step(Aligned(c)).text
        if isinstance(step, normalise.ByteLevel):
            return lambda c: byte_chars(to_bytes(c))
        if isinstance(step, normalise.Strip):
            if before:  # the ends of the text are no longer those of what is stripped
                raise _Unsaid
            self.edges = True
            return _same
        if isinstance(step, normalise.Replace):
            return self._replace(step, before)
        if isinstance(step, charsmap.Precompiled):
            return lambda c: _cluster(step.map, c)
        raise _Unsaid

    def _replace(self, step: normalise.Replace, before: str) -> _Of:
        if step.regex:
            if len(step.content) != 1:
                raise _Unsaid
            if step.pattern == r"\s+" and step.content == " ":
                self.squeezed = " "
                blanks = scanning.scanner((Cut(r"\s", engine="oniguruma"),))
                return lambda c: " " if blanks.matches(c) else c
            if step.pattern != " {2,}":
                raise _Unsaid
            self.squeezed = step.content
            return _same
        if not step.pattern:
            return _same
        if len(step.pattern) == 1:
            return lambda c: step.content if c == step.pattern else c
        if not before and all(one is _same for one in self.steps):
            self.odd += (step.pattern,)  # the text is still as given when this step sees it
            return _same
        return lambda c: None if c in step.pattern else c

    def of(self, c: str) -> str | None:
        """What a character becomes after all steps; None if that depends on its neighbours."""
        text = c
        for step in self.steps:
            made = [step(one) for one in text]
            if None in made:
                return None
            text = "".join(one or "" for one in made)
            if len(text) > MORE:  # the steps say whether it is too long
                return None
        return text


def _same(c: str) -> str:
    return c


def _form(form: forms.Name) -> _Of:
    def of(c: str) -> str | None:
        if not forms.begins(form, c):
            return None
        return next(forms.parts(form, c))[0]

    return of


def _cluster(rules: _subword.CharsMap, c: str) -> str | None:
    if c == "\r" or charsmap.extends(c):
        return None
    made = rules.shortest(c)
    return c if made is None else made


def _cuts(step: pretokenise.PreTokeniser) -> dict[str, Any]:
    """Translate a pre-tokeniser into the kernel's terms."""
    before: list[Cut] = []
    after: list[Cut] | None = None  # after a step that changes the text
    out: dict[str, Any] = {}
    steps = step.each()
    for one in steps:
        known = one.cuts()
        if known is not None:
            (before if after is None else after).extend(known)
            continue
        if after is not None:
            raise _Unsaid
        after = []
        if isinstance(one, pretokenise.ByteLevel) and one.spelt and not one.add_prefix_space:
            before += one.regex_cuts()
            out["spelling"] = "".join(BYTE_TO_CHAR[byte] for byte in range(256))
        elif one is not steps[-1]:
            raise _Unsaid
        elif isinstance(one, pretokenise.Metaspace):
            if one.cut:
                after.append(Cut(Set(characters.chars(one.replacement)), "MergedWithNext"))
            scheme = one.prepend_scheme
            if scheme == "first" and before:
                raise _Unsaid
            out["mark"] = one.replacement, scheme == "first", True, scheme == "never"
        elif isinstance(one, pretokenise.ByteLevel) and not one.spelt:
            after += one.regex_cuts()
            out["mark"] = " ", False, False, False
        else:
            raise _Unsaid
    for name, cuts in (("before", before), ("after", after)):
        if cuts:
            out[name] = scanning.scanner(cuts)
    return out


def pipeline(
    model: Model,
    normaliser: normalise.Normaliser,
    pretokeniser: pretokenise.PreTokeniser,
    around: tuple[list[int], list[int]],
    found: Finder | None,
    found_normalised: Finder | None,
) -> _subword.TextPipeline | None:
    """The kernel for all steps; None if they cannot be translated into its terms.

    Args:
        around: the ids that the post-processor puts before and after those of a text.
        found, found_normalised: added tokens in the text as given, and in the normalised one.
    """
    if model.kernel is None:
        return None
    whole = model.whole if isinstance(model, BPE) else ()
    try:
        whole_text = normaliser.kernel if isinstance(normaliser, charsmap.SentencePiece) else None
        normal = _Characters(normaliser if whole_text is None else normalise.Normaliser())
        options = _cuts(pretokeniser)
        if options.get("mark", (0, False))[1] and not _keeps_beginnings(normaliser):
            return None
    except _Unsaid:
        return None

    def learn(characters: str) -> None:
        for c in characters:
            made = normal.of(c)
            kernel.set(ord(c), "????" if made is None else made)

    kernel = _subword.TextPipeline(
        model.kernel,
        learn=learn if normal.steps else None,
        prefix=normal.prefix,
        blank=normal.blank,
        plain_edges=normal.edges,
        sentencepiece=whole_text,
        squeezed=normal.squeezed,
        tokens=None if found is None else found.kernel,
        token_ids=[] if found is None else found.ids,
        tokens_alone=found is None or found.alone,
        normalised_tokens=None if found_normalised is None else found_normalised.kernel,
        odd=_subword.TokenFinder(dict.fromkeys(normal.odd)) if normal.odd else None,
        whole=_subword.TokenFinder(dict.fromkeys(filter(None, whole))) if whole else None,
        head=around[0],
        tail=around[1],
        **options,
    )
    return kernel


def _keeps_beginnings(normaliser: normalise.Normaliser) -> bool:
    """Whether the beginning of a normalised text always comes from the text's first character."""
    kinds = (normalise.Form, normalise.Lowercase, normalise.Width)
    return all(
        type(step) is normalise.Normaliser or isinstance(step, kinds) for step in normaliser.each()
    )
