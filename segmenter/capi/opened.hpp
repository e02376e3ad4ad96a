// The opened files of a segmenter of the C library: those that open() of the kernels requests, and,
// opened on first use, a lexicon beside a tagger and the part-of-speech tagger.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "capi/segmenter.h"
#include "open/open.hpp"
#include "pos/tags.hpp"
#include "search/inner.hpp"
#include "threads.hpp"

namespace segmenter {

class CompiledFile;
class Files;
struct OpenWords;
class UserWords;

// The part-of-speech tagger and its cache of words, which is emptied at a limit in bytes; 0: no
// limit. Threads share it.
class OpenPos {
 public:
  OpenPos(std::unique_ptr<CompiledFile> source, size_t limit);
  ~OpenPos();
  // Decides the tags of n words: span(i) is the start and end of a word, user_tag(i) the tag that
  // the user gave it, or "".
  template <class Span, class UserTag>
  void decide(const Text& text, size_t n, Span&& span, UserTag&& user_tag,
              PosScratch& scratch) const {
    std::shared_ptr<PosKnown> cache;
    {
      const std::lock_guard<Mutex> lock(mutex_);
      cache = cache_;
      scratch.begin(n, model_, cache->boundary());
      for (size_t i = 0; i < n; ++i) {
        const auto [start, end] = span(i);
        PosWord word = pos_word(*model_.lex, text.part(start, end), model_.n_classes);
        cache->look_up(word);
        const auto name = std::find(names_.begin(), names_.end(), user_tag(i));
        scratch.push(word, name == names_.end() ? kNoTag : uint32_t(name - names_.begin()));
      }
    }
    scratch.end();
    pos_tags(model_, *cache, scratch);
    if (!limit_) return;
    const std::lock_guard<Mutex> lock(mutex_);
    if (cache_ == cache && cache->bytes() > limit_) cache_ = empty_cache();
  }
  const char* name(uint8_t tag) const { return names_[tag].c_str(); }

 private:
  const std::unique_ptr<OpenWords> words_;
  PosModel model_;
  std::vector<std::string> names_;
  const size_t limit_;
  mutable Mutex mutex_;  // entries never move: other threads may read them meanwhile
  mutable std::shared_ptr<PosKnown> cache_;

  std::shared_ptr<PosKnown> empty_cache() const;
};

// The object behind a segmenter_engine.
class Library {
 public:
  std::shared_ptr<const Opened> opened;
  SearchRules search;  // of the tokens of an index
  const size_t word_memory;

  explicit Library(const segmenter_options& options);
  ~Library();

  // Whether Traditional forms are read as those of the lexicon.
  bool folds_variants() const;
  // The part of speech that the user gave a word by its number; "": none.
  const std::string& user_tag(uint32_t id) const;
  // A lexicon, and the canonical character of each of its ids.
  struct Spelling {
    const Lexicon* lex;
    std::vector<uint32_t> letters;
  };
  const Spelling& spelling() const;
  // The plan that finds inner words.
  const Plan& inner_plan() const;
  // The part-of-speech tagger, opened on first use.
  const OpenPos& pos() const;

 private:
  const std::unique_ptr<const Files> files_;
  std::unique_ptr<const UserWords> user_;  // null: none
  Description options_;
  mutable Mutex mutex_;
  mutable std::shared_ptr<const Opened> lattice_;
  mutable std::unique_ptr<const Spelling> spelling_;
  mutable std::unique_ptr<const OpenPos> pos_;

  // A lattice over the lexicon of the standard: the segmenter itself, or, beside a tagger, one
  // opened on first use.
  const Opened& lattice() const;
  // "min_length=3,ngrams=2,runs=split,single"
  void set_search(const std::string& text);
};

}  // namespace segmenter
