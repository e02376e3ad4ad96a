# distutils: language = c++
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, auto_pickle=False, binding=False
"""What an engine gives beside words: tokens, analyses, search tokens."""

cimport cython
from cpython.object cimport PyObject, PyTypeObject
from libc.stdint cimport int32_t, uint16_t, uint32_t, uint8_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from segmenter.kernels._engine cimport Engine
from segmenter.kernels.bindings.analysis cimport (
    best_cuts, BestCut, cost_unit, found_atoms, scores_of_tags, whole_dag)
from segmenter.kernels.bindings.atoms cimport AtomFound
from segmenter.kernels.bindings.dag cimport Edge
from segmenter.kernels.bindings.decision cimport (
    c_kind_of, char32_t, Decision, decoded, kDropped, kEdgeKinds, kEdgeNames, kind_bits, kKindNames,
    kTokenKinds, kUserWord, Request, Token, token_kind, token_slot, u32string_view, Want,
    words_list)
from segmenter.kernels.bindings.open cimport Plan, Worker
from segmenter.kernels.bindings.python cimport (
    Buffer, column_bytes, exact_str, give_turn, Lease, LongCall, PyUnicode_FromKindAndData,
    signal_raised, TextView, TURN)
from segmenter.kernels.bindings.search cimport (
    edges_of_word, InnerWord, InnerWords, kLeftOut, kRememberedCharacters, kRememberedWords,
    SearchRules, Unit, unit_edges, UnitReader, Units, UnitsOfWord)
from segmenter.kernels.bindings.tagger cimport kNoOtherWay, TaggerModel
from segmenter.kernels.bindings.tokens cimport (
    c_anew_places, c_anew_reach, c_flagged_words, c_words_at, c_words_replaced, kOffsetUnits,
    new_token, new_word, OffsetUnit, PyList_GET_ITEM, PyTuple_GET_ITEM, read_tokens, TokenColumns,
    TokenFields, TokenMaker, TokenSources, unit_offsets, UserToken, WordFacts, WordFinder,
    WordPlace)


# --- kinds ---------------------------------------------------------------------------------------

#: Kinds of tokens by number: those of edges, and two that depend on the characters of a token.
TOKEN_KINDS = tuple([kKindNames[i].decode() for i in range(kTokenKinds)])
KINDS = TOKEN_KINDS[:kEdgeNames]
#: The kinds of words and runs of a lattice; the others are those of atoms.
EDGE_KINDS = KINDS[:kEdgeKinds]
#: Kinds from this one on are words of the user, one per layer of the dictionary.
USER_KIND = kUserWord


def kind_of(str text not None, bytes classes not None, int edge):
    """The number of a token's kind; ``classes`` has one byte per character (kinds.hpp)."""
    cdef bytes points = text.encode("utf-32-le", "surrogatepass")
    if len(classes) != len(text):
        raise ValueError("kind_of: expected one class per character")
    return c_kind_of(u32string_view(<const char32_t*><const char*>points, <size_t>len(text)),
                     <const uint8_t*><const char*>classes, edge)


# --- tokens: columns, and tuples that are made from them on request ------------------------------

#: The units of offsets, by their numbers in the kernels.
UNITS = tuple([kOffsetUnits[i].decode() for i in range(3)])
cdef object _GREATEST_OFFSET = 2**64 - 1


cdef inline int turn(size_t k) except -1:
    """Gives other threads a turn, once in TURN objects."""
    if k % TURN == TURN - 1:
        give_turn()
    return 0


cdef int take_numbers(vector[int32_t]& column, numbers, size_t n, str name) except -1:
    column.reserve(n)
    for number in numbers:
        column.push_back(number)
    if column.size() != n:
        raise ValueError(f"{name}: {column.size()} of them for {n} tokens")
    return 0


cdef list objects_of(objects, size_t n, str name):
    cdef list column = list(objects)
    if <size_t>len(column) != n:
        raise ValueError(f"{name}: {len(column)} of them for {n} tokens")
    return column


cdef object array_of(const vector[int32_t]& numbers):
    from array import array

    return array("i", column_bytes(numbers))


cdef str NO_TAG = ""


