# Opening; plans and workers.

from libc.stdint cimport uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport shared_ptr
from libcpp.string cimport string
from libcpp.utility cimport pair
from libcpp.vector cimport vector
from segmenter.kernels.bindings.atoms cimport AtomSettings, PatternAutomaton
from segmenter.kernels.bindings.dag cimport CNgramModel
from segmenter.kernels.bindings.decision cimport Decision, Request, WordMatcher
from segmenter.kernels.bindings.lexicon cimport CLexicon, MarkedMaps
from segmenter.kernels.bindings.python cimport Text
from segmenter.kernels.bindings.tagger cimport TaggerModel
from segmenter.kernels.bindings.unknown cimport UnknownCutter
from segmenter.kernels.bindings.user cimport CUserDictionary


cdef extern from "request.hpp" namespace "segmenter":
    cdef struct Plan:
        const CLexicon* lex
        const TaggerModel* tagger
        const WordMatcher* matcher


cdef extern from "worker.hpp" namespace "segmenter":
    cdef cppclass Worker:
        const Decision* run(const Plan& plan, const Text& text,
                            const Request& request) except + nogil
        uint64_t steps() noexcept nogil


cdef extern from "<optional>" namespace "std":
    cdef cppclass optional[T]:
        T& emplace(const T& value) except +  # an assignment throws where Cython catches nothing


cdef extern from "open/open.hpp" namespace "segmenter":
    cdef cppclass Description:
        optional[string] name
        optional[string] standard
        optional[string] decoder
        optional[string] oov
        optional[string] matcher
        optional[vector[string]] skip
        cbool own_models
        cbool own_matcher
        cbool all_atoms
        vector[pair[string, string]] atoms
        const PatternAutomaton* patterns
        string patterns_digest
        const CUserDictionary* user
        string user_digest
    cdef enum FileKind "segmenter::FileRequest::Kind":
        kLexicon "segmenter::FileRequest::kLexicon"
        kSubwords "segmenter::FileRequest::kSubwords"
    cdef cppclass FileRequest:
        FileKind kind
        string file
        string standard
        cbool ngrams
        cbool bounds
        cbool mass
        cbool described
    cdef cppclass OpenedFile:
        string name
        string digest
        const CLexicon* lex
        const CNgramModel* ngrams
        double mass
        cbool outside
        MarkedMaps* marks
        const TaggerModel* tagger
        string decoder
        string standard
        vector[pair[string, string]] atoms
        const UnknownCutter* subwords
    cdef cppclass COpened "segmenter::Opened":
        string standard
        string decoder
        string oov
        string matcher
        string lexicon_file
        string models
        string fingerprint
        uint32_t skip
        AtomSettings settings
        AtomSettings usual
        Plan plan
    cbool c_cuts_runs "segmenter::cuts_runs"(const COpened& opened) except +
    cdef cppclass Answer:
        shared_ptr[const COpened] opened
        int code
        string sentence


cdef extern from "bindings/shelf.hpp" namespace "segmenter":
    Answer c_open "segmenter::open"(
        const Description& options, void* context,
        int (*kind)(void* context, const string& file, string& kind) noexcept,
        int (*open_file)(void* context, const FileRequest& request, OpenedFile& file) noexcept) except +
    shared_ptr[const COpened] tagger_alone(const TaggerModel& tagger) except +
