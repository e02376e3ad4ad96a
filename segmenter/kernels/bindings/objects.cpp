// Makes lists of str and NumPy columns from the words of a result.
#include "bindings/objects.hpp"

namespace segmenter {

namespace {

// Tokens whose shared words are looked for together. A shared word's entry and its reference count
// usually lie outside the L2 cache. So each group of words is visited three times: prefetch the
// entries, prefetch the counts, count.
class Group {
 public:
  static constexpr size_t kMost = 64;

  explicit Group(WordCache& cache) : cache_(cache) {}
  void clear() { n_ = 0; }

  // The entries of tokens, of which the first begins at `start`; the end of the last.
  template <class Char>
  uint32_t seek(const Char* chars, uint32_t start, const Token* tokens, size_t n) {
    size_t* const where = where_ + n_;
    PyObject** const shared = cache_.data();
    for (size_t i = 0; i < n; ++i) {
      where[i] = cache_.place(chars, start, tokens[i]);
      __builtin_prefetch(shared + where[i]);
      start = tokens[i].end;
    }
    n_ += n;
    return start;
  }
  void ask_counts() const {
    PyObject** const shared = cache_.data();
    for (size_t i = 0; i < n_; ++i) __builtin_prefetch(shared[where_[i]], 1);
  }
  // Writes the words of tokens that are not dropped, the first being the group's `k`-th and beginning
  // at `start`, and moves `to` behind them; false with an exception set.
  bool write(PyObject**& to, const Text& text, uint32_t start, const Token* tokens, size_t n,
             size_t k = 0) {
    const size_t* const where = where_ + k;
    PyObject** const shared = cache_.data();
    for (size_t i = 0; i < n; ++i) {
      if (__builtin_expect(tokens[i].label & kDropped, 0)) continue;
      PyObject* word = shared[where[i]];
      if (__builtin_expect(word != nullptr, 1)) {
        Py_INCREF(word);
      } else {
        word = new_word(text, i ? tokens[i - 1].end : start, tokens[i].end);
        if (!word) return false;
        if (where[i]) {
          Py_INCREF(word);
          shared[where[i]] = word;
        }
      }
      *to++ = word;
    }
    return true;
  }

