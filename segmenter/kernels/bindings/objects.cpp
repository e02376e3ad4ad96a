// Lists of str and NumPy columns from decided words.
#include "bindings/objects.hpp"

#define NPY_NO_DEPRECATED_API NPY_1_23_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL segmenter_ARRAY_API
#include <numpy/arrayobject.h>

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
  size_t where[kGroup];
  PyObject** const shared = cache.data();
  uint32_t start = 0;
  Py_ssize_t at = 0;
  for (size_t first = 0; first < n; first += kGroup) {
    if (first % (kGroup << 12) == 0 && first && PyErr_CheckSignals() < 0) return false;
    const Token* group = tokens + first;
    size_t size = n - first < kGroup ? n - first : kGroup;
    uint32_t from = start;
    for (size_t i = 0; i < size; ++i) {
      where[i] = cache.place(chars, start, group[i]);
      __builtin_prefetch(shared + where[i]);
      start = group[i].end;
    }
    for (size_t i = 0; i < size; ++i) __builtin_prefetch(shared[where[i]], 1);
    for (size_t i = 0; i < size; ++i) {
      uint32_t end = group[i].end;
      if (__builtin_expect(!(group[i].what & kDropped), 1)) {
        PyObject* word = shared[where[i]];
        if (__builtin_expect(word != nullptr, 1)) {
          Py_INCREF(word);
        } else {
          word = new_word(text, from, end);
          if (!word) return false;
          if (where[i]) {
            Py_INCREF(word);
            shared[where[i]] = word;
          }
        }
        PyList_SET_ITEM(list, at++, word);
      }
      from = end;
    }
  }
  return true;
}

// NumPy is imported by the first call that needs it, not by `import segmenter`.
bool have_numpy() {
  static bool ready = false;
  if (!ready) ready = _import_array() >= 0;
  return ready;
}

// An int32 array of n unset values; NULL with an exception set.
PyObject* new_ends(size_t n) {
  if (!have_numpy()) return nullptr;
  npy_intp size = npy_intp(n);
  return PyArray_SimpleNew(1, &size, NPY_INT32);
}
int32_t* ends_data(PyObject* array) {
  return static_cast<int32_t*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)));
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
