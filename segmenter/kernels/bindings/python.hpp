// For all extensions: access to str and to numbers in buffers, columns as bytes, working memory.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__APPLE__)
#include <pthread.h>
#endif

#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>
#include <type_traits>
#include <vector>

#include "compiler.hpp"
#include "text.hpp"

namespace segmenter {

// Until 3.13 Python ends every other thread that asks for the lock after the main thread's end, by
// pthread_exit(): glibc unwinds the stack, and a destructor or a `catch (...)` on it aborts the
// process. Later there is no interpreter any more to ask. So such a thread sleeps until the process
// ends, as from Python 3.14 on.
inline bool is_finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing();
#else
  return _Py_IsFinalizing();
#endif
}
inline bool in_main_thread() {
#if defined(__linux__)
  return syscall(SYS_gettid) == getpid();
#elif defined(__APPLE__)
  return pthread_main_np();
#else
  return true;  // unknown, and nothing unwinds there
#endif
}
[[noreturn]] inline void sleep_on() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}
// Calls Python in a function that a C++ `catch` may call.
template <class Call>
auto or_sleep(const Call& call) {
  try {
    return call();
  } catch (...) {  // the unwinding; of the main thread at the end of another interpreter: no sleep
    if (in_main_thread()) throw;
    sleep_on();  // the end of this block would abort
  }
}
// Whether no interpreter is left. While Python ends, its own thread has a state and may go on.
inline bool has_ended() { return !Py_IsInitialized() && !PyGILState_GetThisThreadState(); }
SEGMENTER_NOINLINE inline void restore_thread(PyThreadState* state) {
  if (has_ended()) sleep_on();
  or_sleep([=] { PyEval_RestoreThread(state); });
}
SEGMENTER_NOINLINE inline PyGILState_STATE ensure_lock() {
  if (has_ended()) sleep_on();
  return or_sleep([] { return PyGILState_Ensure(); });
}
// Cython's code for `with nogil` and `with gil` takes these too.
#define PyEval_RestoreThread segmenter::restore_thread
#define PyGILState_Ensure segmenter::ensure_lock

struct TextView : Text {  // of a str that the caller keeps alive
  TextView() = default;
  explicit TextView(PyObject* text)
      : Text{PyUnicode_DATA(text), int(PyUnicode_KIND(text)), size_t(PyUnicode_GET_LENGTH(text))} {}
};

inline PyObject* new_word(const Text& text, uint32_t start, uint32_t end) {
  const char* first = static_cast<const char*>(text.data) + size_t(start) * size_t(text.width);
  return PyUnicode_FromKindAndData(text.width, first, Py_ssize_t(end - start));
}

// How many objects a loop makes, in up to two milliseconds, before it calls give_turn().
constexpr size_t kTurn = 8192;
// How many turns this thread has given, for tests.
inline uint64_t& turns_given() {
  static thread_local uint64_t turns = 0;
  return turns;
}
// Threads that wait for the interpreter get their turn, and handlers of signals run; -1 with an
// exception set where one of these raised it.
inline int give_turn() {
  ++turns_given();
  PyEval_RestoreThread(PyEval_SaveThread());
  return PyErr_CheckSignals();
}

// The numbers in a buffer of Python's, all of one type: an array of NumPy's, an array.array, a
// memoryview, bytes. Keeps their memory alive. Cython's typed memoryviews do the same, and cost
// 20,000 lines of C in every extension.
template <class T>
class Buffer : public Cells<T> {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { release(); }

  // -1 with an exception set, which calls the argument `name`.
  int take(PyObject* numbers, const char* name, bool writable = false) {
    release();
    const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(numbers, &view_, flags) < 0) {
      PyErr_Format(PyErr_ExceptionMatches(PyExc_TypeError) ? PyExc_TypeError : PyExc_ValueError,
                   "%s: expected a contiguous%s buffer, not %.100s", name,
                   writable ? ", writable" : "", Py_TYPE(numbers)->tp_name);
      return -1;
    }
    const char* format = view_.format ? view_.format : "B";
    if (std::strchr("@=<", *format) && *format) ++format;  // of a little-endian machine
    const char* const formats = std::is_floating_point<T>::value ? "fd"
                                : std::is_signed<T>::value       ? "bhilq"
                                                                 : "BHILQ";
    if (view_.itemsize != Py_ssize_t(sizeof(T)) || !*format || format[1] ||
        !std::strchr(formats, *format)) {
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
  T* writable() const { return static_cast<T*>(view_.buf); }  // if taken so

 private:
  Py_buffer view_{};
  void release() {
    if (view_.obj) PyBuffer_Release(&view_);
  }
};

// The cells of a column as bytes.
template <class T>
PyObject* column_bytes(const std::vector<T>& column) {
  return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(column.data()),
                                   Py_ssize_t(column.size() * sizeof(T)));
}

// Idle objects of working memory, which calls borrow until they end. Guarded by the GIL. A
// re-entrant call (from a finalizer while a list is created) gets another than the outer one.
template <class T>
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    for (T* memory : idle_) delete memory;
  }
  T* take() {
    if (idle_.empty()) {
      idle_.reserve(count_ + 1);  // so that give() needs no memory
      T* const memory = new T();
      ++count_;
      return memory;
    }
    T* const memory = idle_.back();
    idle_.pop_back();
    return memory;
  }
  void give(T* memory) { idle_.push_back(memory); }

 private:
  std::vector<T*> idle_;
  size_t count_ = 0;  // of idle and borrowed objects
};

// One object from a pool, returned when the lease goes out of scope.
template <class T>
class Lease {
 public:
  ~Lease() {
    if (pool_) pool_->give(memory_);
  }
  T* take(Pool<T>& pool) {
    memory_ = pool.take();
    pool_ = &pool;
    return memory_;
  }

 private:
  Pool<T>* pool_ = nullptr;
  T* memory_ = nullptr;
};

// One object per thread.
template <class T>
class Leases {
 public:
  std::vector<T*> all;
  ~Leases() {
    for (T* memory : all) pool_->give(memory);
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
