// Byte-pair encoding without merging: takes the longest pieces first, and backtracks if the merges
// would not have left two of them adjacent.
//
// Merging a text gives the pieces t1 … tn if and only if merging each t[i] t[i + 1] on its own
// gives these two: the first merge across a border of the text would also be the first one there.
// Hence exactly one sequence of pieces has only compatible neighbours, and it is the result of
// merging, no matter how it is found (the method of the Rust crate bpe, GitHub 2024). If the search
// finds none (because of a piece with half a character, say), the caller merges.
//
// To decide whether two pieces are compatible, their merges are undone in reverse order: of the two
// parts at the border, the one merged later is split first, and at no time may the merge of the two
// parts that meet there have been due. That order is the order of ranks only if every merge has a
// higher rank than the merges of its parts; other pieces do not take part.
#pragma once
#include "probe.hpp"
#include "subword/merges.hpp"

namespace segmenter {

class LongestFirst {
 public:
  static constexpr size_t kMaxLength = 63;  // characters of a word

  struct Split {
    uint32_t left = kNoPiece, right = kNoPiece;
    uint32_t turn = 0;     // rank + 1 of the last merge; 0: a symbol, or not used
    uint8_t produced = 0;  // the merges produce it
    // Whether the piece, or any part at its end (at its beginning) when it is split up, is the left
    // (the right) part of a merge across a border of characters: if not, nothing reaches across
    // that end.
    uint8_t goes_on = 0, comes_after = 0;
  };

  bool built() const { return !entries_.empty(); }
  const CharIndex& chars() const { return trie_.chars; }
  void reserve(size_t n_ids) { splits_.resize(n_ids); }
  Split& split(uint32_t id) { return splits_[id]; }
  // Whether a piece results from merges of rising rank; completes its goes_on and comes_after.
  bool in_order(uint32_t id) {
    Split& split = splits_[id];
    if (!split.produced || !split.turn) return split.produced;
    const Split &left = splits_[split.left], &right = splits_[split.right];
    if (left.turn >= split.turn || right.turn >= split.turn) return false;
    if (!in_order(split.left) || !in_order(split.right)) return false;
    split.goes_on |= right.goes_on;
    split.comes_after |= left.comes_after;
    return true;
  }
  struct Merge {
    uint32_t left, right, rank;
  };
  // Sets all merges across borders of characters.
  void set_merges(std::vector<Merge> merges) {
    merges_ = std::move(merges);
    for (const Merge& merge : merges_)  // those of other pieces are never looked up
      if (splits_[merge.left].produced && splits_[merge.right].produced)
        splits_[merge.left].goes_on = splits_[merge.right].comes_after = true;
  }

  // `words`: the pieces to use, as code points, all in_order(). Call it after setting all splits.
  void build(const PieceList& words) {
    std::vector<uint32_t> number(splits_.size(), kNoPiece), pending(words.ids);
    while (!pending.empty()) {  // number these pieces and their parts
      const uint32_t id = pending.back();
      pending.pop_back();
      if (number[id] != kNoPiece) continue;
      number[id] = 0;
      if (splits_[id].turn) pending.insert(pending.end(), {splits_[id].left, splits_[id].right});
    }
    for (uint32_t id = 0; id < number.size(); ++id) {
      if (number[id] == kNoPiece) continue;
      number[id] = uint32_t(pieces_.size());
      pieces_.push_back(
          {splits_[id].left, splits_[id].right,
           splits_[id].turn << 2 | uint32_t(splits_[id].goes_on) << 1 | splits_[id].comes_after});
    }
    uint32_t max_turn = 0;
    for (Piece& piece : pieces_) {
      max_turn = std::max(max_turn, piece.turn());
      if (!piece.turn()) continue;
      piece.left = number[piece.left];
      piece.right = number[piece.right];
    }
    for (const Merge& merge : merges_) max_turn = std::max(max_turn, merge.rank + 1);
    if (words.size() && pieces_.size() < (1u << 20) && max_turn < (1u << 24)) {
      set_due(number);
      std::vector<uint64_t> weights;  // early merges are frequent
      for (uint32_t id : words.ids) weights.push_back((1u << 30) / (splits_[id].turn + 1000));
      trie_.build(words, PieceList(), weights);
      for (uint32_t word : trie_.slot_pieces)
        entries_.push_back(word == kNoPiece ? Entry()
                                            : Entry{words.ids[word], number[words.ids[word]]});
      trie_.slot_pieces = {};
    }
    splits_ = {};
    merges_ = {};
  }

  // Prefetches the first data for a word that begins with two characters.
  void fetch(uint32_t x, uint32_t y) const {
    const Trie& trie = trie_.trie;
    if (x >= trie.n_ids || y >= trie.n_ids) return;
    const uint32_t slot = unit_base(trie.units[x]) + y;
    __builtin_prefetch(trie.units + slot);
    __builtin_prefetch(entries_.data() + slot);
  }

