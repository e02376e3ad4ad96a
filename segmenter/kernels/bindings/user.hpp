// User words as Python objects.
#pragma once
#include "bindings/python.hpp"

#include <new>

#include "opening.hpp"
#include "user/columns.hpp"
#include "user/compile.hpp"

namespace segmenter {

inline void put_bytes(PyObject* into, const char* name, const void* data, size_t n) {
  PyObject* const bytes = PyBytes_FromStringAndSize(static_cast<const char*>(data), Py_ssize_t(n));
  const bool put = bytes && PyDict_SetItemString(into, name, bytes) == 0;
  Py_XDECREF(bytes);
  if (!put) {
    PyErr_Clear();
    throw std::bad_alloc();
  }
}

// The columns as sections of a file.
inline void put_sections(const UserColumns& columns, PyObject* into) {
  columns.sections(
      [&](const char* name, const void* data, size_t n) { put_bytes(into, name, data, n); });
}

// Compiles the tables of a layer, as sections of a file.
inline void put_tables(const FoldTable* folds, UserLayer& layer, PyObject* into) {
  UserTables tables[kUserFields];
  compile_user(folds, tables, layer, [&](const std::string& name, const void* data, size_t n) {
    put_bytes(into, name.c_str(), data, n);
  });
}

}  // namespace segmenter
