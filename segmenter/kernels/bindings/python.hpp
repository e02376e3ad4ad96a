// Shared by all extensions: access to str, to numbers in buffers and to columns of bytes; working memory.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <cstring>
#include <type_traits>
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

// In loops that make objects, after every kTurn of them, which take up to two milliseconds: threads
// that wait for the interpreter get their turn, and signals are heard. -1 with an exception set
// where a signal's handler raised one.
constexpr size_t kTurn = 8192;
// How many turns this thread has given, for tests.
inline uint64_t& turns_given() {
  static thread_local uint64_t turns = 0;
  return turns;
}
inline int give_turn() {
  ++turns_given();
  PyEval_RestoreThread(PyEval_SaveThread());
  return PyErr_CheckSignals();
}

// Numbers of one type that Python hands over, one after another: an array of NumPy's, an array.array,
// a memoryview, bytes. Keeps their memory alive. Cython's typed memoryviews do the same, and cost
// 20,000 lines of C in every extension.
template <class T>
class Buffer : public Cells<T> {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { release(); }

  // -1 with an exception set, which calls the argument `name`.
  int take(PyObject* from, const char* name, bool writable = false) {
    release();
    const int how = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(from, &view_, how) < 0) {
      PyErr_Format(PyErr_ExceptionMatches(PyExc_TypeError) ? PyExc_TypeError : PyExc_ValueError,
                   "%s: expected a contiguous%s buffer, not %.100s", name,
                   writable ? ", writable" : "", Py_TYPE(from)->tp_name);
      return -1;
    }
    const char* format = view_.format ? view_.format : "B";
    if (std::strchr("@=<", *format) && *format) ++format;  // of a little-endian machine
    const char* const same = std::is_floating_point<T>::value ? "fd"
                             : std::is_signed<T>::value       ? "bhilq"
                                                              : "BHILQ";
    if (view_.itemsize != Py_ssize_t(sizeof(T)) || !*format || format[1] ||
        !std::strchr(same, *format)) {
      PyErr_Format(PyExc_ValueError, "%s: expected %s of %d bytes, not '%.20s'", name,
                   std::is_floating_point<T>::value ? "floats"
                   : std::is_signed<T>::value       ? "signed integers"
                                                    : "unsigned integers",
                   int(sizeof(T)), view_.format ? view_.format : "B");
      return -1;
    }
    this->data = static_cast<const T*>(view_.buf);
    this->n = view_.len / Py_ssize_t(sizeof(T));
    return 0;
  }
  T* room() const { return static_cast<T*>(view_.buf); }  // of a writable one

 private:
  Py_buffer view_{};
  void release() {
    if (view_.obj) PyBuffer_Release(&view_);
  }
};

// The cells of a column as bytes.
template <class T>
PyObject* raw(const std::vector<T>& column) {
  return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(column.data()),
                                   Py_ssize_t(column.size() * sizeof(T)));
}

// Idle working memory, from which calls borrow until they end. Guarded by the GIL. A re-entrant call
// (from a finalizer while a list is created) does not find the outer call's memory here, and gets
// another.
template <class T>
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    for (T* one : idle_) delete one;
  }
  T* take() {
    if (idle_.empty()) {
      idle_.reserve(made_ + 1);  // so that give() needs no memory
      T* const one = new T();
      ++made_;
      return one;
    }
    T* const one = idle_.back();
    idle_.pop_back();
    return one;
  }
  void give(T* one) { idle_.push_back(one); }

 private:
  std::vector<T*> idle_;
  size_t made_ = 0;
};

// One object from a pool, returned when the lease goes out of scope.
template <class T>
class Lease {
 public:
  ~Lease() {
    if (pool_) pool_->give(one_);
  }
  T* take(Pool<T>& pool) {
    one_ = pool.take();
    pool_ = &pool;
    return one_;
  }

 private:
  Pool<T>* pool_ = nullptr;
  T* one_ = nullptr;
};

// One object per thread.
template <class T>
class Leases {
 public:
  std::vector<T*> all;
  ~Leases() {
    for (T* one : all) pool_->give(one);
  }
  void take(Pool<T>& pool, int threads) {
    pool_ = &pool;
    all.reserve(size_t(threads));
    for (int i = 0; i < threads; ++i) all.push_back(pool.take());
  }

 private:
  Pool<T>* pool_ = nullptr;
};

}  // namespace segmenter
