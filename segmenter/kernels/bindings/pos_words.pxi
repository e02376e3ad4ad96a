# Words in the form that part-of-speech taggers take, for tagging and for training.

from segmenter.kernels.bindings.lexicon cimport CLexicon
from segmenter.kernels.bindings.pos_words cimport pos_word, PosWord
from segmenter.kernels.bindings.python cimport give_turn, TextView, TURN


cdef int _pos_words(const CLexicon& lex, list words, vector[PosWord]& out, uint32_t n_classes) \
        except -1:
    """Looks up each word of a list of str for the features."""
    cdef Py_ssize_t i, n = len(words)
    out.reserve(<size_t>n)
    for i in range(n):
        if i % TURN == TURN - 1:
            give_turn()
        word = words[i]
        if type(word) is not str:
            raise TypeError(f"words: item {i} must be str, not {type(word).__name__}")
        out.push_back(pos_word(lex, TextView(word), n_classes))
    return 0
