"""scikit-learn: our words for ``TfidfVectorizer``, ``CountVectorizer`` and ``HashingVectorizer``.

>>> from sklearn.feature_extraction.text import CountVectorizer
>>> counts = CountVectorizer(tokenizer=Words(), token_pattern=None).fit(["他说的确实在理，在理！"])
>>> counts.get_feature_names_out().tolist()
['他', '在理', '的', '确实', '说']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.adapters import or_default
from segmenter.loading import load

if TYPE_CHECKING:
    from segmenter.core import Segmenter


class Words:
    """A function from a text to its words, for ``tokenizer=``.  It does not need scikit-learn.

    Its pickle is small and the model is loaded once per process, so pipelines can be saved, cloned
    and run with ``n_jobs``.  Pass ``token_pattern=None`` too, or the vectorizer warns that its
    pattern is not used.

    Args:
        segmenter: None: the default preset without blanks and punctuation, as loaded by
            ``load(skip=("space", "punct"))``.
        search: include the words inside words; see :meth:`segmenter.Segmenter.cut_for_search`.
    """

    def __init__(self, segmenter: Segmenter | None = None, *, search: bool = False) -> None:
        if segmenter is None:
            segmenter = load(skip=("space", "punct"))
        self.segmenter = or_default(segmenter)
        self.search = search

    def __call__(self, text: str) -> list[str]:
        return self.segmenter.cut_for_search(text) if self.search else self.segmenter.cut(text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Words) and (
            (self.segmenter.fingerprint, self.search) == (other.segmenter.fingerprint, other.search)
        )

    def __hash__(self) -> int:
        return hash((self.segmenter.fingerprint, self.search))

    def __repr__(self) -> str:
        return f"Words({self.segmenter!r}, search={self.search})"
