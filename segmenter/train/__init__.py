"""Trainers, corpora and scores; the engine never imports this package.

The functions behind the command line are :func:`~segmenter.train.command.train_tagger`,
:func:`~segmenter.train.command.adapt_tagger`, :func:`~segmenter.train.command.compile_tagger` and
:func:`~segmenter.train.command.export_tagger`.  They are imported on first use, since they
need numpy.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from segmenter.train.command import (
        TrainedFiles,
        adapt_tagger,
        compile_tagger,
        export_tagger,
        train_tagger,
    )

__all__ = ["TrainedFiles", "adapt_tagger", "compile_tagger", "export_tagger", "train_tagger"]


def __getattr__(name: str) -> object:
    if name in __all__:
        from segmenter.train import command

        return getattr(command, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