@cython.binding(True)  # with signatures, for help(segmenter.Tokens.with_tags)
cdef class TokenTable:
    """The tokens of a text as columns, and as objects on request: the base of types.Tokens.

    A class that inherits has ``token_class``, a NamedTuple of ten, and
    ``kinds_of(texts, edge_kinds, names)``, which returns the kinds of tokens.
    """

    cdef readonly str text
    cdef readonly str units
    cdef TokenColumns columns
    cdef vector[int32_t] other_starts, other_ends  # in other units than code points
    cdef vector[int32_t] places, lengths  # empty: the tokens follow each other
    cdef tuple names  # of kinds
    cdef list tag_names
    cdef tuple source_names
    # None: not made yet
    cdef list word_objects, kind_objects, tag_objects, score_objects, source_objects
    cdef dict entries  # of the user's words, by token

    def __init__(self, text, starts, ends, kinds, tags, scores, sources,
                 dict entries not None, positions, lengths, tuple names not None, words):
        cdef size_t k, n = len(ends)
        self.text, self.units, self.names = exact_str(text), "codepoints", names
        take_numbers(self.columns.starts, starts, n, "starts")
        take_numbers(self.columns.ends, ends, n, "ends")
        take_numbers(self.columns.edge_kinds, kinds, n, "kinds")
        if positions is not None:
            take_numbers(self.places, positions, n, "positions")
            take_numbers(self.lengths, lengths, n, "lengths")
        for k in range(n):
            if not 0 <= self.columns.edge_kinds[k] < len(names) - len(TOKEN_KINDS) + kEdgeNames:
                raise ValueError(
                    f"kinds: token {k} has kind {self.columns.edge_kinds[k]}, which is none")
            if not 0 <= self.columns.starts[k] <= self.columns.ends[k] <= len(text):
                raise ValueError(f"starts, ends: token {k} is {self.columns.starts[k]}-"
                                 f"{self.columns.ends[k]} in a text of {len(text)} characters")
        self.word_objects = None if words is None else objects_of(words, n, "words")
        self.tag_objects = objects_of(tags, n, "tags")
        self.score_objects = objects_of(scores, n, "scores")
        self.source_objects = objects_of(sources, n, "sources")
        self.entries = entries

    cdef str word(self, size_t k):
        turn(k)
        return new_word(TextView(self.text), self.columns.starts[k], self.columns.ends[k])

    cdef list word_list(self):
        cdef size_t k
        if self.word_objects is None:
            self.word_objects = [self.word(k) for k in range(self.columns.size())]
        return self.word_objects

    cdef str kind(self, size_t k):
        turn(k)
        return <str>self.names[self.columns.kinds[k]]

    cdef str tag(self, size_t k):
        cdef uint16_t tag = self.columns.tags[k]
        turn(k)
        return <str>self.tag_names[tag - 1] if tag else ""

    cdef object score(self, size_t k):
        cdef float score = self.columns.scores[k]
        turn(k)
        return score if score < kNoOtherWay else None

    cdef object source(self, size_t k):
        turn(k)
        return self.source_names[self.columns.sources[k]]

    cdef list kind_list(self):
        cdef size_t k
        if self.kind_objects is None:
            if self.columns.kinds.empty():
                self.kind_objects = self.kinds_of(self.word_list(), self.columns.edge_kinds,
                                              KINDS + self.own_kinds)
            else:
                self.kind_objects = [self.kind(k) for k in range(self.columns.size())]
        return self.kind_objects

    cdef list tag_list(self):
        cdef size_t k
        if self.tag_objects is None:
            self.tag_objects = [self.tag(k) for k in range(self.columns.size())]
        return self.tag_objects

    cdef list score_list(self):
        cdef size_t k
        if self.score_objects is None:
            self.score_objects = [self.score(k) for k in range(self.columns.size())]
        return self.score_objects

    cdef list source_list(self):
        cdef size_t k
        if self.source_objects is None:
            self.source_objects = [self.source(k) for k in range(self.columns.size())]
        return self.source_objects

    cdef int ready(self) except -1:
        """Makes the words and kinds, without which token() makes no tokens."""
        if self.word_objects is None:
            self.word_list()
        if self.columns.kinds.empty() and self.kind_objects is None:
            self.kind_list()
        return 0

    cdef object token(self, size_t k, object token_class, TokenMaker* maker):
        """A token, after ready(); ``maker`` may be NULL."""
        cdef PyTypeObject* cls = <PyTypeObject*>token_class
        cdef TokenFields fields
        cdef object payload = None, score
        if self.entries:
            entry = self.entries.get(k)
            if entry is not None:
                payload = entry.payload
        if self.score_objects is None:
            score = self.score(k)
        else:
            score = <object>PyList_GET_ITEM(self.score_objects, k)
        if self.columns.kinds.empty():
            fields.kind = PyList_GET_ITEM(self.kind_objects, k)
        else:
            fields.kind = PyTuple_GET_ITEM(self.names, self.columns.kinds[k])
        if self.source_objects is None:
            fields.source = PyTuple_GET_ITEM(self.source_names, self.columns.sources[k])
        else:
            fields.source = PyList_GET_ITEM(self.source_objects, k)
        if self.tag_objects is not None:
            fields.tag = PyList_GET_ITEM(self.tag_objects, k)
        elif self.columns.tags[k]:
            fields.tag = PyList_GET_ITEM(self.tag_names, self.columns.tags[k] - 1)
        else:
            fields.tag = <PyObject*>NO_TAG
        fields.text = PyList_GET_ITEM(self.word_objects, k)
        fields.score = <PyObject*>score
        fields.payload = <PyObject*>payload
        if self.other_ends.empty():
            fields.start, fields.end = self.columns.starts[k], self.columns.ends[k]
        else:
            fields.start, fields.end = self.other_starts[k], self.other_ends[k]
        fields.position = <int32_t>k if self.places.empty() else self.places[k]
        fields.length = 1 if self.lengths.empty() else self.lengths[k]
        return new_token(cls, fields) if maker == NULL else maker.make(cls, fields)

    def __len__(self):
        return <Py_ssize_t>self.columns.size()

    def __getitem__(self, index):
        cdef Py_ssize_t k, n = self.columns.size()
        token_class = self.token_class
        self.ready()
        if isinstance(index, slice):
            return [self.token(k, token_class, NULL) for k in range(*index.indices(n))]
        k = index
        if k < 0:
            k += n
        if not 0 <= k < n:
            raise IndexError(f"token {k} of {n}")
        return self.token(k, token_class, NULL)

    def __iter__(self):
        cdef TokenIterator tokens = TokenIterator.__new__(TokenIterator)
        self.ready()
        tokens.table, tokens.token_class = self, self.token_class
        return tokens

    @property
    def words(self):
        """The texts of the tokens."""
        return list(self.word_list())

    @property
    def kinds(self):
        """The kind of each token; see :attr:`segmenter.types.Token.kind`."""
        return list(self.kind_list())

    @property
    def tags(self):
        """The part-of-speech tag of each token, or ""."""
        return list(self.tag_list())

    @property
    def scores(self):
        """The score of each token, or None."""
        return list(self.score_list())

    @property
    def sources(self):
        """What decided each token."""
        return list(self.source_list())

    @property
    def starts(self):
        """Offsets in :attr:`units`, an ``array.array`` of 32-bit integers."""
        return array_of(self.columns.starts if self.other_ends.empty() else self.other_starts)

    @property
    def ends(self):
        """Exclusive ends in :attr:`units`, an ``array.array`` of 32-bit integers."""
        return array_of(self.columns.ends if self.other_ends.empty() else self.other_ends)

    @property
    def spans(self):
        """Start and exclusive end of each token in :attr:`units`."""
        cdef size_t k
        cdef vector[int32_t]* starts = &self.columns.starts
        cdef vector[int32_t]* ends = &self.columns.ends
        if not self.other_ends.empty():
            starts, ends = &self.other_starts, &self.other_ends
        return [(starts[0][k], ends[0][k]) for k in range(ends.size())]

    @property
    def positions(self):
        """The position of each token; see :attr:`segmenter.types.Token.position`."""
        return list(range(len(self))) if self.places.empty() else self.places

    @property
    def position_lengths(self):
        """The number of positions that each token spans."""
        return [1] * len(self) if self.lengths.empty() else self.lengths

    @property
    def own_kinds(self):
        """The kinds of the user's patterns, which are not in :data:`segmenter.text.kinds.KINDS`."""
        return self.names[len(TOKEN_KINDS):]

    @property
    def edge_kinds(self):
        """The kinds of the edges that made the tokens, numbers in ``KINDS`` and ``own_kinds``."""
        return self.columns.edge_kinds

    @property
    def of_user(self):
        """Whether a word of the user made one of the tokens."""
        return bool(self.entries)

    def entry(self, index):
        """Return the user dictionary's entry that made token ``index``, or None."""
        return self.entries.get(index)

    def row(self, size_t k):
        """Start and end in code points, edge kind, tag, score, source and entry of token ``k``."""
        if k >= self.columns.size():
            raise IndexError(f"token {k} of {len(self)}")
        return (self.columns.starts[k], self.columns.ends[k], self.columns.edge_kinds[k],
                self.tag_list()[k], self.score_list()[k], self.source_list()[k],
                self.entries.get(k))

    cdef TokenTable copy(self):
        cdef TokenTable other = type(self).__new__(type(self))
        other.text, other.units, other.names = self.text, self.units, self.names
        other.columns = self.columns
        other.tag_names, other.source_names = self.tag_names, self.source_names
        other.other_starts, other.other_ends = self.other_starts, self.other_ends
        other.places, other.lengths = self.places, self.lengths
        other.word_objects, other.kind_objects = self.word_objects, self.kind_objects
        other.tag_objects, other.score_objects = self.tag_objects, self.score_objects
        other.source_objects = self.source_objects
        other.entries = self.entries
        return other

    def with_tags(self, tags):
        """Return the same tokens with other tags, one per token."""
        cdef TokenTable other = self.copy()
        other.tag_objects = objects_of(tags, self.columns.size(), "tags")
        return other

    def _in_units(self, str units not None):
        """A copy with offsets in ``units``, one of UNITS."""
        cdef TokenTable other = self.copy()
        cdef vector[int32_t] offsets
        cdef size_t k, n = self.columns.size()
        cdef int unit = UNITS.index(units)
        other.units = units
        if unit == <int>OffsetUnit.kCodePoints or not n:
            other.other_starts.clear()
            other.other_ends.clear()
            return other
        unit_offsets(TextView(self.text), <OffsetUnit>unit, offsets)
        other.other_starts.resize(n)
        other.other_ends.resize(n)
        for k in range(n):
            other.other_starts[k] = offsets[self.columns.starts[k]]
            other.other_ends[k] = offsets[self.columns.ends[k]]
        return other

    def __reduce__(self):
        arguments = (
            self.text, self.columns.starts, self.columns.ends, self.columns.edge_kinds,
            self.tag_list(), self.score_list(), self.source_list(), self.entries,
            None if self.places.empty() else self.positions,
            None if self.lengths.empty() else self.position_lengths,
            self.own_kinds, self.word_objects,
        )
        return restored_tokens, (type(self), arguments, self.units)


