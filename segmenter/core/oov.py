"""The interface of models that cut unknown words into pieces: ``oov="bpe"`` and others.

The engine has no such model.  This module names the module that provides them, which is imported
on first use.
"""

from __future__ import annotations

from segmenter.errors import ResourceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from segmenter.kernels import _opening

    class OovModel(Protocol):
        """A model that cuts words that lexicon or tagger do not know; the argument ``subwords``.

        It can be pickled.
        """

        @property
        def name(self) -> str:
            """Its source, for display."""

        @property
        def digest(self) -> str:
            """Identity of its content, hexadecimal; part of every fingerprint."""

        @property
        def native(self) -> _opening.HasCutter | None:
            """The compiled model; None if it has too many characters to be compiled."""

    class Provider(Protocol):
        """A module with models for ``oov``."""

        #: The file of each model, by its name in ``oov``.
        SHIPPED: Mapping[str, str]

        def open_model(self, path: str, *, verify: bool) -> OovModel:
            """Open one of these files."""


#: The module that provides the models of each ``oov``.
PROVIDERS = {
    "bpe": "segmenter.subword.models.vocabulary",
    "unigram": "segmenter.subword.models.vocabulary",
}


def provider_of(oov: str) -> Provider:
    """Import the module that provides an ``oov``.

    Raises:
        ResourceError: this installation lacks it.
    """
    from importlib import import_module

    module = PROVIDERS[oov]
    try:
        provider: Provider = import_module(module)
    except ModuleNotFoundError as e:
        if not module.startswith(str(e.name)):  # something else is missing
            raise
        raise ResourceError(
            f"oov={oov!r} needs {e.name}, which was left out of this installation: install "
            "segmenter-zh with it, or choose oov='chars' or 'keep'"
        ) from e
    return provider
