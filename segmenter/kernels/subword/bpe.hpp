// Byte-pair encoding (Sennrich, Haddow and Birch 2016), of characters or of bytes: of all pairs of
// neighbours the one of the lowest rank is merged, the leftmost of several, until none has a rank.
//
// Four ways to the same pieces, the cheapest first:
//
// 1. A word that is a piece and that the merges make whole is one look-up (most words of running text).
// 2. The longest pieces first, taken back where two may not stand side by side (longest.hpp).
// 3. No merge reaches across two characters that stand side by side in no piece.  There the text
//    falls apart into short stretches that know nothing of each other: a long run of Chinese costs
//    what its words cost.  A Bloom filter of the pairs of characters in pieces tells where.
// 4. What is left: up to kSmall symbols by scanning for the lowest rank, more by a heap of pairs over
//    a linked list, so that no text costs more than O(n log n).
#pragma once
#include <functional>

#include "subword/longest.hpp"
#include "subword/merges.hpp"
#include "subword/model.hpp"
#include "utf8.hpp"

namespace segmenter {

// Marks of pieces: no text gives it; a word that is the piece is that piece, whatever the merges say.
constexpr uint8_t kPieceHidden = 1;
constexpr uint8_t kPieceWhole = 2;

class BpeModel final : public SubwordModel {
 public:
  static constexpr size_t kSmall = 32;
  static constexpr size_t kManyHan = 12000;

  bool byte_level = false;
  uint32_t n_ids = 0;  // greater ids only carry merges on: at the end they are unknown
  UnknownRule unknown;
  std::vector<uint32_t> prefix, suffix;  // of pieces that do not begin, that end a word
  MergeTable merges;

  // Takes the vocabulary: pieces as bytes if byte_level, else as code points.  `merges` is complete.
  // `marks`: one byte per piece.
  void build(const PieceList& pieces, const uint8_t* marks) {
    std::fill(byte_symbol_, byte_symbol_ + 256, kNoPiece);
    std::fill(byte_last_, byte_last_ + 256, kNoPiece);
    if (byte_level) {
      for (size_t i = 0; i < pieces.size(); ++i) {
        const uint32_t* p = pieces.begin(i);
        const size_t n = pieces.length(i);
        if (n == 1) byte_symbol_[*p] = pieces.ids[i];
        if (n == 1 + suffix.size() && std::equal(suffix.begin(), suffix.end(), p + 1))
          byte_last_[*p] = pieces.ids[i];
      }
    } else {
      find_alphabet(pieces, marks);
    }
    find_neighbours(pieces);
    find_splits(pieces, marks);
    find_words(pieces, marks);
    if (splits_) find_whole();
    find_singles();
  }

  size_t encode(const uint32_t* word, size_t n, size_t offset, SubwordScratch& s) const override {
    if (n <= words_.longest) {
      uint32_t id = words_.find(word, n);
      if (id != kNoPiece) {
        s.pieces.push_back({id & ~kWhole, uint32_t(offset), uint32_t(offset + n)});
        return n;
      }
    }
    if (n > 1 && splits_) {
      if (!many_han_ || !by_longest(word, n, offset, s)) encode_parts(word, n, offset, s);
    } else {
      encode_part(word, n, offset, s);
    }
    return n;
  }

 private:
  // mark of a piece that the merges do not make
  static constexpr uint32_t kWhole = 1u << 31;

  WordTable words_;
  uint32_t byte_symbol_[256],
      byte_last_[256];  // the second: of the last byte of a word, with the suffix
  CharIndex chars_;
  std::vector<uint32_t> symbol_;  // [character id][inner + 2 * last]
  Neighbours neighbours_;
  LongestFirst longest_;
  struct Single {
    uint32_t ids[4];
  };
  std::vector<bool> whole_;    // characters of the BMP that are pieces
  std::vector<uint8_t> ways_;  // of characters of the BMP, how pieces reach over their ends
  std::vector<Single>
      singles_;  // characters of the BMP by themselves; kNoPiece: nothing, or not known
  bool splits_ = false;
  bool many_han_ =
      false;  // pieces of several: then looking for places to fall apart costs more than it saves

