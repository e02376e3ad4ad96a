// Byte-pair encoding without merging: the longest pieces first, taken back where the merges would not
// have left two of them side by side.
//
// Merging pieces t1 … tn of a text gives these pieces back exactly if merging each t[i] t[i + 1] by
// itself does: the first merge that reached across a border of the text would be the first there, too.
// So there is one row of pieces of which all neighbours may stand side by side, and whichever way it is
// found it is what the merges give (the way of the Rust crate bpe, GitHub 2024).  Where the search finds
// none (a piece of half a character, say), the caller merges.
//
// Whether two may stand side by side is read off how each was made, backwards: of both, what lies at the
// border is undone, the later merge first, and at no time may the two that meet there have been due.
// That order is the order of ranks only where every merge has a higher rank than those that made its
// parts; pieces that are not made so do not take part.
#pragma once
#include "subword/merges.hpp"

namespace segmenter {

class LongestFirst {
 public:
  static constexpr size_t kMost = 63;  // characters of a word

  struct Split {
    uint32_t left = kNoPiece, right = kNoPiece;
    uint32_t turn = 0;  // rank and one of the last merge; 0: a symbol, or nothing that takes part
    uint8_t made = 0;   // the merges make it
    // Whether it, or what lies at its end (at its beginning) while it is undone, is the left (the
    // right) part of a merge over a border of characters: if not, nothing reaches over that end.
    uint8_t goes_on = 0, comes_after = 0;
  };

  bool ready() const { return !trie_.at_slot.empty(); }
  const CharIndex& chars() const { return trie_.chars; }
  void reserve(size_t n_ids) { splits_.resize(n_ids); }
  Split& split(uint32_t id) { return splits_[id]; }
  // Whether a piece was made by merges of rising rank; its split then knows what reaches over its ends.
  bool in_order(uint32_t id) {
    Split& split = splits_[id];
    if (!split.made || !split.turn) return split.made;
    const Split &left = splits_[split.left], &right = splits_[split.right];
    if (left.turn >= split.turn || right.turn >= split.turn) return false;
    if (!in_order(split.left) || !in_order(split.right)) return false;
    split.goes_on |= right.goes_on;
    split.comes_after |= left.comes_after;
    return true;
  }
  // All merges over borders of characters, as left << 32 | right.
  void set_merges(const std::vector<uint64_t>& pairs) {
    due_.reserve(pairs.size());
    for (uint64_t pair : pairs) {
      if (!splits_[pair >> 32].made || !splits_[uint32_t(pair)].made) continue;  // never asked for
      due_.add(pair);
      splits_[pair >> 32].goes_on = splits_[uint32_t(pair)].comes_after = true;
    }
  }

  // `words`: the pieces that may be given, as code points.  All splits are set.
  void build(const PieceList& words) {
    if (!words.size()) return;
    trie_.build(words, PieceList(), std::vector<uint64_t>(words.size(), 1));
    for (uint32_t& at : trie_.at_slot)
      if (at != kNoPiece) at = words.ids[at];
  }

  // What a word that begins with two characters will ask for first.
  void fetch(uint32_t x, uint32_t y) const {
    const Trie& trie = trie_.trie;
    if (x >= trie.n_ids || y >= trie.n_ids) return;
    const uint32_t slot = unit_base(trie.units[x]) + y;
    __builtin_prefetch(trie.units + slot);
    __builtin_prefetch(trie_.at_slot.data() + slot);
  }

  // Appends the pieces of word[0, n), characters by their numbers, n up to kMost, to s.pieces; false, and nothing appended, where it
  // finds none.
  template <class Rank>
  bool run(const uint16_t* word, size_t n, size_t offset, SubwordScratch& s, Rank&& rank) const {
    std::vector<SubwordPiece>& out = s.pieces;
    const size_t before = out.size();
    uint64_t dead = 0;  // places where no piece ends
    for (size_t at = 0, most = n; at < n;) {
      uint32_t id;
      size_t length = longest(word + at, most, id);
      for (; length; length = longest(word + at, length - 1, id)) {
        if (dead >> (at + length) & 1) continue;
        if (out.size() == before) break;
        const uint32_t last = out.back().id;
        if (s.beside.get(last, id, [&] { return beside(last, id, rank); })) break;
      }
      if (length) {
        out.push_back({id, uint32_t(offset + at), uint32_t(offset + at + length)});
        at += length;
        most = n - at;
        continue;
      }
      if (out.size() == before) return false;
      dead |= uint64_t(1) << at;
      most = out.back().end - out.back().start - 1;
      at = out.back().start - offset;
      out.pop_back();
    }
    return true;
  }

 private:
  PieceTrie trie_;
  std::vector<Split> splits_;
  PairBits due_;

  // The longest piece of up to `most` characters at t; its length, 0: none.
  size_t longest(const uint16_t* t, size_t most, uint32_t& id) const {
    if (!most) return 0;
    const Trie& trie = trie_.trie;
    size_t found = 0;
    uint32_t slot = *t < trie.n_ids ? *t : 0;
    for (size_t k = 1; slot; ++k) {
      const uint64_t unit = trie.units[slot];
      if (unit_cost(unit) != kNoCost) {
        const uint32_t piece = trie_.at_slot[slot];
        if (piece != kNoPiece) {
          id = piece;
          found = k;
        }
      }
      if (k == most) break;
      const uint32_t next = t[k];
      if (!next || next >= trie.n_ids || !unit_guard(unit, next)) break;
      slot = trie.child(slot, next);
    }
    return found;
  }

  // rank(left, right): of the merge of two, 0xFFFFFFFF where there is none.
  template <class Rank>
  bool beside(uint32_t left, uint32_t right, Rank&& rank) const {
    uint32_t left_due = 0xFFFFFFFF, right_due = 0xFFFFFFFF;  // rank of the merge that takes each
    for (;;) {
      const Split &a = splits_[left], &b = splits_[right];
      if (!a.goes_on || !b.comes_after) return true;
      if (due_.may_have(uint64_t(left) << 32 | right)) {
        const uint32_t due = rank(left, right);
        if (due < left_due && due <= right_due) return false;
      }
      if (a.turn > b.turn) {
        left_due = a.turn - 1;
        left = a.right;
      } else if (b.turn) {
        right_due = b.turn - 1;
        right = b.left;
      } else {
        return true;
      }
    }
  }
};

}  // namespace segmenter
