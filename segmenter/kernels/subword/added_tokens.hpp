// Finds added tokens in a text: the longest of the leftmost ones, then continues after its end.
//
// An Aho-Corasick automaton over the trie of the tokens, so the cost does not depend on their
// number, which may be thousands. Between tokens, characters that begin none are skipped quickly.
#pragma once
#include "lexicon/aho_corasick.hpp"
#include "subword/model.hpp"

namespace segmenter {

class TokenFinder {
 public:
  // Token i of `tokens` is reported as number tokens.ids[i].
  void build(const PieceList& tokens);

  size_t find(const Text& text, bool first_only, std::vector<Found>& out) const {
    return text.cells([&](auto* cells) { return find(cells, text.n, first_only, out); });
  }
  // Appends to `out`; `first_only` stops after the first. Returns how many characters it looked at.
  template <class Char>
  size_t find(const Char* t, size_t n, bool first_only, std::vector<Found>& out) const {
    const Trie& trie = trie_.trie;
    const CharMap map = trie_.chars.map;
    size_t steps = 0;
    for (size_t start = 0; start < n;) {
      uint32_t state = 0;
      Found best{0, 0, kNoPiece};
      size_t k = start;
      for (; k < n; ++k) {
        if (!state && only_low_ && best.number == kNoPiece) {
          const size_t skip_start = k;
          while (k < n && (t[k] >= 256 || !low_[t[k] & 255])) ++k;
          steps += k - skip_start;
          if (k == n) break;
        }
        ++steps;
        const uint32_t cp = t[k];
        if (!state && (cp < 256 ? !low_[cp] : !begins_[map(cp)])) {
          if (best.number != kNoPiece) break;
          continue;
        }
        state = automaton_.next(trie, state, map(cp));
        if (state < trie.n_ids && !begins_[state]) state = 0;
        const uint32_t end = uint32_t(k + 1);
        if (best.number != kNoPiece && (!state || end - automaton_.length_of(state) > best.start))
          break;
        if (!state) continue;
        const uint32_t word = trie_.is_word(state) ? state : automaton_.output_of(state);
        if (!word) continue;
        const uint32_t start = end - automaton_.length_of(word);
        if (best.number == kNoPiece || start <= best.start)
          best = Found{start, end, trie_.word_id(word)};
      }
      if (best.number == kNoPiece) break;
      best.number = ids_[best.number];
      out.push_back(best);
      if (first_only) break;
      start = best.end;
    }
    return steps;
  }

 private:
  PieceTrie trie_;
  AhoCorasick automaton_;
  std::vector<uint32_t> ids_;
  std::vector<uint8_t> begins_;  // by character id
  uint8_t low_[256];             // by code point
  bool only_low_ = false;        // no token begins with a character from U+0100 on
};

}  // namespace segmenter
