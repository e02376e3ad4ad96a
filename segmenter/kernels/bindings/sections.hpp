// Sections of a compiled file, as Python passes them in.
#pragma once
#include "bindings/python.hpp"

#include <vector>

#include "files/sections.hpp"

namespace segmenter {

// Sections given as a dict of buffers, whose memory it keeps alive as long as itself.
class SectionBuffers : public Sections {
 public:
  SectionBuffers() = default;
  SectionBuffers(const SectionBuffers&) = delete;
  SectionBuffers& operator=(const SectionBuffers&) = delete;
  ~SectionBuffers() {
    for (Py_buffer& view : held_) PyBuffer_Release(&view);
  }
  // Adds those of `given`; -1 with an exception set. `fault`: the message if the sizes of sections
  // are inconsistent.
  int open(PyObject* given, const char* fault) {
    misfit = fault;
    if (!PyDict_Check(given)) {
      PyErr_SetString(PyExc_TypeError, "sections: expected a dict of buffers");
      return -1;
    }
    PyObject *name, *buffer;
    for (Py_ssize_t at = 0; PyDict_Next(given, &at, &name, &buffer);) {
      const char* const utf8 = PyUnicode_AsUTF8(name);
      Py_buffer view;
      if (!utf8 || PyObject_GetBuffer(buffer, &view, PyBUF_SIMPLE) < 0) return -1;
      held_.push_back(view);
      put(utf8, view.buf, size_t(view.len));
    }
    return 0;
  }

 private:
  std::vector<Py_buffer> held_;
};

}  // namespace segmenter
