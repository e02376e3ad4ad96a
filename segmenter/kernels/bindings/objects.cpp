// Lists of str and NumPy columns from decided words.
#include "bindings/objects.hpp"

namespace segmenter {

namespace {

// Fills `list` with the words that are not dropped; false with an exception set.
//
// The shared word's entry and its reference count usually lie outside the L2 cache. So each group
// of words is visited three times: prefetch the entries, prefetch the counts, count.
template <class Char>
bool fill_words(PyObject* list, const Text& text, const Char* chars, const Token* tokens, size_t n,
                WordCache& cache) {
  constexpr size_t kGroup = 64;
  static_assert(kTurn % kGroup == 0, "a turn comes between two groups");
  size_t where[kGroup];
  PyObject** const shared = cache.data();
  PyObject** to = PySequence_Fast_ITEMS(list);
  uint32_t start = 0;
  for (size_t first = 0; first < n; first += kGroup) {
    if (first % kTurn == 0 && first && give_turn() < 0) return false;
    const Token* group = tokens + first;
    size_t size = n - first < kGroup ? n - first : kGroup;
    for (size_t i = 0; i < size; ++i) {
      where[i] = cache.place(chars, start, group[i]);
      __builtin_prefetch(shared + where[i]);
      start = group[i].end;
    }
    for (size_t i = 0; i < size; ++i) __builtin_prefetch(shared[where[i]], 1);
    for (size_t i = 0; i < size; ++i) {
      if (__builtin_expect(group[i].what & kDropped, 0)) continue;
      PyObject* word = shared[where[i]];
      if (__builtin_expect(word != nullptr, 1)) {
        Py_INCREF(word);
      } else {
        word = new_word(text, first + i ? group[i - 1].end : 0, group[i].end);
        if (!word) return false;
        if (where[i]) {
          Py_INCREF(word);
          shared[where[i]] = word;
        }
      }
      *to++ = word;
    }
  }
  return true;
}

// What is needed of NumPy's binary interface, by hand: with NumPy's headers, every installation would
// fetch and unpack NumPy a second time to be built. The numbers are the headers' and the same in
// NumPy 1 and 2.
enum : int { kVersion = 0, kArrayType = 2, kNewArray = 93 };  // places in its table
constexpr int kInt32 = sizeof(long) == 4 ? 7 : 5;             // long, int
struct ArrayHead {
  PyObject_HEAD void* data;
};

// The table; NULL with an exception set. NumPy is imported by the first call that needs it, not by
// `import segmenter`.
void** numpy_table() {
  static void** table = nullptr;
  if (table) return table;
  PyObject* module = PyImport_ImportModule("numpy._core._multiarray_umath");
  if (!module && PyErr_ExceptionMatches(PyExc_ModuleNotFoundError)) {
    PyErr_Clear();
    module = PyImport_ImportModule("numpy.core._multiarray_umath");  // before 2.0
  }
  if (!module) return nullptr;
  PyObject* capsule = PyObject_GetAttrString(module, "_ARRAY_API");
  Py_DECREF(module);
  if (!capsule) return nullptr;
  auto found = static_cast<void**>(PyCapsule_GetPointer(capsule, nullptr));
  Py_DECREF(capsule);
  if (!found) return nullptr;
  const unsigned major = reinterpret_cast<unsigned (*)()>(found[kVersion])() >> 24;
  if (major == 1 || major == 2) return table = found;
  PyErr_SetString(PyExc_ImportError, "this segmenter-zh works with NumPy 1 and 2");
  return nullptr;
}

// An int32 array of n unset values; NULL with an exception set.
PyObject* new_ends(size_t n) {
  using New = PyObject* (*)(PyTypeObject*, int, const Py_intptr_t*, int, const Py_intptr_t*, void*,
                            int, int, PyObject*);
  void** const table = numpy_table();
  if (!table) return nullptr;
  const Py_intptr_t size = Py_intptr_t(n);
  return reinterpret_cast<New>(table[kNewArray])(static_cast<PyTypeObject*>(table[kArrayType]), 1,
                                                 &size, kInt32, nullptr, nullptr, 0, 0, nullptr);
}
int32_t* ends_data(PyObject* array) {
  return static_cast<int32_t*>(reinterpret_cast<ArrayHead*>(array)->data);
}

}  // namespace

PyObject* words_list(const Text& text, const Token* tokens, size_t n, size_t dropped,
                     WordCache& cache) {
  PyObject* list = PyList_New(Py_ssize_t(n - dropped));
  if (!list) return nullptr;
  if (text.cells([&](auto* chars) { return fill_words(list, text, chars, tokens, n, cache); }))
    return list;
  Py_DECREF(list);
  return nullptr;
}

PyObject* ends_array(const Ends& column) {
  PyObject* array = new_ends(column.n);
  if (array) std::memcpy(ends_data(array), column.first, column.n * sizeof(int32_t));
  return array;
}

PyObject* ends_array(const Token* tokens, size_t n, size_t dropped) {
  PyObject* array = new_ends(n - dropped);
  if (!array) return nullptr;
  int32_t* out = ends_data(array);
  if (!dropped) {
    for (size_t i = 0; i < n; ++i) out[i] = int32_t(tokens[i].end);
  } else {
    for (size_t i = 0; i < n; ++i)
      if (!(tokens[i].what & kDropped)) *out++ = int32_t(tokens[i].end);
  }
  return array;
}

}  // namespace segmenter
