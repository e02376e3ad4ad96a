// The engine's results and sections as Python objects: lists of str, NumPy columns.
#pragma once
#include "bindings/python.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "compiler.hpp"
#include "decision.hpp"
#include "files/sections.hpp"
#include "pos/known.hpp"

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

// list[str] of exactly the words that are not dropped; NULL with an exception set.
PyObject* words_list(const Text& text, const Token* tokens, size_t n, size_t dropped,
                     WordCache& cache);

// Columns of ends, int32 arrays; NULL with an exception set.
PyObject* ends_array(const Ends& column);
PyObject* ends_array(const Token* tokens, size_t n, size_t dropped);

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
           size_t dropped, const WordCache& cache, TagCache& seen);
};

// Decides the tags of the words in `s`, all of which `known` has looked up; see pos/tags.hpp.
void decide_tags(const PosModel& m, const PosKnown& known, PosScratch& s);

// list[(word, tag)] of the words that are not dropped; `names` is a list of str. NULL with an
// exception set.
PyObject* tagged_list(TagCall& call, const TextView& text, const Token* tokens, size_t n,
                      size_t dropped, WordCache& cache, TagCache& seen, PyObject* names);

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
