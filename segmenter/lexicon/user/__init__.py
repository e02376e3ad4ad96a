"""User dictionaries: immutable sets of words of any characters.

``entry.py`` has the entries, ``layer.py`` the compiled columns that the kernels read,
``dictionary.py`` :class:`UserDictionary`, ``files.py`` the formats of text.
"""

from segmenter.lexicon.user.dictionary import KIND, UserDictionary
from segmenter.lexicon.user.entry import COMPILED, LEARNED, LEVELS, UserWord, user_word

__all__ = ["COMPILED", "KIND", "LEARNED", "LEVELS", "UserDictionary", "UserWord", "user_word"]