def restored_tokens(token_table, arguments, str units):
    """Tokens from a pickle; ``token_table``: their class."""
    cdef TokenTable table = token_table(*arguments)
    return table if units == "codepoints" else table._in_units(units)


cdef class TokenIterator:
    """Makes the tokens of a table one by one."""

    cdef TokenTable table
    cdef object token_class
    cdef TokenMaker maker
    cdef size_t next

    def __iter__(self):
        return self

    def __next__(self):
        if self.next >= self.table.columns.size():
            raise StopIteration
        self.next += 1
        return self.table.token(self.next - 1, self.token_class, &self.maker)

    def __length_hint__(self):
        return self.table.columns.size() - self.next


cdef class TokenReader:
    """Reads the tokens of texts from an engine.

    ``kind``: the class of the tables that it returns, a TokenTable.  ``patterns``: the names of the
    user's patterns.  ``tags``: names of the lexicon's tags.  ``tag_numbers``: of a lattice, whose
    scores are log probabilities: the tag's number for each word; None: a tagger, whose scores are
    margins.  ``known_tags``, ``look_up``: of a tagger with a lexicon: a dict from words to the
    numbers of their tags plus one, 0: none, and a function for words that it lacks; None: words
    have no tags.  ``sources``: one per kind, the last but one for all further kinds, and the last,
    if ``guessed``, for unknown words of several characters.  ``entry``: returns the user's entry
    of a layer and a number.
    """

    cdef Engine engine
    cdef object table_class, look_up, entry
    cdef tuple names, source_names
    cdef list tags
    cdef dict known_tags
    cdef WordFacts facts
    cdef TokenSources sources
    cdef Buffer[uint16_t] costs
    cdef Buffer[uint8_t] tag_numbers

    def __init__(self, Engine engine not None, kind not None, tuple patterns not None,
                 list tags not None, tag_numbers, dict known_tags not None, look_up,
                 tuple sources not None, bint guessed, entry):
        self.engine, self.table_class, self.names = engine, kind, TOKEN_KINDS + patterns
        self.tags, self.source_names, self.entry = tags, sources, entry
        self.known_tags, self.look_up = known_tags, look_up
        self.facts.reserve(engine.cache.size())
        if engine.plan.tagger == NULL:
            self.costs.take(engine.lexicon.word_costs(), b"costs")
            self.tag_numbers.take(tag_numbers, b"tags")
            self.sources.costs, self.sources.tags = self.costs.data, self.tag_numbers.data
            self.sources.lexicon = &engine.lexicon.lex
            self.sources.by_slot = engine.matcher is not None
        self.sources.characters = engine.plan.lex
        if look_up is not None:
            self.sources.known_tags = <PyObject*>known_tags
            self.sources.look_up = <PyObject*>look_up
        self.sources.last_source = len(sources) - 2
        self.sources.unknown = len(sources) - 1 if guessed else 0

    def tokens(self, text):
        """The words of ``text`` as Tokens; see :meth:`segmenter.Segmenter.tokenize`."""
        text = exact_str(text)
        cdef Lease[Worker] lease
        return self.table(text, self.decide(lease.take(self.engine.workers[0]), text))

    def token_at(self, text, offset, str units not None, int place):
        """The word at an offset of ``text`` (``place`` 0), after it (1) or before it (2), or None;
        see places.hpp."""
        text = exact_str(text)
        cdef Lease[Worker] lease
        cdef Worker* worker = lease.take(self.engine.workers[0])
        cdef const Plan* plan = &self.engine.plan
        cdef const Decision* decision
        cdef WordFinder finder
        cdef string fault = finder.start(
            plan[0], TextView(text), False, min(offset, _GREATEST_OFFSET),
            <OffsetUnit><int>UNITS.index(units), <WordPlace>place)
        if not fault.empty():
            from segmenter.errors import ArgumentError
            raise ArgumentError(decoded(fault))
        while finder.next(worker[0], plan[0]):
            part = text[<Py_ssize_t>finder.first:<Py_ssize_t>finder.last]
            decision = self.decide(worker, part)
            if finder.find(decision[0]):
                return self.table(part, decision)[finder.row]._replace(
                    start=finder.start_offset, end=finder.end_offset, position=0)
        return None

    cdef const Decision* decide(self, Worker* worker, str text) except NULL:
        cdef Request request
        request.want = Want.kKinds
        request.margins = self.engine.plan.tagger != NULL
        return self.engine.run(worker, text, request)

    cdef TokenTable table(self, str text, const Decision* decision):
        cdef vector[UserToken] user_tokens
        cdef UserToken token
        cdef TokenTable table = self.table_class.__new__(self.table_class)
        cdef Engine engine = self.engine
        cdef TextView view = TextView(text)
        table.text, table.units, table.names = text, "codepoints", self.names
        table.tag_names, table.source_names = self.tags, self.source_names
        table.word_objects = words_list(view, decision.tokens.data(), decision.tokens.size(),
                                        decision.dropped, engine.cache[0])
        table.entries = {}
        read_tokens(view, decision[0], engine.cache[0], self.facts, self.sources,
                    table.word_objects, table.columns, user_tokens)
        if not user_tokens.empty():
            table.tag_list()
            for token in user_tokens:
                table.entries[token.row] = entry = self.entry(token.layer, token.number)
                table.tag_objects[token.row] = "" if entry.parts else entry.tag
        return table


