// Words with their parts of speech as Python objects.
#pragma once
#include "bindings/objects.hpp"

#include <vector>

#include "pos/known.hpp"

namespace segmenter {

// What one tagger needs per word of one WordCache: the word's features, and the pairs (word, tag)
// returned last, which are immutable, so that results share them.
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
  ~TagCache() {
    for (size_t i = 0; i <= used_ && entries_; ++i)
      for (PyObject* pair : entries_[i].pairs) Py_XDECREF(pair);
    Py_XDECREF(tagger_);
    std::free(numbers_);
    std::free(memory_);
  }

  bool is_of(PyObject* tagger) const { return tagger == tagger_; }
  // Makes room for `n` words and this tagger, once.
  void reserve(size_t n, PyObject* tagger) {
    if (n >= UINT32_MAX / sizeof(Entry)) throw std::bad_alloc();
    numbers_ = static_cast<uint32_t*>(std::calloc(n, sizeof(uint32_t)));
    memory_ = std::calloc(n + 2, sizeof(Entry));  // untouched pages cost nothing
    if (!numbers_ || !memory_) throw std::bad_alloc();
    const uintptr_t address = reinterpret_cast<uintptr_t>(memory_) + alignof(Entry) - 1;
    entries_ = reinterpret_cast<Entry*>(address / alignof(Entry) * alignof(Entry));
    tagger_ = tagger;
    Py_INCREF(tagger);
  }
  // Entries in the order of first use, so that those in use lie close together; 0 stays empty.
  Entry* data() { return entries_; }
  void fetch(size_t place) const { __builtin_prefetch(numbers_ + place); }
  // The number of the entry of a word's place in the WordCache; 0, which is no word's, has none.
  uint32_t number(size_t place) {
    uint32_t& number = numbers_[place];
    if (__builtin_expect(!number, 0) && place) number = ++used_;
    return number;
  }

 private:
  uint32_t* numbers_ = nullptr;
  void* memory_ = nullptr;
  Entry* entries_ = nullptr;
  PyObject* tagger_ = nullptr;
  uint32_t used_ = 0;
};

// Working memory of one call that tags a text.
struct TagCall {
  PosScratch scratch;
  struct Word {
    uint32_t place, number;  // in the WordCache, of the TagCache's entry
  };
  std::vector<Word> words;  // those that are not dropped

  // Reads the words that are not dropped.
  void read(const PosModel& m, PosKnown& known, const TextView& text, const Token* tokens,
            size_t n, size_t dropped, const WordCache& cache, TagCache& tags);
};

// Decides the tags of the words in `s`, all of which `known` has looked up; see pos/tags.hpp.
void decide_tags(const PosModel& m, const PosKnown& known, PosScratch& s);

// list[(word, tag)] of the words that are not dropped; `names` is a list of str. NULL with an
// exception set.
PyObject* tagged_list(TagCall& call, const TextView& text, const Token* tokens, size_t n,
                      size_t dropped, WordCache& cache, TagCache& tags, PyObject* names);

}  // namespace segmenter
