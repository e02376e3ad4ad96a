// Lists of ids.
#include "subword/bindings/int_list.hpp"

namespace segmenter {

// As in fill_words(), the shared objects are scattered in memory: for each group, prefetch the
// entries, then the objects, then count.
PyObject* int_list(const uint32_t* values, size_t stride, size_t n, IntCache& cache) {
  constexpr size_t kGroup = 64;
  PyObject* list = PyList_New(Py_ssize_t(n));
  if (!list) return nullptr;
  for (size_t first = 0; first < n; first += kGroup) {
    const size_t end = n - first < kGroup ? n : first + kGroup;
    for (size_t i = first; i < end; ++i) cache.fetch_place(values[i * stride]);
    for (size_t i = first; i < end; ++i) cache.fetch(values[i * stride]);
    for (size_t i = first; i < end; ++i) {
      PyObject* number = cache.get(values[i * stride]);
      if (!number) {
        Py_DECREF(list);
        return nullptr;
      }
      PyList_SET_ITEM(list, Py_ssize_t(i), number);
    }
  }
  return list;
}

}  // namespace segmenter