def anew_reach(Engine engine not None):
    """How many characters on either side decide whether a place is one of ``anew_places``; 0: there
    are no such places."""
    return c_anew_reach(engine.plan)


def anew_places(Engine engine not None, text):
    """The places in a part of a text where the engine starts anew, whatever surrounds the part."""
    text = exact_str(text)
    cdef Lease[Worker] lease
    cdef vector[uint32_t] places
    c_anew_places(lease.take(engine.workers[0])[0], engine.plan, TextView(text), places)
    return places


def words_at(list words not None, Py_ssize_t start=0):
    """``[(word, start, end), …]`` of words that follow each other."""
    return c_words_at(words, start)


def flagged_words(list tagged not None, type cls not None, dict flags not None):
    """Objects of ``cls``, which has the slots ``word`` and ``flag``, from pairs (word, tag);
    ``flags``: for tags with another name, that name, or a dict from words to names."""
    return c_flagged_words(tagged, <PyTypeObject*>cls, flags)


def words_replaced(list words not None, Py_ssize_t least, dict known not None, missing):
    """The words; those longer than ``least`` are replaced by the tuple ``known[word]``, or
    ``missing(word)`` if the dict lacks the word."""
    return c_words_replaced(words, least, known, missing)


# --- other results: margins, atoms, the word DAG, scores of tags, the n best cuts ----------------

