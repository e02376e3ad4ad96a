// User words as Python objects.
#pragma once
#include "bindings/python.hpp"

#include <new>

#include "opening.hpp"
#include "user/columns.hpp"
#include "user/compile.hpp"

namespace segmenter {

inline void put_bytes(PyObject* sections, const char* name, const void* data, size_t n) {
  PyObject* const bytes = PyBytes_FromStringAndSize(static_cast<const char*>(data), Py_ssize_t(n));
  const bool done = bytes && PyDict_SetItemString(sections, name, bytes) == 0;
  Py_XDECREF(bytes);
  if (!done) {
    PyErr_Clear();
    throw std::bad_alloc();
  }
}

// Puts columns into a dict of the sections of a file.
inline void put_sections(const UserColumns& columns, PyObject* sections) {
  columns.sections(
      [&](const char* name, const void* data, size_t n) { put_bytes(sections, name, data, n); });
}

// Compiles the tables of a layer and puts them into such a dict.
inline void put_tables(const FoldTable* folds, UserLayer& layer, PyObject* sections) {
  UserTables tables[kUserFields];
  compile_user(folds, tables, layer, [&](const std::string& name, const void* data, size_t n) {
    put_bytes(sections, name.c_str(), data, n);
  });
}

}  // namespace segmenter