  void find_alphabet(const PieceList& pieces, const uint8_t* marks) {
    chars_.build(pieces);
    symbol_.assign(size_t(chars_.n_ids) * 4, kNoPiece);
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (marks[i] & kPieceHidden) continue;
      const uint32_t* p = pieces.begin(i);
      size_t n = pieces.length(i);
      for (uint32_t variant = 0; variant < 4; ++variant) {
        const std::vector<uint32_t> none, &before = variant & 1 ? prefix : none,
                                          &after = variant & 2 ? suffix : none;
        if (n == before.size() + 1 + after.size() && std::equal(before.begin(), before.end(), p) &&
            std::equal(after.begin(), after.end(), p + n - after.size()))
          symbol_[size_t(chars_.map(p[before.size()])) * 4 + variant] = pieces.ids[i];
      }
    }
  }

  static uint32_t pack(const uint8_t* bytes, size_t n) {
    uint32_t out = 0;
    for (size_t i = 0; i < n; ++i) out = out << 8 | bytes[i];
    return out;
  }
  static uint32_t length_of(uint8_t lead) {
    return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  }

  // Where text may fall apart.  Not where affixes make a symbol depend on its place in the word, nor
  // where characters that are left out would bring others together.
  void find_neighbours(const PieceList& pieces) {
    if (!prefix.empty() || !suffix.empty()) return;
    if (byte_level)
      for (uint32_t b = 0; b < 0xF5; ++b)
        if (byte_symbol_[b] == kNoPiece && b != 0xC0 && b != 0xC1) return;
    std::vector<uint64_t> keys;
    uint32_t shapes = 0;
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i < pieces.size(); ++i) {
      bytes.clear();
      for (size_t k = 0; k < pieces.length(i); ++k) {
        uint8_t buffer[4];
        uint32_t unit = pieces.begin(i)[k];
        if (byte_level) {
          bytes.push_back(uint8_t(unit));
        } else {
          bytes.insert(bytes.end(), buffer, buffer + utf8_of(unit, buffer));
        }
      }
      for (size_t k = 1; k < bytes.size(); ++k) {
        if ((bytes[k] & 0xC0) == 0x80) continue;  // inside a character
        size_t a = k - 1;
        while (a && (bytes[a] & 0xC0) == 0x80) --a;
        bool whole = (bytes[a] & 0xC0) != 0x80;
        size_t have = std::min<size_t>(length_of(bytes[k]), bytes.size() - k);
        uint32_t lacks_right = length_of(bytes[k]) - uint32_t(have);
        if (k - a > 4) continue;  // no text has that
        keys.push_back(Neighbours::key(pack(&bytes[a], k - a), pack(&bytes[k], have)));
        // what a partial character lacks is not known: every length that it may have
        for (uint32_t lacks = whole ? 0 : 1; lacks <= (whole ? 0 : 4 - (k - a)); ++lacks)
          shapes |= 1u << (4 * lacks + lacks_right);
      }
    }
    neighbours_.build(keys, shapes);
    whole_.assign(0x10000, false);
    ways_.resize(0x10000);
    for (uint32_t cp = 0; cp < 0x10000; ++cp) {
      uint8_t spelt[4];
      const uint32_t n = utf8_of(cp, spelt), packed = pack(spelt, n);
      ways_[cp] = uint8_t(neighbours_.goes_on(packed, n) | neighbours_.comes_after(packed, n) << 4);
    }
    splits_ = true;
  }

  // Of pieces that the merges make of their own symbols, the last merge; of others, and of words in
  // ASCII, nothing: most of those are pieces whole.
  void find_splits(const PieceList& pieces, const uint8_t* marks) {
    if (!splits_) return;
    const uint32_t last =
        pieces.size() ? *std::max_element(pieces.ids.begin(), pieces.ids.end()) : 0;
    longest_.reserve(size_t(last) + 1);
    SubwordScratch s;
    for (size_t i = 0; i < pieces.size(); ++i) {
      const size_t n = pieces.length(i);
      if (marks[i] & kPieceHidden || !n || n > kSmall || (n > 1 && pieces.ascii(i))) continue;
      room(s, n);
      bool known = true;
      for (size_t k = 0; k < n && known; ++k) {
        const uint32_t unit = pieces.begin(i)[k];
        s.id[k] = byte_level ? byte_symbol_[unit & 255] : symbol_[size_t(chars_.map(unit)) * 4];
        known = s.id[k] != kNoPiece;
      }
      if (!known) continue;
      if (n == 1) {
        longest_.split(pieces.ids[i]).made = s.id[0] == pieces.ids[i];
        continue;
      }
      if (merge_by_scan(n, s, 2) != 2) continue;
      const MergeTable::Merge& merge = merges.find(s.id[0], s.id[1]);
      if (merge.rank == MergeTable::kNone || merge.made != pieces.ids[i]) continue;
      longest_.split(merge.made) = {s.id[0], s.id[1], merge.rank + 1, true};
    }
    std::vector<bool> begins(size_t(last) + 1, true);  // with a character, not inside one
    if (byte_level)
      for (size_t i = 0; i < pieces.size(); ++i)
        begins[pieces.ids[i]] = pieces.length(i) && (*pieces.begin(i) & 0xC0) != 0x80;
    std::vector<uint64_t> over;
    merges.each([&](uint32_t left, uint32_t right) {
      if (left <= last && right <= last && begins[right])
        over.push_back(uint64_t(left) << 32 | right);
    });
    longest_.set_merges(over);
  }

  // Words that the merges make into one piece, and those of mark kPieceWhole.
  void find_words(const PieceList& pieces, const uint8_t* marks) {
    WordTable table;
    table.reserve(pieces.size());
    SubwordScratch s;
    PieceList given;
    size_t han = 0;
    std::vector<uint32_t> word;
    for (size_t i = 0; i < pieces.size(); ++i) {
      const uint32_t id = pieces.ids[i];
      if (marks[i] & kPieceHidden || id >= n_ids) continue;
      bool wanted = marks[i] & kPieceWhole;
      if (!spelling(pieces.begin(i), pieces.length(i), wanted, word)) continue;
      bool merged;
      if (splits_ && pieces.length(i) <= kSmall && (pieces.length(i) == 1 || !pieces.ascii(i))) {
        merged = longest_.split(id).made;
        if (longest_.in_order(id)) {
          given.add(word.data(), 4, word.size(), id);
          han += word.size() > 1 && word[0] >= 0x4E00 && word[0] < 0xA000;
        }
      } else {
        s.pieces.clear();
        encode(word.data(), word.size(), 0, s);  // words_ is still empty
        merged = s.pieces.size() == 1 && s.pieces[0].id == id && !s.pieces[0].start &&
                 s.pieces[0].end == word.size();
      }
      if (merged || wanted) table.add(word.data(), word.size(), id | (merged ? 0 : kWhole));
    }
    words_ = std::move(table);
    if (splits_) longest_.build(given);
    many_han_ = han >= kManyHan;
  }

  // The word that a piece would be, in code points; false where it can be none.
  bool spelling(const uint32_t* piece, size_t n, bool as_it_is, std::vector<uint32_t>& word) const {
    word.clear();
    const size_t end = as_it_is ? 0 : suffix.size();
    if (n <= end || !std::equal(suffix.end() - ptrdiff_t(end), suffix.end(), piece + n - end))
      return false;
    n -= end;
    if (!byte_level) {
      word.assign(piece, piece + n);
      return true;
    }
    std::vector<uint8_t> bytes(piece, piece + n);
    for (size_t i = 0; i < n;) {
      uint32_t cp, used = decode_utf8(&bytes[i], n - i, cp);
      if (!used) return false;
      word.push_back(cp);
      i += used;
    }
    return !word.empty();
  }

  void find_singles() {
    if (!splits_) return;
    std::vector<Single> found(0x10000, Single{{kNoPiece, kNoPiece, kNoPiece, kNoPiece}});
    SubwordScratch s;
    for (uint32_t cp = 0; cp < 0x10000; ++cp) {
      s.pieces.clear();
      if (!known(cp)) continue;
      encode_parts(&cp, 1, 0, s);
      if (s.pieces.size() > 4) continue;
      for (size_t i = 0; i < s.pieces.size(); ++i) found[cp].ids[i] = s.pieces[i].id;
    }
    singles_ = std::move(found);
  }

  void find_whole() {
    for (uint32_t cp = 0; cp < 0x10000; ++cp) whole_[cp] = words_.find(&cp, 1) < kWhole;
  }

  bool known(uint32_t cp) const {
    return byte_level || symbol_[size_t(chars_.map(cp)) * 4] != kNoPiece;
  }

  // Whether no merge reaches across x and y.
  bool apart(uint32_t x, uint32_t y) const {
    if (!known(x) || !known(y)) return false;
    uint8_t left[4], right[4];
    const uint32_t n_x = utf8_of(x, left), n_y = utf8_of(y, right);
    const uint32_t a = pack(left, n_x), b = pack(right, n_y);
    const uint32_t goes = x < ways_.size() ? ways_[x] & 15 : neighbours_.goes_on(a, n_x);
    const uint32_t comes = y < ways_.size() ? ways_[y] >> 4 : neighbours_.comes_after(b, n_y);
    return !goes || !comes || !neighbours_.may_join(a, n_x, goes, b, n_y, comes);
  }

  // False where it takes no look-up to know that no merge reaches across x and y.
  bool may_meet(uint32_t x, uint32_t y) const {
    if (x >= ways_.size() || y >= ways_.size()) return true;
    return ((ways_[x] & 15) && (ways_[y] >> 4)) || !whole_[x] || !whole_[y];
  }

  bool by_longest(const uint32_t* word, size_t n, size_t offset, SubwordScratch& s) const {
    if (n > LongestFirst::kMost || !longest_.ready()) return false;
    bool ascii = true;
    for (size_t i = 0; i < n; ++i) {
      if (word[i] < 0x10000 && !whole_[word[i]]) return false;
      ascii &= word[i] < 0x80;
    }
    return !ascii && longest_.run(word, n, offset, s, [this](uint32_t x, uint32_t y) {
      return merges.find(x, y).rank;
    });
  }

  void encode_parts(const uint32_t* word, size_t n, size_t offset, SubwordScratch& s) const {
    size_t start = 0;
    for (size_t i = 1; i <= n; ++i) {
      if (i < n && may_meet(word[i - 1], word[i]) &&
          !s.apart.get(word[i - 1], word[i], [&] { return apart(word[i - 1], word[i]); }))
        continue;
      const size_t length = i - start, at = offset + start;
      if (length == 1 && word[start] < singles_.size() &&
          singles_[word[start]].ids[0] != kNoPiece) {
        for (uint32_t id : singles_[word[start]].ids)
          if (id != kNoPiece) s.pieces.push_back({id, uint32_t(at), uint32_t(at + 1)});
        start = i;
        continue;
      }
      const PieceKey key(word + start, length);
      if (!key || !s.parts.get(key, uint32_t(at), s.pieces)) {
        const size_t before = s.pieces.size();
        const uint32_t id = words_.find(word + start, length);
        if (id < kWhole) {
          s.pieces.push_back({id, uint32_t(at), uint32_t(at + length)});
        } else if (!by_longest(word + start, length, at, s)) {
          encode_part(word + start, length, at, s);
        }
        if (key) s.parts.put(key, uint32_t(at), s.pieces.data() + before, s.pieces.size() - before);
      }
      start = i;
    }
  }

  void encode_part(const uint32_t* word, size_t n, size_t offset, SubwordScratch& s) const {
    size_t m = byte_level ? byte_symbols(word, n, s) : char_symbols(word, n, s);
    if (m > kSmall) {
      merge_by_heap(m, s);
    } else if (m > 1) {
      m = merge_by_scan(m, s);
    }
    write(word, m > kSmall, m, offset, s);
  }

  static void room(SubwordScratch& s, size_t n) {
    if (s.id.size() < n) {
      s.id.resize(n);
      s.rank.resize(n);
      s.made.resize(n);
      s.from.resize(n);
      s.to.resize(n);
    }
  }

  size_t byte_symbols(const uint32_t* word, size_t n, SubwordScratch& s) const {
    room(s, 4 * n);
    size_t m = 0;
    for (size_t i = 0; i < n; ++i) {
      uint8_t bytes[4];
      uint32_t k = utf8_of(word[i], bytes);
      for (uint32_t b = 0; b < k; ++b) {
        uint32_t id = (i + 1 == n && b + 1 == k ? byte_last_ : byte_symbol_)[bytes[b]];
        if (id == kNoPiece) {
          if (unknown.unk == kNoPiece) continue;
          id = unknown.unk;
        }
        s.id[m] = id;
        s.from[m] = uint32_t(i);
        s.to[m++] = uint32_t(i + 1);
      }
    }
    return m;
  }

  size_t char_symbols(const uint32_t* word, size_t n, SubwordScratch& s) const {
    room(s, n);
    size_t m = 0;
    const bool affixes = !prefix.empty() || !suffix.empty();
    for (size_t i = 0; i < n; ++i) {
      uint32_t variant = affixes ? (i ? 1u : 0u) + (i + 1 == n ? 2u : 0u) : 0u;
      uint32_t id = symbol_[size_t(chars_.map(word[i])) * 4 + variant];
      if (id == kNoPiece && unknown.unk == kNoPiece && !unknown.byte_fallback)
        continue;  // left out
      s.id[m] = id;
      s.from[m] = uint32_t(i);
      s.to[m++] = uint32_t(i + 1);
    }
    return m;
  }

  void rank_pair(size_t i, uint32_t left, uint32_t right, SubwordScratch& s) const {
    const MergeTable::Merge& merge = merges.find(left, right);
    s.rank[i] = merge.rank;
    s.made[i] = merge.made;
  }

  // Down to `least_left` symbols, if the merges go so far.
  size_t merge_by_scan(size_t m, SubwordScratch& s, size_t least_left = 1) const {
    uint32_t* id = s.id.data();
    uint32_t* rank = s.rank.data();
    uint32_t* made = s.made.data();
    for (size_t i = 0; i + 1 < m; ++i) rank_pair(i, id[i], id[i + 1], s);
    while (m > least_left) {
      uint32_t least = MergeTable::kNone;
      for (size_t i = 0; i + 1 < m; ++i) least = std::min(least, rank[i]);
      if (least == MergeTable::kNone) break;
      size_t at = 0;
      while (rank[at] != least) ++at;
      id[at] = made[at];
      s.to[at] = s.to[at + 1];
      --m;
      for (size_t i = at + 1; i < m; ++i) {
        id[i] = id[i + 1];
        rank[i] = rank[i + 1];
        made[i] = made[i + 1];
        s.from[i] = s.from[i + 1];
        s.to[i] = s.to[i + 1];
      }
      if (at + 1 < m) rank_pair(at, id[at], id[at + 1], s);
      if (at) rank_pair(at - 1, id[at - 1], id[at], s);
    }
    return m;
  }

  // Symbols stay where they are, s.next leads on; entries of the heap are rank << 32 | place, stale
  // where the place has another rank by now.
  void merge_by_heap(size_t m, SubwordScratch& s) const {
    s.prev.resize(m);
    s.next.resize(m);
    s.heap.clear();
    for (size_t i = 0; i < m; ++i) {
      s.prev[i] = uint32_t(i - 1);
      s.next[i] = uint32_t(i + 1);
      if (i + 1 == m) {
        s.rank[i] = MergeTable::kNone;
        break;
      }
      rank_pair(i, s.id[i], s.id[i + 1], s);
      if (s.rank[i] != MergeTable::kNone) s.heap.push_back(uint64_t(s.rank[i]) << 32 | i);
    }
    const std::greater<uint64_t> later;
    std::make_heap(s.heap.begin(), s.heap.end(), later);
    auto offer = [&](size_t i) {
      rank_pair(i, s.id[i], s.id[s.next[i]], s);
      if (s.rank[i] == MergeTable::kNone) return;
      s.heap.push_back(uint64_t(s.rank[i]) << 32 | i);
      std::push_heap(s.heap.begin(), s.heap.end(), later);
    };
    for (uint32_t turn = 1; !s.heap.empty(); ++turn) {
      if (turn % Interrupt::kEvery == 0) Interrupt::look();
      uint64_t top = s.heap.front();
      std::pop_heap(s.heap.begin(), s.heap.end(), later);
      s.heap.pop_back();
      size_t i = uint32_t(top);
      if (s.rank[i] != uint32_t(top >> 32)) continue;
      size_t k = s.next[i];
      s.id[i] = s.made[i];
      s.to[i] = s.to[k];
      s.rank[k] = MergeTable::kNone;
      s.next[i] = s.next[k];
      if (s.next[i] < m) {
        s.prev[s.next[i]] = uint32_t(i);
        offer(i);
      } else {
        s.rank[i] = MergeTable::kNone;
      }
      if (i) offer(s.prev[i]);
    }
  }

  void write(const uint32_t* word, bool linked, size_t m, size_t offset, SubwordScratch& s) const {
    for (size_t i = 0; i < m;) {
      size_t next = linked ? s.next[i] : i + 1;
      if (s.id[i] < n_ids) {
        s.pieces.push_back({s.id[i], uint32_t(offset + s.from[i]), uint32_t(offset + s.to[i])});
      } else {
        uint32_t end = s.to[i];
        while (next < m && s.id[next] >= n_ids && s.from[next] == end) {
          end = s.to[next];
          next = linked ? s.next[next] : next + 1;
        }
        unknown.write(word, s.from[i], end, offset, s.pieces);
      }
      i = next;
    }
  }
};

}  // namespace segmenter