def margins_of(Engine engine not None, text):
    """Starts, ends and margins of the words, as lists.

    A margin is None where runs or words of the user leave no alternative; a lattice has none.
    """
    text = exact_str(text)
    cdef Lease[Worker] lease
    cdef Request request
    cdef list starts = [], ends = [], margins = []
    cdef uint32_t start = 0
    cdef size_t i
    cdef Token token
    request.want = Want.kKinds
    request.margins = engine.plan.tagger != NULL
    cdef const Decision* decision = engine.run(lease.take(engine.workers[0]), text, request)
    for i in range(decision.tokens.size()):
        if i % TURN == TURN - 1:
            give_turn()
        token = decision.tokens[i]
        if not token.label & kDropped:
            starts.append(start)
            ends.append(token.end)
            if request.margins:
                margins.append(decision.margins[i] if decision.margins[i] < kNoOtherWay else None)
        start = token.end
    return starts, ends, margins


def atoms_of(Engine engine not None, text):
    """The atoms that take effect in ``text``: [(start, end, rule, 1 kept or 2 split), …].

    Rules are indices into ``segmenter.atoms.NAMES``.
    """
    text = exact_str(text)
    cdef Lease[Worker] lease
    cdef AtomFound atom
    cdef vector[AtomFound]* atoms
    atoms = &found_atoms(lease.take(engine.workers[0])[0], engine.plan, TextView(text))
    return [(atom.start, atom.end, atom.name, atom.how) for atom in atoms[0]]