 private:
  WordCache& cache_;
  size_t n_ = 0, where_[kMost];
};

// Fills `list` with the words that are not dropped; false with an exception set.
template <class Char>
bool fill_words(PyObject* list, const Text& text, const Char* chars, const Token* tokens, size_t n,
                WordCache& cache) {
  static_assert(kTurn % Group::kMost == 0, "a turn comes between two groups");
  Group group(cache);
  PyObject** to = PySequence_Fast_ITEMS(list);
  uint32_t start = 0;
  for (size_t first = 0; first < n; first += Group::kMost) {
    if (first % kTurn == 0 && first && give_turn() < 0) return false;
    const size_t size = n - first < Group::kMost ? n - first : Group::kMost;
    group.clear();
    const uint32_t end = group.seek(chars, start, tokens + first, size);
    group.ask_counts();
    if (!group.write(to, text, start, tokens + first, size)) return false;
    start = end;
  }
  return true;
}

// What is needed of NumPy's binary interface, by hand: with NumPy's headers, every installation would
// fetch and unpack NumPy a second time to be built. The numbers are the headers' and the same in
// NumPy 1 and 2.
enum : int { kVersion = 0, kArrayType = 2, kNewArray = 93 };  // places in its table
constexpr int kInt32 = sizeof(long) == 4 ? 7 : 5;             // long, int
struct ArrayHead {
  PyObject_HEAD void* data;
};

// The table; NULL with an exception set. NumPy is imported by the first call that needs it, not by
// `import segmenter`.
void** numpy_table() {
  static void** table = nullptr;
  if (table) return table;
  PyObject* module = PyImport_ImportModule("numpy._core._multiarray_umath");
  if (!module && PyErr_ExceptionMatches(PyExc_ModuleNotFoundError)) {
    PyErr_Clear();
    module = PyImport_ImportModule("numpy.core._multiarray_umath");  // before 2.0
  }
  if (!module) return nullptr;
  PyObject* capsule = PyObject_GetAttrString(module, "_ARRAY_API");
  Py_DECREF(module);
  if (!capsule) return nullptr;
  auto found = static_cast<void**>(PyCapsule_GetPointer(capsule, nullptr));
  Py_DECREF(capsule);
  if (!found) return nullptr;
  const unsigned major = reinterpret_cast<unsigned (*)()>(found[kVersion])() >> 24;
  if (major == 1 || major == 2) return table = found;
  PyErr_Format(PyExc_ImportError, "segmenter-zh works with NumPy 1 and 2, not %u: install NumPy 2",
               major);
  return nullptr;
}

// An int32 array of n unset values; NULL with an exception set.
PyObject* new_ends(size_t n) {
  using New = PyObject* (*)(PyTypeObject*, int, const Py_intptr_t*, int, const Py_intptr_t*, void*,
                            int, int, PyObject*);
  void** const table = numpy_table();
  if (!table) return nullptr;
  const Py_intptr_t size = Py_intptr_t(n);
  return reinterpret_cast<New>(table[kNewArray])(static_cast<PyTypeObject*>(table[kArrayType]), 1,
                                                 &size, kInt32, nullptr, nullptr, 0, 0, nullptr);
}
int32_t* ends_data(PyObject* array) {
  return static_cast<int32_t*>(reinterpret_cast<ArrayHead*>(array)->data);
}

}  // namespace

PyObject* words_list(const Text& text, const Token* tokens, size_t n, size_t dropped,
                     WordCache& cache) {
  PyObject* list = PyList_New(Py_ssize_t(n - dropped));
  if (!list) return nullptr;
  if (text.cells([&](auto* chars) { return fill_words(list, text, chars, tokens, n, cache); }))
    return list;
  Py_DECREF(list);
  return nullptr;
}

int append_lists(PyObject* out, const BatchText* texts, size_t n, const Token* tokens,
                 WordCache& cache, size_t& made) {
  // The lists contain only strings, so they cannot be part of a cycle. Untracking them until they
  // are returned saves the garbage collector from traversing all of them repeatedly, which would
  // take longer than cutting.
  auto append = [&](PyObject* list) {
    if (!list) return false;
    PyObject_GC_UnTrack(list);
    const bool done = PyList_Append(out, list) == 0;
    Py_DECREF(list);
    return done;
  };
  Group group(cache);
  for (size_t i = 0, next; i < n; i = next) {
    size_t words = texts[i].count;
    for (next = i + 1; next < n && words + texts[next].count <= Group::kMost; ++next)
      words += texts[next].count;
    made += words + next - i;
    if (made >= kTurn) {
      made = 0;
      if (give_turn() < 0) return -1;
    }
    if (words > Group::kMost) {
      const BatchText& t = texts[i];
      if (!append(words_list(t.text, tokens + t.first, t.count, t.dropped, cache))) return -1;
      continue;
    }
    group.clear();
    for (size_t k = i; k < next; ++k)
      texts[k].text.cells([&](const auto* chars) {
        group.seek(chars, 0, tokens + texts[k].first, texts[k].count);
      });
    group.ask_counts();
    size_t at = 0;
    for (size_t k = i; k < next; ++k) {
      const BatchText& t = texts[k];
      PyObject* const list = PyList_New(Py_ssize_t(t.count - t.dropped));
      if (!list) return -1;
      PyObject** to = PySequence_Fast_ITEMS(list);
      if (!group.write(to, t.text, 0, tokens + t.first, t.count, at)) {
        Py_DECREF(list);
        return -1;
      }
      if (!append(list)) return -1;
      at += t.count;
    }
  }
  return 0;
}

PyObject* ends_array(const Ends& column) {
  PyObject* array = new_ends(column.n);
  if (array) std::memcpy(ends_data(array), column.first, column.n * sizeof(int32_t));
  return array;
}

PyObject* ends_array(const Token* tokens, size_t n, size_t dropped) {
  PyObject* array = new_ends(n - dropped);
  if (!array) return nullptr;
  int32_t* out = ends_data(array);
  if (!dropped) {
    for (size_t i = 0; i < n; ++i) out[i] = int32_t(tokens[i].end);
  } else {
    for (size_t i = 0; i < n; ++i)
      if (!(tokens[i].label & kDropped)) *out++ = int32_t(tokens[i].end);
  }
  return array;
}

}  // namespace segmenter
