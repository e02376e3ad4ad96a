// Lists of ids.
#include "subword/bindings/int_list.hpp"

#include <memory>

namespace segmenter {

// As in fill_words(), the shared objects are scattered in memory: for each group, prefetch the
// entries, then the objects, then count.
PyObject* int_list(const uint32_t* values, size_t stride, size_t n, IntCache& cache) {
  constexpr size_t kGroup = 64;
  PyObject* list = PyList_New(Py_ssize_t(n));
  if (!list) return nullptr;
  for (size_t first = 0; first < n; first += kGroup) {
    const size_t end = n - first < kGroup ? n : first + kGroup;
    for (size_t i = first; i < end; ++i) cache.fetch_place(values[i * stride]);
    for (size_t i = first; i < end; ++i) cache.fetch(values[i * stride]);
    for (size_t i = first; i < end; ++i) {
      PyObject* number = cache.get(values[i * stride]);
      if (!number) {
        Py_DECREF(list);
        return nullptr;
      }
      PyList_SET_ITEM(list, Py_ssize_t(i), number);
    }
  }
  return list;
}

namespace {

struct Owned {
  PyObject* object;
  ~Owned() { Py_XDECREF(object); }
};

// Adds the bytes of an id; false with an exception set.
bool learn(uint32_t id, PieceBytes& pieces, PyObject* bytes_of) {
  const Owned bytes{PyObject_CallFunction(bytes_of, "I", id)};
  char* data;
  Py_ssize_t n;
  if (!bytes.object || PyBytes_AsStringAndSize(bytes.object, &data, &n) < 0) return false;
  pieces.set(id, data, size_t(n));
  return true;
}

}  // namespace

PyObject* text_of_ids(PyObject* list, PieceBytes& pieces, PyObject* bytes_of) {
  constexpr long kMostIds = 1 << 22;
  std::vector<uint32_t> ids;
  ids.reserve(size_t(PyList_GET_SIZE(list)));
  size_t size = 0;
  // the size is read each time: learn() runs Python, which may change the list
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    PyObject* const item = PyList_GET_ITEM(list, i);
    int overflow;
    const long number =
        PyLong_CheckExact(item) ? PyLong_AsLongAndOverflow(item, &overflow) : long(-1);
    if (number < 0 || number >= kMostIds) Py_RETURN_NONE;
    const uint32_t id = uint32_t(number);
    if (!pieces.contains(id) && !learn(id, pieces, bytes_of)) return nullptr;
    size += pieces.size(id);
    ids.push_back(id);
  }
  const std::unique_ptr<char[]> bytes(new char[size + PieceBytes::kStep]);
  pieces.join(ids, bytes.get());
  PyObject* text = PyUnicode_DecodeUTF8(bytes.get(), Py_ssize_t(size), "surrogatepass");
  if (text || !PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) return text;
  PyErr_Clear();
  Py_RETURN_NONE;
}

}  // namespace segmenter
