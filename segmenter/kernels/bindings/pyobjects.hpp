// The engine's results and sections as Python objects: lists of str, NumPy columns.
#pragma once
#include "bindings/python.hpp"

#define NPY_NO_DEPRECATED_API NPY_1_23_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL segmenter_ARRAY_API
#include <numpy/arrayobject.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "compiler.hpp"
#include "decision.hpp"
#include "pos/tags.hpp"

namespace segmenter {

// One shared str per lexicon word and per character of the basic plane, created on first use: after
// that a word costs a reference count instead of an allocation.
class WordCache {
 public:
  WordCache() = default;
  WordCache(const WordCache&) = delete;
  WordCache& operator=(const WordCache&) = delete;
  ~WordCache() { clear(); }

  void reserve(size_t n) {
    clear();
    if (n > SIZE_MAX / sizeof(PyObject*) - kChars) throw std::bad_alloc();
    // untouched pages cost nothing
    words_ = static_cast<PyObject**>(std::calloc(n + kChars, sizeof(PyObject*)));
    if (!words_) throw std::bad_alloc();
    n_ = n + kChars;
  }
  PyObject** data() { return words_; }
  size_t size() const { return n_; }
  size_t char_at(uint32_t cp) const { return n_ - kChars + cp; }  // cp < kChars
  // The entry of a token of a text; 0, which stays empty, for a word that is not shared.
  template <class Char>
  size_t place(const Char* chars, uint32_t start, const Token& token) const {
    const size_t cp = chars[start];
    size_t single = char_at(0) + cp;
    if (sizeof(Char) > 2) single = cp < kChars ? single : 0;
    single = token.end - start == 1 ? single : 0;
    const uint32_t slot = token_slot(token.what);
    return slot != 0 && !(token.what & kNotCanonical) ? slot : single;
  }
  static constexpr size_t kChars = 0x10000;

 private:
  void clear() {
    for (size_t i = 0; i < n_; ++i) Py_XDECREF(words_[i]);
    std::free(words_);
    words_ = nullptr;
    n_ = 0;
  }
  PyObject** words_ = nullptr;
  size_t n_ = 0;
};

// Fills `list` with the words that are not dropped; false with an exception set.
//
// The shared word's entry and its reference count usually lie outside the L2 cache. So each group
// of words is visited three times: prefetch the entries, prefetch the counts, count.
template <class Char>
bool fill_words(PyObject* list, const Text& text, const Char* chars, const Token* tokens, size_t n,
                WordCache& cache) {
  constexpr size_t kGroup = 64;
  size_t where[kGroup];
  PyObject** const shared = cache.data();
  uint32_t start = 0;
  Py_ssize_t at = 0;
  for (size_t first = 0; first < n; first += kGroup) {
    if (first % (kGroup << 12) == 0 && first && PyErr_CheckSignals() < 0) return false;
    const Token* group = tokens + first;
    size_t size = n - first < kGroup ? n - first : kGroup;
    uint32_t from = start;
    for (size_t i = 0; i < size; ++i) {
      where[i] = cache.place(chars, start, group[i]);
      __builtin_prefetch(shared + where[i]);
      start = group[i].end;
    }
    for (size_t i = 0; i < size; ++i) __builtin_prefetch(shared[where[i]], 1);
    for (size_t i = 0; i < size; ++i) {
      uint32_t end = group[i].end;
      if (__builtin_expect(!(group[i].what & kDropped), 1)) {
        PyObject* word = shared[where[i]];
        if (__builtin_expect(word != nullptr, 1)) {
          Py_INCREF(word);
        } else {
          word = new_word(text, from, end);
          if (!word) return false;
          if (where[i]) {
            Py_INCREF(word);
            shared[where[i]] = word;
          }
        }
        PyList_SET_ITEM(list, at++, word);
      }
      from = end;
    }
  }
  return true;
}

// list[str] of exactly the words that are not dropped; NULL with an exception set.
inline PyObject* words_list(const Text& text, const Token* tokens, size_t n, size_t dropped,
                            WordCache& cache) {
  PyObject* list = PyList_New(Py_ssize_t(n - dropped));
  if (!list) return nullptr;
  if (text.cells([&](auto* chars) { return fill_words(list, text, chars, tokens, n, cache); }))
    return list;
  Py_DECREF(list);
  return nullptr;
}

// Caches for part-of-speech tagging, per word of one WordCache: the word's features, and the pairs
// (word, tag) returned last. Pairs are immutable, so results share them.
class TagCache {
 public:
  struct alignas(64) Entry {  // a cache line
    PyObject* pairs[2];       // the first is set once the word has been seen
    PosWord word;
    uint8_t tags[2];  // of the pairs
  };
  TagCache() = default;
  TagCache(const TagCache&) = delete;
  TagCache& operator=(const TagCache&) = delete;
  ~TagCache() { clear(); }

