// Lists of ids made of shared int objects, and the text of such a list.
#pragma once
#include "bindings/python.hpp"

#include "compiler.hpp"
#include "subword/pieces.hpp"

namespace segmenter {

// Shared int objects for small numbers (ids, positions), created on first use.
class IntCache {
 public:
  IntCache() = default;
  IntCache(const IntCache&) = delete;
  IntCache& operator=(const IntCache&) = delete;
  ~IntCache() {
    for (PyObject* number : numbers_) Py_XDECREF(number);
  }
  void reserve(size_t n) { numbers_.resize(n, nullptr); }
  void fetch_place(uint32_t value) const {
    if (value < numbers_.size()) __builtin_prefetch(&numbers_[value]);
  }
  void fetch(uint32_t value) const {
    if (value < numbers_.size()) __builtin_prefetch(numbers_[value], 1);
  }
  // A new reference; nullptr with an exception set.
  PyObject* get(uint32_t value) {
    if (value >= numbers_.size()) return PyLong_FromUnsignedLong(value);
    PyObject*& number = numbers_[value];
    if (!number && !(number = PyLong_FromUnsignedLong(value))) return nullptr;
    Py_INCREF(number);
    return number;
  }

 private:
  std::vector<PyObject*> numbers_;
};

// list[int] of every stride-th value; NULL with an exception set.
PyObject* int_list(const uint32_t* values, size_t stride, size_t n, IntCache& cache);

// The text of a list of ids; None if one is not an int of the table's range, or the bytes are not
// UTF-8; NULL with an exception set. `bytes_of` returns the bytes of an id that `pieces` lacks.
PyObject* text_of_ids(PyObject* list, PieceBytes& pieces, PyObject* bytes_of);

}  // namespace segmenter
