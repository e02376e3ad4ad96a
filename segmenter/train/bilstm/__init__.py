"""Training of the BiLSTM-CRF (Huang, Xu and Yu 2015; Chen et al. 2015 for segmentation) in torch.

One network is trained on several corpora: characters, pairs of characters and the words of a
lexicon go through bidirectional LSTMs; each standard has its own bias of the first layer, its own
output layer and, unless the network reads clauses (``Shape.marks``), its own transitions. The
scores of a linear tagger are added afterwards, with a weight that is chosen on the dev text
(:func:`combine`).

Dropout is locked (Gal and Ghahramani 2016): one mask per sentence.  The weights that are kept are
averages over the steps (Polyak and Juditsky 1992, exponentially).

Equal texts, options and threads give equal weights on machines of one type.  Needs torch.
"""

from __future__ import annotations

from segmenter.errors import MissingExtraError

try:
    import torch as _torch  # noqa: F401
except ImportError as e:
    raise MissingExtraError("bilstm", "torch", "training a BiLSTM-CRF") from e

from segmenter.train.bilstm.judging import (
    combine,
    decode,
    emissions,
    evaluate,
    f1,
    gold_ends,
    transitions,
    word_ends,
)
from segmenter.train.bilstm.network import BilstmCrf
from segmenter.train.bilstm.options import BilstmOptions, Dropout, Epoch, Part, Schedule, Shape
from segmenter.train.bilstm.running import TORCH, export, train

__all__ = [
    "TORCH",
    "BilstmCrf",
    "BilstmOptions",
    "Dropout",
    "Epoch",
    "Part",
    "Schedule",
    "Shape",
    "combine",
    "decode",
    "emissions",
    "evaluate",
    "export",
    "f1",
    "gold_ends",
    "train",
    "transitions",
    "word_ends",
]