  // Allocates entries for `n` words and this tagger; discards those of another.
  void reserve(size_t n, PyObject* tagger) {
    if (tagger == tagger_ && n == n_) return;
    clear();
    if (n >= SIZE_MAX / sizeof(Entry)) throw std::bad_alloc();
    memory_ = std::calloc(n + 1, sizeof(Entry));  // untouched pages cost nothing
    if (!memory_) throw std::bad_alloc();
    const uintptr_t at = reinterpret_cast<uintptr_t>(memory_);
    entries_ =
        reinterpret_cast<Entry*>((at + alignof(Entry) - 1) / alignof(Entry) * alignof(Entry));
    n_ = n;
    tagger_ = tagger;
    Py_INCREF(tagger);
  }
  Entry* data() { return entries_; }

 private:
  void clear() {
    for (size_t i = 0; i < n_; ++i)
      for (PyObject* pair : entries_[i].pairs) Py_XDECREF(pair);
    std::free(memory_);
    Py_XDECREF(tagger_);
    memory_ = nullptr;
    entries_ = nullptr;
    tagger_ = nullptr;
    n_ = 0;
  }
  void* memory_ = nullptr;
  Entry* entries_ = nullptr;
  PyObject* tagger_ = nullptr;
  size_t n_ = 0;
};

// Working memory of one call that tags a text.
struct TagCall {
  PosScratch scratch;
  std::vector<size_t> where;  // the entry of each word that is not dropped

  // Reads the words that are not dropped.
  void see(const PosModel& m, PosKnown& known, const TextView& text, const Token* tokens, size_t n,
           size_t dropped, const WordCache& cache, TagCache& seen) {
    text.cells([&](auto* chars) { see(m, known, chars, tokens, n, dropped, cache, seen); });
  }
  template <class Char>
  void see(const PosModel& m, PosKnown& known, const Char* chars, const Token* tokens, size_t n,
           size_t dropped, const WordCache& cache, TagCache& seen) {
    constexpr size_t kGroup = 64;
    TagCache::Entry* const entries = seen.data();
    scratch.begin(n - dropped, m, known.boundary());
    if (where.size() < n - dropped) where.resize(n - dropped);
    uint32_t start = 0, from = 0;
    size_t at = 0;
    for (size_t first = 0; first < n; first += kGroup) {
      const size_t size = n - first < kGroup ? n - first : kGroup, begin = at;
      for (size_t i = 0; i < size; ++i) {
        const Token& token = tokens[first + i];
        if (!(token.what & kDropped)) {
          where[at] = cache.place(chars, start, token);
          __builtin_prefetch(entries + where[at++]);
        }
        start = token.end;
      }
      at = begin;
      for (size_t i = 0; i < size; ++i) {
        const Token& token = tokens[first + i];
        if (!(token.what & kDropped)) {
          TagCache::Entry& entry = entries[where[at]];
          if (__builtin_expect(entry.pairs[0] != nullptr, 1)) {
            scratch.push(entry.word);
            fetch_near(entry.word.near, m.lanes());
            __builtin_prefetch(entry.pairs[0], 1);
          } else {
            PosWord word = pos_word(*m.lex, chars + from, token.end - from, m.n_classes);
            known.look_up(word);
            scratch.push(word);
            if (where[at]) entry.word = word;
          }
          ++at;
        }
        from = token.end;
      }
    }
    scratch.end();
  }

  // Fills `list` with (word, tag); `names` is a list of str. False with an exception set.
  bool fill(PyObject* list, const TextView& text, const Token* tokens, size_t n, WordCache& cache,
            TagCache& seen, PyObject* names) {
    uint32_t start = 0;
    Py_ssize_t at = 0;
    for (size_t i = 0; i < n; ++i) {
      if (i % (1 << 16) == 0 && i && PyErr_CheckSignals() < 0) return false;
      const Token& token = tokens[i];
      if (!(token.what & kDropped)) {
        const uint8_t tag = scratch.tag(size_t(at));
        TagCache::Entry& entry = seen.data()[where[size_t(at)]];
        PyObject* pair = entry.tags[0] == tag   ? entry.pairs[0]
                         : entry.tags[1] == tag ? entry.pairs[1]
                                                : nullptr;
        if (__builtin_expect(pair != nullptr, 1)) Py_INCREF(pair);
        else if (!(pair =
                       make(text, start, token.end, cache, where[size_t(at)], entry, tag, names)))
          return false;
        PyList_SET_ITEM(list, at++, pair);
      }
      start = token.end;
    }
    return true;
  }

