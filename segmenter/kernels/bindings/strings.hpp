// str and bytes as C++ strings. Cython's own conversion copies outside of its exception handling,
// so a failed allocation there would end the process.
#pragma once
#include <Python.h>

#include <stdexcept>
#include <string>

namespace segmenter {

inline std::string string_of(PyObject* bytes) {
  return std::string(PyBytes_AS_STRING(bytes), size_t(PyBytes_GET_SIZE(bytes)));
}

// UTF-8, lone surrogates included. Throws with Python's exception set if there is no memory.
inline std::string encoded(PyObject* text) {
  PyObject* const bytes = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
  if (!bytes) throw std::runtime_error("raised by Python");
  struct Owner {
    PyObject* const bytes;
    ~Owner() { Py_DECREF(bytes); }
  } const owner{bytes};
  return string_of(bytes);
}

}  // namespace segmenter