def dag(Engine engine not None, text, bint decided=False):
    """The word DAG: columns start, end, cost, token, kind as bytes of uint32.

    Kinds from ``USER_KIND`` on are the user's words; their token is the entry's number.
    ``decided``: leaves out the edges that the user's words and atoms rule out, and sets the cost of
    their own edges to zero.
    """
    text = exact_str(text)
    cdef Lease[Worker] lease
    cdef Worker* worker = lease.take(engine.workers[0])
    cdef TextView view = TextView(text)
    cdef Request request
    cdef vector[uint32_t] columns[5]
    cdef Edge edge
    cdef size_t i, k
    cdef vector[Edge] edges
    cdef LongCall call
    call.begin(signal_raised)
    with nogil:
        whole_dag(worker[0], engine.plan, view, request, decided, edges)
    for i in range(5):
        columns[i].resize(edges.size())
    for k in range(edges.size()):
        if k % TURN == TURN - 1:
            give_turn()
        edge = edges[k]
        columns[0][k] = edge.start
        columns[1][k] = edge.end
        columns[2][k] = edge.cost
        columns[3][k] = (token_slot(edge.label) if token_kind(edge.label) >= kUserWord
                         else edge.token_id)
        columns[4][k] = token_kind(edge.label)
    return tuple([column_bytes(columns[i]) for i in range(5)])


def tag_scores(Engine engine not None, text):
    """Scores of the tags at every character, of the first tag and of transitions.

    Returns:
        ``(scale, start, trans, scores)``; the last three as bytes of int32: 4, 4 * 4 (from, to)
        and 4 * ``len(text)`` of them, in units of 1/scale.
    """
    text = exact_str(text)
    if engine.plan.tagger == NULL:
        raise ValueError("tag_scores: this decoder is a lattice; only taggers score tags")
    cdef Lease[Worker] lease
    cdef Worker* worker = lease.take(engine.workers[0])
    cdef TextView view = TextView(text)
    cdef Request request
    cdef const TaggerModel* tagger = engine.plan.tagger
    cdef vector[int32_t] scores
    cdef LongCall call
    call.begin(signal_raised)
    with nogil:
        scores_of_tags(worker[0], engine.plan, view, request, scores)
    return (tagger.scale, (<const char*>tagger.start)[:sizeof(tagger.start)],
            (<const char*>tagger.trans)[:sizeof(tagger.trans)], column_bytes(scores))


