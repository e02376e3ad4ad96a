// The words inside a word: recursively, the best path through its lattice without the word itself;
// with options also units and n-grams. segmenter/search describes the guarantees.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "text.hpp"
#include "token.hpp"

namespace segmenter {

struct SearchRules {
  uint32_t min_length = 2;  // of inner words
  uint32_t ngrams = 0;      // length of n-grams of words outside the lexicon; 0: none
  bool single = false;      // add the units of every word
  bool split = false;       // letters and digits are units one by one
  bool whole = true;        // no word begins or ends inside a unit
};

// Every interface caches inner words, for this many words of up to this many characters: at some
// 300 bytes each, less than 10 MB.
constexpr size_t kRememberedWords = 1 << 15, kRememberedCharacters = 64;

struct InnerWord {
  uint32_t start, end;        // within the word
  uint32_t position, length;  // in the token graph of the word, and the positions it spans
  uint32_t label, token_id;   // of its edge
  bool added;                 // an n-gram or unit without an edge
};

// A lattice without words: the units of a text.
void unit_edges(const Text& text, const uint8_t* classes, std::vector<Edge>& edges);

class InnerWords {
 public:
  uint32_t positions = 1;        // the positions that the word spans
  std::vector<InnerWord> words;  // without the word itself, by start and then longest first

  // Writes the edges of the lattice of a part of the word, by start, then by end; returns 0, or an
  // error.
  using Lattice = int (*)(void* context, uint32_t start, uint32_t end, std::vector<Edge>& edges);

  // Finds the inner words. `classes`: the CharClass of each character. Returns 0, or the error of
  // the lattice.
  int find(const Text& word, const uint8_t* classes, const SearchRules& rules, Lattice lattice,
           void* context);

  // Finds the best path through a lattice of n characters that is not the word itself: the one with
  // the fewest characters outside inner words, which no query would find, and of these the
  // cheapest. path() returns it, empty if there is none.
  void best_path(uint32_t n, const std::vector<Edge>& edges, uint32_t min_length);
  const std::vector<Edge>& path() const { return path_; }

 private:
  std::vector<Edge> edges_, part_edges_, inner_edges_, path_;
  std::vector<bool> reached_;
  std::vector<std::pair<uint32_t, uint32_t>> pending_;
  std::vector<uint32_t> nodes_;

  const Edge* edge(uint32_t start, uint32_t end) const;
  void add_characters(const Text& word, const uint8_t* classes, const SearchRules& rules);
  void sort_nodes();
  void number_positions(uint32_t n);
};

}  // namespace segmenter