  // Appends the pieces of word[0, n), given by the numbers of its characters, n up to kMaxLength,
  // to s.pieces; returns false and appends nothing if it finds none.
  bool run(const uint16_t* word, size_t n, size_t offset, SubwordScratch& s) const {
    Entry chosen[kMaxLength];
    uint32_t ends[kMaxLength];
    size_t count = 0;
    uint64_t dead = 0;  // positions where no piece can end
    for (size_t position = 0, limit = n; position < n;) {
      Entry entry;
      size_t length = longest(word + position, limit, entry);
      for (; length; length = longest(word + position, length - 1, entry)) {
        if (dead >> (position + length) & 1) continue;
        if (!count) break;
        const uint32_t x = chosen[count - 1].number, y = entry.number;
        if (s.compatible_cache.get(x, y, [&] { return compatible(x, y); })) break;
      }
      if (length) {
        chosen[count] = entry;
        position += length;
        ends[count++] = uint32_t(position);
        limit = n - position;
        continue;
      }
      if (!count) return false;
      dead |= uint64_t(1) << position;
      --count;
      const size_t begin = count ? ends[count - 1] : 0;
      limit = ends[count] - begin - 1;
      position = begin;
    }
    uint32_t start = uint32_t(offset);
    for (size_t i = 0; i < count; ++i) {
      const uint32_t end = uint32_t(offset + ends[i]);
      s.pieces.push_back({chosen[i].id, start, end});
      start = end;
    }
    return true;
  }

 private:
  // Numbered densely, so that the pieces of Chinese words are close together in memory.
  struct Piece {
    uint32_t left, right;
    uint32_t turns;  // turn << 2 | goes on << 1 | comes after
    uint32_t turn() const { return turns >> 2; }
    bool goes_on() const { return turns & 2; }
    bool comes_after() const { return turns & 1; }
  };
  struct Entry {
    uint32_t id = kNoPiece, number = 0;
  };
  PieceTrie trie_;
  std::vector<Entry> entries_;  // at each slot of the trie
  std::vector<Split> splits_;   // by id, until everything is built
  std::vector<Merge> merges_;
  std::vector<Piece> pieces_;
  std::vector<uint64_t> ranks_;  // left << 44 | right << 24 | rank + 1, by hash; 0: free
  PairBits due_;

  static uint64_t key(uint32_t left, uint32_t right) { return uint64_t(left) << 20 | right; }
  size_t place(uint64_t key) const {
    const size_t last = ranks_.size() - 1;
    return probe(size_t(key * 0x9E3779B97F4A7C15u >> 32) & last, last,
                 [&](size_t i) { return !ranks_[i] || ranks_[i] >> 24 == key; });
  }
  void set_due(const std::vector<uint32_t>& number) {
    size_t n = 0;
    for (const Merge& m : merges_) n += number[m.left] != kNoPiece && number[m.right] != kNoPiece;
    ranks_.assign(power_of_two(2 * n), 0);
    due_.reserve(n);
    for (const Merge& m : merges_) {
      if (number[m.left] == kNoPiece || number[m.right] == kNoPiece) continue;
      const uint64_t pair = key(number[m.left], number[m.right]);
      due_.add(pair);
      ranks_[place(pair)] = pair << 24 | (m.rank + 1);
    }
  }
  // The rank of the merge of two pieces; 0xFFFFFFFF if there is none.
  uint32_t rank(uint32_t left, uint32_t right) const {
    const uint64_t pair = key(left, right);
    return due_.may_have(pair) ? uint32_t(ranks_[place(pair)] & 0xFFFFFF) - 1 : 0xFFFFFFFF;
  }

  // The length of the longest piece of up to `limit` characters at t; 0: none.
  size_t longest(const uint16_t* t, size_t limit, Entry& piece) const {
    if (!limit) return 0;
    const Trie& trie = trie_.trie;
    size_t length = 0;
    uint32_t slot = *t < trie.n_ids ? *t : 0;
    for (size_t k = 1; slot; ++k) {
      const uint64_t unit = trie.units[slot];
      if (unit_cost(unit) != kNoCost) {
        piece = entries_[slot];
        length = k;
      }
      if (k == limit) break;
      const uint32_t next = t[k];
      if (!next || next >= trie.n_ids || !unit_guard(unit, next)) break;
      slot = trie.child(slot, next);
    }
    return length;
  }

  bool compatible(uint32_t left, uint32_t right) const {
    uint32_t left_due = 0xFFFFFFFF, right_due = 0xFFFFFFFF;  // rank of the merge that uses each
    for (;;) {
      const Piece &a = pieces_[left], &b = pieces_[right];
      if (!a.goes_on() || !b.comes_after()) return true;
      const uint32_t due = rank(left, right);
      if (due < left_due && due <= right_due) return false;
      if (a.turn() > b.turn()) {
        left_due = a.turn() - 1;
        left = a.right;
      } else if (b.turn()) {
        right_due = b.turn() - 1;
        right = b.left;
      } else {
        return true;
      }
    }
  }
};

}  // namespace segmenter
