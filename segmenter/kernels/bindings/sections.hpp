// Sections of a compiled file, as Python passes them in.
#pragma once
#include "bindings/python.hpp"

#include <vector>

#include "files/sections.hpp"

namespace segmenter {

// Sections from a dict of buffers, whose memory this keeps alive.
class SectionBuffers : public Sections {
 public:
  SectionBuffers() = default;
  SectionBuffers(const SectionBuffers&) = delete;
  SectionBuffers& operator=(const SectionBuffers&) = delete;
  // At the end Python's own code for a mapped file asks for the lock: in an interpreter that ends
  // together with the main one, this would end the main thread.
  ~SectionBuffers() {
    if (is_finalizing()) return;
    for (Py_buffer& view : views_) PyBuffer_Release(&view);
  }
  // Adds sections; -1 with an exception set. `message`: of the exception if their sizes are
  // inconsistent.
  int open(PyObject* sections, const char* message) {
    misfit = message;
    if (!PyDict_Check(sections)) {
      PyErr_SetString(PyExc_TypeError, "sections: expected a dict of buffers");
      return -1;
    }
    PyObject *name, *buffer;
    for (Py_ssize_t k = 0; PyDict_Next(sections, &k, &name, &buffer);) {
      const char* const utf8 = PyUnicode_AsUTF8(name);
      Py_buffer view;
      if (!utf8 || PyObject_GetBuffer(buffer, &view, PyBUF_SIMPLE) < 0) return -1;
      views_.push_back(view);
      put(utf8, view.buf, size_t(view.len));
    }
    return 0;
  }

 private:
  std::vector<Py_buffer> views_;
};

}  // namespace segmenter
