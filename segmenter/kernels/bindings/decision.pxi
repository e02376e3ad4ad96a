# Requests and results of calls; lists of words; sections of files.

from segmenter.kernels.bindings.decision cimport (
    c_kind_of, char32_t, Interrupt, kEdgeKinds, kEdgeNames, kKindNames, kTokenKinds, kUserWord, u32string_view)
from segmenter.kernels.bindings.python cimport PyUnicode_DecodeUTF8, turns_given


cdef str decoded(const string& utf8, const char* errors=b"surrogatepass"):
    """A std::string as str; Cython's own conversion copies it first, which may throw."""
    return PyUnicode_DecodeUTF8(utf8.data(), <Py_ssize_t>utf8.size(), errors)


def looked():
    """How many characters were covered by checks for signals in this thread's last native call,
    counting a text once per pass with such checks; for tests."""
    return Interrupt.of_last_call()


def turns():
    """How often this thread's calls have given other threads a turn while they made objects; for
    tests."""
    return turns_given()


#: Kinds of tokens by number: those of edges, and two that only characters tell.
TOKEN_KINDS = tuple([kKindNames[i].decode() for i in range(kTokenKinds)])
KINDS = TOKEN_KINDS[:kEdgeNames]
#: Those of the words and runs of a lattice; the others are atoms.
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
