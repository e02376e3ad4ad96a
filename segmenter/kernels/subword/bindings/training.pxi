# Training of subword models: counting spans, learning merges.
#
# Uses python.pxi: asked, plain; cutting.pxi: add_piece, Scanner.

from segmenter.kernels.bindings.python cimport (
    Buffer, LongCall, PyUnicode_FromKindAndData, Text, TextView)
from segmenter.kernels.subword.bindings.cutting cimport PieceList
from segmenter.kernels.subword.bindings.training cimport (
    BestPair, Counted, CPairLearner, CSpanCounter, CUnigramCorpus, pair_learner, span_counter,
    unigram_corpus)


cdef class SpanCounter:
    """Counts the occurrences of each span in texts; see subword/span_counts.hpp."""

    cdef Scanner scanner
    cdef unique_ptr[CSpanCounter] counts

    def __init__(self, Scanner scanner not None):
        self.scanner = scanner
        self.counts = span_counter()

    def add(self, list texts, int threads=1):
        """Counts the spans of more texts."""
        cdef vector[Text] views
        cdef LongCall call
        cdef list held = [plain(text) for text in texts]
        for text in held:
            views.push_back(TextView(text))
        call.begin(asked)
        with nogil:
            self.counts.get().add(self.scanner.scanner, views, threads)

    def items(self):
        """(span, count), in order of first occurrence."""
        cdef Counted span
        cdef size_t i
        out = []
        for i in range(self.counts.get().size()):
            span = self.counts.get().at(i)
            out.append((PyUnicode_FromKindAndData(4, span.text, <Py_ssize_t>span.n), span.count))
        return out


cdef class PairLearner:
    """Learns merges of adjacent pieces, best first; see subword/pairs.hpp.

    ``words``: (str, count).  ``prefix``: put in front of every symbol of a word except the first.
    ``scored``: rank by WordPiece's score instead of by count.
    """

    cdef unique_ptr[CPairLearner] held
    cdef CPairLearner* learner
    cdef list symbols
    cdef dict ids
    cdef str prefix

    def __init__(self, words, str prefix="", bint scored=False, int64_t least=1):
        cdef uint32_t spelt
        cdef LongCall call
        self.held = pair_learner(len(prefix) > 0, scored, least)
        self.learner = self.held.get()
        self.prefix = prefix
        for word, count in words:
            word = plain(word)
            self.learner.add(TextView(word), count)
        self.symbols = [(prefix if spelt >> 31 else "") + chr(spelt & 0x7FFFFFFF)
                        for spelt in self.learner.symbols]
        self.ids = {symbol: i for i, symbol in enumerate(self.symbols)}
        call.begin(asked)
        with nogil:
            self.learner.start()

    def __iter__(self):
        return self

    def __next__(self):
        """Performs the next merge; returns its (left, right, merged, count, score)."""
        cdef BestPair found
        cdef cbool there
        with nogil:
            there = self.learner.best(found)
        if not there:
            raise StopIteration
        cdef str left = self.symbols[found.left], right = self.symbols[found.right]
        cdef str made = left + right[len(self.prefix):]
        number = self.ids.get(made)
        if number is None:
            number = self.ids[made] = len(self.symbols)
            self.symbols.append(made)
        cdef uint32_t new_id = number
        with nogil:
            self.learner.merge(new_id)
        return left, right, made, found.count, found.score


cdef class UnigramCorpus:
    """Words with counts, to train a unigram model on; see subword/train.hpp.

    ``words``: (word, count).  Not thread-safe.
    """

    cdef unique_ptr[CUnigramCorpus] held
    cdef CUnigramCorpus* corpus

    def __init__(self, words):
        self.held = unigram_corpus()
        self.corpus = self.held.get()
        for word, count in words:
            word = plain(word)
            self.corpus.add(TextView(word), count)

    def set_pieces(self, pieces, scores):
        """Sets the vocabulary for the next passes: a sequence of str, and float64 scores."""
        cdef PieceList pieces_
        cdef Buffer[double] column
        column.take(scores, b"scores")
        cdef uint32_t number = 0
        if len(pieces) != column.n or not len(pieces):
            raise ValueError("scores: expected one per piece")
        for piece in pieces:
            if not piece:
                raise ValueError("pieces: none may be empty")
            add_piece(pieces_, piece, number)
            number += 1
        self.corpus.set_pieces(pieces_, column.data)

    def expected(self, out):
        """Writes expected counts into ``out``, float64 per piece; returns the log likelihood."""
        cdef Buffer[double] column
        column.take(out, b"out", True)
        cdef double likelihood
        if not column.n or <size_t>column.n != self.corpus.n_pieces():
            raise ValueError("out: expected one per piece")
        with nogil:
            likelihood = self.corpus.expected(column.room())
        return likelihood

    def best(self, out):
        """Writes into ``out``, float64, how often each piece occurs in the best segmentations."""
        cdef Buffer[double] column
        column.take(out, b"out", True)
        if not column.n or <size_t>column.n != self.corpus.n_pieces():
            raise ValueError("out: expected one per piece")
        with nogil:
            self.corpus.best(column.room())

    def alternative(self, uint32_t number):
        """The best other pieces that spell a piece, last first; ``[]`` if there are none."""
        if number >= self.corpus.n_pieces():
            raise IndexError(number)
        return self.corpus.alternative(number)
