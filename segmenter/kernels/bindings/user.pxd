# Words of the user.

from libc.stdint cimport uint32_t, uint64_t, uint8_t
from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.vector cimport vector
from segmenter.kernels.bindings.decision cimport Json, Sections
from segmenter.kernels.bindings.python cimport PyBytes_AS_STRING, Text


cdef extern from "<string_view>" namespace "std":
    cdef cppclass string_view:
        string_view()
        string_view(const char* data, size_t n)
        const char* data() noexcept
        size_t size() noexcept


cdef extern from "user/tables.hpp" namespace "segmenter":
    cdef struct FoldTable:
        pass
    cdef cppclass UserField:
        cbool there
    cdef cppclass CUserLayer "segmenter::UserLayer":
        uint32_t n
        int width
        const void* text
        const uint32_t* offsets
        const uint32_t* dead
        size_t n_dead
        UserField field[4]
        uint32_t find(uint32_t f, const FoldTable& fold, const Text& text) noexcept nogil
        void identity(uint32_t id, uint64_t* hashes) noexcept nogil
    cdef cppclass CUserDictionary "segmenter::UserDictionary":
        vector[CUserLayer] layers
        FoldTable fold[4]
    cbool is_valid "segmenter::valid"(const CUserLayer& layer) noexcept nogil
    void index_user(const FoldTable* folds, CUserLayer& layer) except + nogil


cdef extern from "characters.hpp" namespace "segmenter":
    const FoldTable* fold_tables() except +


cdef extern from "open/metadata.hpp" namespace "segmenter":
    cdef cppclass UserMeta:
        size_t entries
        int width
        cbool line_ends
        vector[string] tags
        vector[string] sources
        vector[string] identity
    UserMeta read_user(const Json& meta, size_t rows) except +


cdef extern from "opening.hpp" namespace "segmenter":
    const char* kUserTables[4]
    void open_user(const Sections& sections, int width, cbool line_ends,
                   CUserLayer& layer) except +
    void attach_user(const Sections& sections, CUserLayer& layer) except +


cdef extern from "bindings/user.hpp" namespace "segmenter":
    void put_tables(const FoldTable* folds, CUserLayer& layer, dict sections) except +
    void put_sections(const UserColumns& columns, dict sections) except +


cdef extern from "user/columns.hpp" namespace "segmenter":
    const char* kUserLevels[4]
    cdef cppclass UserColumns:
        vector[string] tag_names
        vector[string] source_names
        int width
        size_t live
        cbool line_ends
    cdef struct UserMore:
        double weight
        string_view tag
        string_view payload
        const uint32_t* cuts
        size_t n_cuts
        string_view source
        uint32_t line
    cdef cppclass CUserBuilder "segmenter::UserBuilder":
        CUserBuilder() except +
        size_t size() noexcept
        void add(const uint32_t* word, size_t n, uint8_t flags, const UserMore& more) except +
        UserColumns columns() except +


cdef extern from "user/reader.hpp" namespace "segmenter":
    cdef struct LineFault:
        size_t line
        const char* kind
        string reason
        string_view raw
    cdef enum TextFormat "segmenter::UserReader::Format":
        pass
    cdef cppclass CUserReader "segmenter::UserReader":
        CUserReader(CUserBuilder& builder) except +
        TextFormat format
        int level
        uint8_t marks
        cbool strict
        string source
        size_t rows
        size_t lines
        size_t crlf
        cbool mark
        vector[LineFault] faults
        void read(string_view data) except +
    cdef cppclass CJiebaRow "segmenter::JiebaRow":
        string_view word
        string_view weight
        string_view tag
        CJiebaRow(string_view line) except +
        cbool unambiguous() noexcept
    cdef cppclass Lines:
        size_t number
        string_view text
        size_t crlf
        cbool mark
        Lines(string_view data) except +
        cbool next(vector[LineFault]& faults) except +
    cbool c_read_count "segmenter::read_count"(string_view text, double& value) except +


cdef inline string_view bytes_view(bytes data):
    return string_view(PyBytes_AS_STRING(data), <size_t>len(data))