 private:
  static void fetch_near(const int8_t* rows, uint32_t lanes) {
    for (uint32_t k = 0; k < kPosNears * lanes; k += 64) __builtin_prefetch(rows + k);
  }
  // A new pair; the entry keeps it as its second.
  SEGMENTER_NOINLINE static PyObject* make(const TextView& text, uint32_t start, uint32_t end,
                                           WordCache& cache, size_t place, TagCache::Entry& entry,
                                           uint8_t tag, PyObject* names) {
    PyObject* word = place ? cache.data()[place] : nullptr;
    if (word) {
      Py_INCREF(word);
    } else {
      word = new_word(text, start, end);
      if (!word) return nullptr;
      if (place) {
        Py_INCREF(word);
        cache.data()[place] = word;
      }
    }
    PyObject* pair = PyTuple_New(2);
    if (!pair) {
      Py_DECREF(word);
      return nullptr;
    }
    PyTuple_SET_ITEM(pair, 0, word);
    PyObject* const name = PyList_GET_ITEM(names, Py_ssize_t(tag));
    Py_INCREF(name);
    PyTuple_SET_ITEM(pair, 1, name);
    PyObject_GC_UnTrack(pair);  // contains only strings, so it cannot be part of a cycle
    if (place) {
      const size_t second = entry.pairs[0] != nullptr;
      PyObject* old = entry.pairs[second];
      Py_INCREF(pair);
      entry.pairs[second] = pair;
      entry.tags[second] = tag;
      Py_XDECREF(old);
    }
    return pair;
  }
};

// list[(word, tag)] of the words that are not dropped; NULL with an exception set.
inline PyObject* tagged_list(TagCall& call, const TextView& text, const Token* tokens, size_t n,
                             size_t dropped, WordCache& cache, TagCache& seen, PyObject* names) {
  PyObject* list = PyList_New(Py_ssize_t(n - dropped));
  if (list && !call.fill(list, text, tokens, n, cache, seen, names)) Py_CLEAR(list);
  return list;
}

// Reads sections, and keeps their memory alive as long as itself.
class Sections {
 public:
  Sections() = default;
  Sections(const Sections&) = delete;
  Sections& operator=(const Sections&) = delete;
  ~Sections() {
    for (Py_buffer& view : held_) PyBuffer_Release(&view);
  }
  // `given`: buffers by name; `misfit`: the error message if the sizes of sections are
  // inconsistent.
  void open(PyObject* given, const char* misfit) {
    given_ = given;
    misfit_ = misfit;
  }
  int has(PyObject* name) const { return PySequence_Contains(given_, name); }
  // All cells of a section. Like exactly(), it may leave an exception set.
  template <class T>
  Cells<T> of(PyObject* name) {
    PyObject* const buffer = PyObject_GetItem(given_, name);
    if (!buffer) return {};
    Py_buffer view;
    const int got = PyObject_GetBuffer(buffer, &view, PyBUF_SIMPLE);
    Py_DECREF(buffer);
    if (got < 0) return {};
    held_.push_back(view);
    if (size_t(view.len) % sizeof(T)) return refuse(), Cells<T>();
    return Cells<T>{static_cast<const T*>(view.buf), view.len / Py_ssize_t(sizeof(T))};
  }
  // The cells of a section that must have `n` of them.
  template <class T>
  const T* exactly(PyObject* name, Py_ssize_t n) {
    const Cells<T> cells = of<T>(name);
    if (cells.n != n && !PyErr_Occurred()) refuse();
    return cells.data;
  }
  void refuse() const { PyErr_SetString(PyExc_ValueError, misfit_); }

 private:
  PyObject* given_ = nullptr;
  const char* misfit_ = nullptr;
  std::vector<Py_buffer> held_;
};

// NumPy is imported by the first call that needs it, not by `import segmenter`.
inline bool have_numpy() {
  static bool ready = false;
  if (!ready) ready = _import_array() >= 0;
  return ready;
}

// An int32 array of n unset values; NULL with an exception set.
inline PyObject* new_ends(size_t n) {
  if (!have_numpy()) return nullptr;
  npy_intp size = npy_intp(n);
  return PyArray_SimpleNew(1, &size, NPY_INT32);
}
inline int32_t* ends_data(PyObject* array) {
  return static_cast<int32_t*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)));
}

inline PyObject* ends_array(const Ends& column) {
  PyObject* array = new_ends(column.n);
  if (array) std::memcpy(ends_data(array), column.first, column.n * sizeof(int32_t));
  return array;
}

inline PyObject* ends_array(const Token* tokens, size_t n, size_t dropped) {
  PyObject* array = new_ends(n - dropped);
  if (!array) return nullptr;
  int32_t* out = ends_data(array);
  if (!dropped) {
    for (size_t i = 0; i < n; ++i) out[i] = int32_t(tokens[i].end);
  } else {
    for (size_t i = 0; i < n; ++i)
      if (!(tokens[i].what & kDropped)) *out++ = int32_t(tokens[i].end);
  }
  return array;
}

}  // namespace segmenter