def nbest(Engine engine not None, text, uint32_t n):
    """The n best cuts, each (starts, ends, score); see :meth:`segmenter.Segmenter.nbest`."""
    text = exact_str(text)
    cdef Lease[Worker] lease
    cdef Worker* worker = lease.take(engine.workers[0])
    cdef TextView view = TextView(text)
    cdef Request request
    cdef vector[BestCut] cuts
    cdef size_t i
    cdef LongCall call
    cdef double unit = cost_unit(engine.plan)
    call.begin(signal_raised)
    with nogil:
        best_cuts(worker[0], engine.plan, view, request, n, cuts)
    rows = []
    for i in range(cuts.size()):
        give_turn()
        rows.append((cuts[i].starts, cuts[i].ends, -cuts[i].cost / unit))
    return rows


# --- search: units of a text, words, and the words inside them -----------------------------------

REMEMBERED_WORDS = kRememberedWords
REMEMBERED_CHARACTERS = kRememberedCharacters
cdef SearchRules _RULES
#: The defaults of the options of an index (search/inner.hpp).
SEARCH_DEFAULTS = {"min_length": _RULES.min_length, "ngrams": _RULES.ngrams,
                   "single": _RULES.single, "runs": "split" if _RULES.split else "whole"}


cdef const uint8_t* classes_of(bytes classes, str text) except NULL:
    if len(classes) != len(text):
        raise ValueError("classes: expected one byte per character")
    return <const uint8_t*><const char*>classes


def units(text, bytes classes not None, bint split):
    """Start, end and kind of each unit of a text; ``classes``: of its characters; see
    search/units.hpp."""
    text = exact_str(text)
    cdef TextView view = TextView(text)
    cdef UnitReader[TextView]* reader = new UnitReader[TextView](
        view, classes_of(classes, text), view.n, split)
    cdef size_t start = 0, end
    rows = []
    try:
        while start < view.n:
            end = reader.end(start)
            rows.append((start, end, reader.kind(start, end)))
            start = end
    finally:
        del reader
    return rows


def term_units(str text not None, ends, bytes left_out not None, uint32_t rules, str readings,
               type make not None):
    """The words of a text that have units, as (start, end, whether it is punctuation, its units);
    see search/terms.hpp.

    ``ends``: of the words that tile the text, int32.  ``left_out``: a byte for each word, 0 unless
    it is left out; empty: none is.  ``readings``: the text as the lexicon reads it; None: as it is
    written.  ``make``: the type of units, named tuples of folded text, start, end, position, mark
    and the second reading, "" where there is none.
    """
    cdef Buffer[int32_t] end_column
    cdef vector[uint32_t] marked_ends, reading_column, characters
    cdef Units units
    cdef Unit unit
    cdef UnitsOfWord word
    cdef size_t k, i
    cdef list rows = [], row
    end_column.take(ends, b"ends")
    for k in range(<size_t>end_column.n):
        marked_ends.push_back(
            <uint32_t>end_column[k] | (kLeftOut if left_out and left_out[k] else 0))
    if readings is not None:
        if len(readings) != len(text):
            raise ValueError("readings: expected one character for each of the text")
        for k in range(<size_t>len(readings)):
            reading_column.push_back(<uint32_t>ord(readings[k]))
    units.read(TextView(text), rules, marked_ends.data(), marked_ends.size(),
               reading_column.data() if reading_column.size() else NULL)
    for word in units.words:
        row = []
        for k in range(word.first, word.last):
            unit = units.units[k]
            characters.clear()
            for i in range(unit.start, unit.end):
                characters.push_back(units.folded(i))
            row.append(tuple.__new__(make, (
                PyUnicode_FromKindAndData(4, characters.data(), <Py_ssize_t>characters.size()),
                unit.start, unit.end, unit.position,
                "-><."[2 * unit.begins_word + unit.ends_word],
                chr(unit.other) if unit.other else "")))
        rows.append((word.start, word.end, word.signs, row))
        give_turn()
    return rows


cdef class _OuterWord:
    """A word whose inner words are sought, and the engine with its lattice; None: of units."""

    cdef Engine engine
    cdef str word
    cdef const uint8_t* classes


