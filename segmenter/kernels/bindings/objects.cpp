// Makes lists of str and NumPy columns from the words of a result.
#include "bindings/objects.hpp"

namespace segmenter {

namespace {

// Tokens whose shared words are fetched together. The cache's entry of a word and the word's
// reference count usually lie outside the L2 cache. So each group is visited three times: prefetch
// the entries, prefetch the counts, count.
class Group {
 public:
  static constexpr size_t kMost = 64;

  explicit Group(WordCache& cache) : cache_(cache) {}
  void clear() { n_ = 0; }

  // Adds tokens, of which the first begins at `start`, and returns where the last ends.
  template <class Char>
  uint32_t add(const Char* chars, uint32_t start, const Token* tokens, size_t n) {
    size_t* const places = places_ + n_;
    PyObject** const shared = cache_.data();
    for (size_t i = 0; i < n; ++i) {
      places[i] = cache_.place(chars, start, tokens[i]);
      __builtin_prefetch(shared + places[i]);
      start = tokens[i].end;
    }
    n_ += n;
    return start;
  }
  void fetch_counts() const {
    PyObject** const shared = cache_.data();
    for (size_t i = 0; i < n_; ++i) __builtin_prefetch(shared[places_[i]], 1);
  }
  // Writes the words of tokens that are not dropped, the first of which is the group's `k`-th and
  // begins at `start`, and moves `words` behind them; false with an exception set.
  bool write(PyObject**& words, const Text& text, uint32_t start, const Token* tokens, size_t n,
             size_t k = 0) {
    const size_t* const places = places_ + k;
    PyObject** const shared = cache_.data();
    for (size_t i = 0; i < n; ++i) {
      if (__builtin_expect(tokens[i].label & kDropped, 0)) continue;
      PyObject* word = shared[places[i]];
      if (__builtin_expect(word != nullptr, 1)) {
        Py_INCREF(word);
      } else {
        word = new_word(text, i ? tokens[i - 1].end : start, tokens[i].end);
        if (!word) return false;
        if (places[i]) {
          Py_INCREF(word);
          shared[places[i]] = word;
        }
      }
      *words++ = word;
    }
    return true;
  }

 private:
  WordCache& cache_;
  size_t n_ = 0, places_[kMost];  // in the cache
};

// Fills `list` with the words that are not dropped; false with an exception set.
template <class Char>
bool fill_words(PyObject* list, const Text& text, const Char* chars, const Token* tokens, size_t n,
                WordCache& cache) {
  static_assert(kTurn % Group::kMost == 0, "a turn comes between two groups");
  Group group(cache);
  PyObject** words = PySequence_Fast_ITEMS(list);
  uint32_t start = 0;
  for (size_t first = 0; first < n; first += Group::kMost) {
    if (first % kTurn == 0 && first && give_turn() < 0) return false;
    const size_t size = n - first < Group::kMost ? n - first : Group::kMost;
    group.clear();
    const uint32_t end = group.add(chars, start, tokens + first, size);
    group.fetch_counts();
    if (!group.write(words, text, start, tokens + first, size)) return false;
    start = end;
  }
  return true;
}

// The parts of NumPy's binary interface that are needed here, by hand: with NumPy's headers, every
// installation would fetch and unpack NumPy a second time to be built. The numbers are the headers'
// and the same in NumPy 1 and 2.
enum : int { kVersion = 0, kArrayType = 2, kNewArray = 93 };  // entries of its table
constexpr int kInt32 = sizeof(long) == 4 ? 7 : 5;             // long, int
struct ArrayHead {
  PyObject_HEAD void* data;
};

// The table; NULL with an exception set. The first call imports NumPy, so that `import segmenter`
// need not.
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
  auto functions = static_cast<void**>(PyCapsule_GetPointer(capsule, nullptr));
  Py_DECREF(capsule);
  if (!functions) return nullptr;
  const unsigned major = reinterpret_cast<unsigned (*)()>(functions[kVersion])() >> 24;
  if (major == 1 || major == 2) return table = functions;
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

int append_lists(PyObject* lists, const BatchText* texts, size_t n, const Token* tokens,
                 WordCache& cache, size_t& since_turn) {
  // The lists contain only strings, so they cannot be part of a cycle. Untracking them until they
  // are returned saves the garbage collector from traversing all of them repeatedly, which would
  // take longer than cutting.
  auto append = [&](PyObject* list) {
    if (!list) return false;
    PyObject_GC_UnTrack(list);
    const bool done = PyList_Append(lists, list) == 0;
    Py_DECREF(list);
    return done;
  };
  Group group(cache);
  for (size_t i = 0, next; i < n; i = next) {
    size_t count = texts[i].count;
    for (next = i + 1; next < n && count + texts[next].count <= Group::kMost; ++next)
      count += texts[next].count;
    since_turn += count + next - i;
    if (since_turn >= kTurn) {
      since_turn = 0;
      if (give_turn() < 0) return -1;
    }
    if (count > Group::kMost) {
      const BatchText& t = texts[i];
      if (!append(words_list(t.text, tokens + t.first, t.count, t.dropped, cache))) return -1;
      continue;
    }
    group.clear();
    for (size_t k = i; k < next; ++k)
      texts[k].text.cells([&](const auto* chars) {
        group.add(chars, 0, tokens + texts[k].first, texts[k].count);
      });
    group.fetch_counts();
    size_t first = 0;
    for (size_t k = i; k < next; ++k) {
      const BatchText& t = texts[k];
      PyObject* const list = PyList_New(Py_ssize_t(t.count - t.dropped));
      if (!list) return -1;
      PyObject** words = PySequence_Fast_ITEMS(list);
      if (!group.write(words, t.text, 0, tokens + t.first, t.count, first)) {
        Py_DECREF(list);
        return -1;
      }
      if (!append(list)) return -1;
      first += t.count;
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
  int32_t* ends = ends_data(array);
  if (!dropped) {
    for (size_t i = 0; i < n; ++i) ends[i] = int32_t(tokens[i].end);
  } else {
    for (size_t i = 0; i < n; ++i)
      if (!(tokens[i].label & kDropped)) *ends++ = int32_t(tokens[i].end);
  }
  return array;
}

}  // namespace segmenter
