// What every extension shares: a str as a text, a column as bytes.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <vector>

#include "text.hpp"

namespace segmenter {

struct TextView : Text {  // of a str that the caller keeps alive
  TextView() = default;
  explicit TextView(PyObject* text)
      : Text{PyUnicode_DATA(text), int(PyUnicode_KIND(text)), size_t(PyUnicode_GET_LENGTH(text))} {}
};

inline PyObject* new_word(const Text& text, uint32_t start, uint32_t end) {
  const char* at = static_cast<const char*>(text.data) + size_t(start) * size_t(text.width);
  return PyUnicode_FromKindAndData(text.width, at, Py_ssize_t(end - start));
}

// The cells of a column as bytes.
template <class T>
PyObject* raw(const std::vector<T>& column) {
  return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(column.data()),
                                   Py_ssize_t(column.size() * sizeof(T)));
}

}  // namespace segmenter