cdef int inner_edges(void* context, uint32_t start, uint32_t end, vector[Edge]& edges) except -1:
    cdef _OuterWord outer = <_OuterWord>context
    cdef TextView view = TextView(outer.word)
    cdef Lease[Worker] lease
    cdef Request request
    give_turn()
    if outer.engine is None:
        unit_edges(view.part(start, end), outer.classes + start, edges)
    else:
        edges_of_word(lease.take(outer.engine.workers[0])[0], outer.engine.plan,
                      view.part(start, end), request, edges)
    return 0


def inner_words(Engine engine, str word not None, bytes classes not None, uint32_t min_length,
                bint single, uint32_t ngrams, bint split, bint whole):
    """The words inside a word; see search/inner.hpp.

    Returns:
        How many positions the word spans; and for each word inside it start, end, position, length,
        kind, number (of a word of the lexicon) and whether the lattice lacks it.
    """
    cdef InnerWords inner
    cdef InnerWord w
    cdef SearchRules rules
    cdef _OuterWord outer = _OuterWord()
    rules.min_length = min_length
    rules.ngrams = ngrams
    rules.single = single
    rules.split = split
    rules.whole = whole
    outer.engine, outer.word, outer.classes = engine, word, classes_of(classes, word)
    inner.find(TextView(word), outer.classes, rules, inner_edges, <void*>outer)
    return inner.positions, [
        (w.start, w.end, w.position, w.length, token_kind(w.label), w.token_id, w.added)
        for w in inner.words]


def best_path(uint32_t n, edges, uint32_t min_length):
    """(start, end) of the edges on the best path through the lattice of a word, other than the word
    itself; for tests.  ``edges``: (start, end, cost, kind), by start and end."""
    cdef InnerWords inner
    cdef vector[Edge] lattice
    cdef Edge edge
    for edge.start, edge.end, edge.cost, kind in edges:
        edge.label = kind_bits(kind)
        lattice.push_back(edge)
    inner.best_path(n, lattice, min_length)
    cdef const vector[Edge]* path = &inner.path()
    cdef size_t k
    return [(path[0][k].start, path[0][k].end) for k in range(path.size())]


def nested(list rows not None, TokenTable words not None, list modes, dict entries not None):
    """A table of the words of a text, each followed by the words inside it.

    ``rows`` has one tuple per word: how many positions it spans, and columns of the words inside it
    (starts, ends, positions, lengths, kinds, tags, scores, sources; the first three relative to the
    word).  ``modes`` has a number per word, 0: neither the word nor the words inside it become
    tokens; 1: all do; 2: only those inside.  None: all 1.  ``entries``: of the user's words, by
    token.
    """
    cdef Py_ssize_t k, i, inner, since_turn = 0, n = len(rows)
    cdef int32_t start, position = 0
    cdef tuple row
    cdef int mode = 1
    cdef TokenTable table = type(words).__new__(type(words))
    cdef list tags = [], scores = [], sources = []
    if <size_t>n != words.columns.size():
        raise ValueError("rows: expected one per word")
    cdef list word_tags = words.tag_list(), word_scores = words.score_list()
    cdef list word_sources = words.source_list()
    table.text, table.units, table.names = words.text, "codepoints", words.names
    for k in range(n):
        row = <tuple>rows[k]
        if modes is not None:
            mode = modes[k]
        start = words.columns.starts[k]
        if mode == 1:
            table.columns.starts.push_back(start)
            table.columns.ends.push_back(words.columns.ends[k])
            table.columns.edge_kinds.push_back(words.columns.edge_kinds[k])
            table.places.push_back(position)
            table.lengths.push_back(row[0])
            tags.append(word_tags[k])
            scores.append(word_scores[k])
            sources.append(word_sources[k])
        inner = len(<tuple>row[1]) if mode else 0
        since_turn += 1 + inner
        if since_turn >= TURN:
            since_turn = 0
            give_turn()
        if inner:
            for i in range(inner):
                table.columns.starts.push_back(start + <int32_t>(<tuple>row[1])[i])
                table.columns.ends.push_back(start + <int32_t>(<tuple>row[2])[i])
                table.places.push_back(position + <int32_t>(<tuple>row[3])[i])
                table.lengths.push_back((<tuple>row[4])[i])
                table.columns.edge_kinds.push_back((<tuple>row[5])[i])
            tags.extend(<tuple>row[6])
            scores.extend(<tuple>row[7])
            sources.extend(<tuple>row[8])
        position += <int32_t>row[0]
    table.tag_objects, table.score_objects, table.source_objects = tags, scores, sources
    table.entries = entries
    return table
