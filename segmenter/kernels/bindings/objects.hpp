// Words of a text as Python objects: lists of str, NumPy columns.
#pragma once
#include "bindings/python.hpp"

#include <cstdlib>
#include <new>

#include "batch.hpp"
#include "compiler.hpp"
#include "result.hpp"
#include "token.hpp"

namespace segmenter {

// One shared str per word of a lexicon and per character of the basic plane, created on first use:
// after that a word costs a reference count instead of an allocation.
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
  const void* const* table() const { return reinterpret_cast<const void* const*>(words_); }
  size_t size() const { return n_; }
  size_t char_at(uint32_t cp) const { return n_ - kChars + cp; }  // cp < kChars
  // The entry of a token of a text; 0, which stays empty, for a word that is not shared. Without a
  // branch: how long words are and which are known is unpredictable.
  template <class Char>
  size_t place(const Char* chars, uint32_t start, const Token& token) const {
    const size_t cp = chars[start];
    const size_t slot = token_slot(token.label) & (size_t(token.label >> 31) - 1);  // kNotCanonical
    const bool one = (token.end - start == 1) & (slot == 0) & (sizeof(Char) <= 2 || cp < kChars);
    return slot | ((char_at(0) + cp) & (0 - size_t(one)));
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

// Appends such lists of `n` texts, whose tokens lie in `tokens`, to `lists`, untracked by the
// garbage collector; -1 with an exception set. `since_turn`: counts objects since the last turn.
int append_lists(PyObject* lists, const BatchText* texts, size_t n, const Token* tokens,
                 WordCache& cache, size_t& since_turn);

// NumPy arrays of ends, int32; NULL with an exception set.
PyObject* ends_array(const Ends& column);
PyObject* ends_array(const Token* tokens, size_t n, size_t dropped);

}  // namespace segmenter
