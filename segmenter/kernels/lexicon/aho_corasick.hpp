// Aho-Corasick automaton (Aho & Corasick 1975) over the double array of a lexicon.
//
// The states are the trie's own slots and goto is Trie::child; slot 0 is the root, whose goto on
// character id c is slot c. One 64-bit link per slot holds what a trie lacks:
//
//     bits  0-23  failure  the state of the longest proper suffix of this path that is in the trie
//     bits 24-47  output   the nearest state along the failure links where a word ends; 0: none
//     bits 48-63  length   of the path, hence of the word that ends here
//
// The words are those of a Lexicon, or of any trie with the same three members (`trie`, `is_word`,
// `word_id`), such as the added tokens of a subword vocabulary (subword/added_tokens.hpp).
//
// One pass over the text reports every word, also those inside others: with the words he, she, his
// and hers, "ushers" gives she, he, hers. Time is linear in the text and the matches, however long
// the words are.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "lexicon/words.hpp"

namespace segmenter {

class AhoCorasick {
 public:
  // Builds the links of all states, breadth first, in time and memory linear in slots and letters.
  template <class Words>
  void build(const Words& lex) {
    const Trie& trie = lex.trie;
    const uint32_t n_states = trie.n_units, n_ids = trie.n_ids;
    const Parents parents(trie);
    const std::vector<uint32_t> depth = parents.depths();
    const uint32_t max_depth = *std::max_element(depth.begin(), depth.end());
    if (max_depth > 0xFFFF)
      throw std::length_error("a word is longer than 65,535 characters: leave it out");
    // counting sort by depth: a failure link leads to a shallower state
    std::vector<uint32_t> order(n_states), depth_begin(max_depth + 2, 0);
    for (uint32_t state = 1; state < n_states; ++state) ++depth_begin[depth[state] + 1];
    std::partial_sum(depth_begin.begin(), depth_begin.end(), depth_begin.begin());
    for (uint32_t state = 1; state < n_states; ++state) order[depth_begin[depth[state]]++] = state;
    links_.assign(n_states, 0);
    const uint32_t n_empty = depth_begin[0];
    for (uint32_t i = n_empty; i + 1 < n_states; ++i) {
      const uint32_t state = order[i];
      uint32_t failure =
          state < n_ids ? 0 : next(trie, failure_of(parents.of(state)), parents.label(state));
      if (!begins_word(lex, failure)) failure = 0;
      uint32_t output = lex.is_word(failure) ? failure : output_of(failure);
      links_[state] = uint64_t(failure) | uint64_t(output) << 24 | uint64_t(depth[state]) << 48;
    }
  }

  // The words in a text of character ids, by end, then longest first: the order of the automaton.
  template <class Words>
  void scan(const Words& lex, const uint16_t* ids, size_t n, std::vector<Found>& words) const {
    words.clear();
    uint32_t state = 0;
    for (size_t position = 0; position < n; ++position) {
      state = next(lex.trie, state, ids[position]);
      uint32_t word = lex.is_word(state) ? state : output_of(state);
      for (; word; word = output_of(word)) {
        uint32_t end = uint32_t(position + 1);
        words.push_back(Found{end - length_of(word), end, lex.word_id(word)});
      }
    }
  }

  // As scan(), but by start, then by end.
  void find(const Lexicon& lex, const uint16_t* ids, size_t n, std::vector<Found>& words) const {
    std::vector<Found> by_end;
    scan(lex, ids, n, by_end);
    // counting sort by start: stable, and the ends of one start ascend already
    std::vector<size_t> start_begin(n + 1, 0);
    for (const Found& word : by_end) ++start_begin[word.start + 1];
    for (size_t position = 1; position <= n; ++position)
      start_begin[position] += start_begin[position - 1];
    words.resize(by_end.size());
    for (const Found& word : by_end) words[start_begin[word.start]++] = word;
  }

  // Whether a word begins with the path of a state: level 1 has a slot for every character.
  template <class Words>
  static bool begins_word(const Words& lex, uint32_t state) {
    return unit_base(lex.trie.units[state]) || lex.is_word(state);
  }

  uint32_t failure_of(uint32_t state) const { return uint32_t(links_[state] & 0xFFFFFF); }
  uint32_t output_of(uint32_t state) const { return uint32_t(links_[state] >> 24) & 0xFFFFFF; }
  uint32_t length_of(uint32_t state) const { return uint32_t(links_[state] >> 48); }

  // The state after `id`: goto, or the goto of the failure state.
  uint32_t next(const Trie& trie, uint32_t state, uint32_t id) const {
    while (state) {
      uint32_t child = trie.child(state, id);
      if (child) return child;
      state = failure_of(state);
    }
    return id;
  }

 private:
  std::vector<uint64_t> links_;
};

}  // namespace segmenter
