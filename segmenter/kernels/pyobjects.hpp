// The CPython side of the face: lists of str and NumPy columns out of decided words.
// The only header that knows Python objects.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_23_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL segmenter_ARRAY_API
#include <numpy/arrayobject.h>

#include <cstdlib>
#include <vector>

#include "lattice.hpp"

namespace segmenter {

// One shared str a lexicon word and character, made on first use: afterwards a word costs a
// reference count, not an allocation.
class WordCache {
 public:
  WordCache() = default;
  WordCache(const WordCache&) = delete;
  WordCache& operator=(const WordCache&) = delete;
  ~WordCache() { clear(); }

  bool reserve(size_t n) {
    clear();
    words_ = static_cast<PyObject**>(std::calloc(n, sizeof(PyObject*)));  // untouched pages cost nothing
    n_ = words_ ? n : 0;
    return words_ != nullptr;
  }
  PyObject*& operator[](size_t slot) { return words_[slot]; }

 private:
  void clear() {
    for (size_t i = 0; i < n_; ++i) Py_XDECREF(words_[i]);
    std::free(words_);
    words_ = nullptr;
    n_ = 0;
  }
  PyObject** words_ = nullptr;
  size_t n_ = 0;
};

struct TextView {
  PyObject* object;
  const void* data;
  int width;
  size_t length;

  explicit TextView(PyObject* text)
      : object(text), data(PyUnicode_DATA(text)), width(int(PyUnicode_KIND(text))),
        length(size_t(PyUnicode_GET_LENGTH(text))) {}
};

inline PyObject* new_word(const TextView& text, uint32_t start, uint32_t end) {
  const char* at = static_cast<const char*>(text.data) + size_t(start) * size_t(text.width);
  return PyUnicode_FromKindAndData(text.width, at, Py_ssize_t(end - start));
}

// list[str] of exactly the words that are not dropped; NULL with an exception set.
inline PyObject* words_list(const TextView& text, const Piece* pieces, size_t n, size_t dropped,
                            WordCache& cache) {
  PyObject* list = PyList_New(Py_ssize_t(n - dropped));
  if (!list) return nullptr;
  uint32_t start = 0;
  Py_ssize_t at = 0;
  for (size_t i = 0; i < n; ++i) {
    uint32_t end = pieces[i].end, what = pieces[i].what;
    PyObject* word;
    if ((what & kDropped) == 0) {
      uint32_t slot = piece_slot(what);
      if (slot && !(what & kNotCanonical)) {
        PyObject*& shared = cache[slot];
        if (!shared) shared = new_word(text, start, end);
        word = shared;
        Py_XINCREF(word);
      } else {
        word = new_word(text, start, end);
      }
      if (!word) {
        Py_DECREF(list);
        return nullptr;
      }
      PyList_SET_ITEM(list, at++, word);
    }
    start = end;
  }
  return list;
}

// NumPy is imported by the first call that needs it, never by `import segmenter`.
inline bool have_numpy() {
  static bool ready = false;
  if (!ready) ready = _import_array() >= 0;
  return ready;
}

inline PyObject* ends_array(const Piece* pieces, size_t n, size_t dropped) {
  if (!have_numpy()) return nullptr;
  npy_intp size = npy_intp(n - dropped);
  PyObject* array = PyArray_SimpleNew(1, &size, NPY_INT32);
  if (!array) return nullptr;
  int32_t* out = static_cast<int32_t*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)));
  if (!dropped) {
    for (size_t i = 0; i < n; ++i) out[i] = int32_t(pieces[i].end);
  } else {
    for (size_t i = 0; i < n; ++i)
      if (!(pieces[i].what & kDropped)) *out++ = int32_t(pieces[i].end);
  }
  return array;
}

}  // namespace segmenter
