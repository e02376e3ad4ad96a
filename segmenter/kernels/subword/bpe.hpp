// Byte-pair encoding (Sennrich, Haddow and Birch 2016), of characters or of bytes: repeatedly
// merges the adjacent pair with the lowest rank, leftmost first, until no pair has a rank.
//
// There are four methods with the same result, cheapest first:
//
// 1. A word that the merges turn into a single piece is one look-up. This covers most words in
//    alphabetic scripts; from kDirect on, in Chinese, Japanese and Korean, words are longer than
//    pieces.
// 2. Two characters that are adjacent in no piece are never joined by a merge (joints.hpp). There
//    the text splits into independent stretches, most of which are one character or one piece, so
//    that a long run of Chinese costs no more than its words.
// 3. Longest pieces first, with backtracking if two may not be adjacent (longest.hpp).
// 4. Merging: up to kSmall symbols by scanning for the lowest rank, more with a heap of pairs over
//    a linked list, so that no text costs more than O(n log n).
#pragma once
#include <functional>

#include "subword/joints.hpp"
#include "subword/longest.hpp"
#include "subword/merges.hpp"
#include "subword/model.hpp"
#include "utf8.hpp"

namespace segmenter {

class BpeModel final : public SubwordModel {
 public:
  static constexpr size_t kSmall = 32;
  static constexpr size_t kAhead = 512;
  static constexpr uint32_t kDirect = 0x2E80;  // Chinese, Japanese, Korean and everything above

  explicit BpeModel(const BpeParts& parts)
      : byte_level_(parts.byte_level),
        n_ids_(parts.n_ids),
        unknown_(parts.unknown),
        prefix_(parts.prefix),
        suffix_(parts.suffix) {
    merges_.reserve(parts.n_merges);
    for (size_t i = 0; i < parts.n_merges; ++i) {
      const uint32_t* row = parts.merges + 4 * i;
      merges_.set(row[0], row[1], row[2], row[3]);
    }
    build(parts.pieces, parts.marks.data());
  }

  size_t encode_word(const uint32_t* word, size_t n, size_t offset,
                     SubwordScratch& s) const override {
    if (n && word[0] < direct_from) {
      const uint32_t id = n <= words_.longest ? words_.find(word, n) : kNoPiece;
      if (id != kNoPiece) {
        s.pieces.push_back({id & ~kWhole, uint32_t(offset), uint32_t(offset + n)});
        return n;
      }
    }
    if (splittable_ && n) {
      encode_parts(word, n, offset, s);
    } else {
      encode_part(word, n, offset, s);
    }
    return n;
  }

  void look_ahead(const uint32_t* word, size_t n, size_t available,
                  SubwordScratch& s) const override {
    if (!is_ahead(word, n, s)) read_ahead(word, available, s);
  }

 private:
  const bool byte_level_;
  const uint32_t n_ids_;
  const UnknownRule unknown_;
  const std::vector<uint32_t> prefix_, suffix_;
  static constexpr uint32_t kWhole = 1u << 31;  // flags a piece that the merges do not produce
  MergeTable merges_;
  WordTable words_;
  uint32_t byte_symbol_[256], byte_last_[256];  // of bytes; of last bytes of words, with the suffix
  CharIndex chars_;
  std::vector<uint32_t> symbol_;  // [character id][inner + 2 * last]
  Joints joints_;
  LongestFirst longest_;
  std::vector<bool> is_piece_;    // characters of the BMP that are pieces
  bool splittable_ = false;       // find_neighbours() has found where text may be split
  bool unknown_alone_ = false;    // an unknown character gives the same pieces in any context
  bool has_whole_words_ = false;  // some word from kDirect on is a piece with kWhole

  void build(const PieceList& pieces, const uint8_t* marks) {
    std::fill(byte_symbol_, byte_symbol_ + 256, kNoPiece);
    std::fill(byte_last_, byte_last_ + 256, kNoPiece);
    if (byte_level_) {
      for (size_t i = 0; i < pieces.size(); ++i) {
        const uint32_t* p = pieces.begin(i);
        const size_t n = pieces.length(i);
        if (n == 1) byte_symbol_[*p] = pieces.ids[i];
        if (n == 1 + suffix_.size() && std::equal(suffix_.begin(), suffix_.end(), p + 1))
          byte_last_[*p] = pieces.ids[i];
      }
    } else {
      find_alphabet(pieces, marks);
    }
    find_neighbours(pieces);
    find_splits(pieces, marks);
    find_words(pieces, marks);
    if (splittable_) find_single();
    if (splittable_ && !has_whole_words_) direct_from = kDirect;
  }

  void find_alphabet(const PieceList& pieces, const uint8_t* marks) {
    chars_.build(pieces);
    symbol_.assign(size_t(chars_.n_ids) * 4, kNoPiece);
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (marks[i] & kPieceHidden) continue;
      const uint32_t* p = pieces.begin(i);
      size_t n = pieces.length(i);
      for (uint32_t variant = 0; variant < 4; ++variant) {
        const std::vector<uint32_t> none, &prefix = variant & 1 ? prefix_ : none,
                                          &suffix = variant & 2 ? suffix_ : none;
        if (n == prefix.size() + 1 + suffix.size() && std::equal(prefix.begin(), prefix.end(), p) &&
            std::equal(suffix.begin(), suffix.end(), p + n - suffix.size()))
          symbol_[size_t(chars_.map(p[prefix.size()])) * 4 + variant] = pieces.ids[i];
      }
    }
  }

  static bool ascii(const PieceList& pieces, size_t i) {
    return std::all_of(pieces.begin(i), pieces.begin(i) + pieces.length(i),
                       [](uint32_t unit) { return unit < 0x80; });
  }

  // Finds where text may be split. Nowhere, if affixes make a symbol depend on its position in the
  // word, or if leaving out unknown characters would make others adjacent.
  void find_neighbours(const PieceList& pieces) {
    if (!prefix_.empty() || !suffix_.empty()) return;
    if (byte_level_)
      for (uint32_t b = 0; b < 0xF5; ++b)
        if (byte_symbol_[b] == kNoPiece && b != 0xC0 && b != 0xC1) return;
    joints_.build(pieces, byte_level_);
    const auto& bytes = unknown_.byte_ids;
    unknown_alone_ = unknown_.byte_fallback
                         ? std::find(bytes.begin(), bytes.end(), kNoPiece) == bytes.end()
                         : unknown_.unk != kNoPiece && !unknown_.fuse;
    splittable_ = true;
  }

  // Finds the last merge of each piece that the merges produce from its own symbols, except for
  // ASCII words, most of which are one look-up.
  void find_splits(const PieceList& pieces, const uint8_t* marks) {
    if (!splittable_) return;
    const uint32_t last =
        pieces.size() ? *std::max_element(pieces.ids.begin(), pieces.ids.end()) : 0;
    longest_.reserve(size_t(last) + 1);
    SubwordScratch s;
    for (size_t i = 0; i < pieces.size(); ++i) {
      const size_t n = pieces.length(i);
      if (marks[i] & kPieceHidden || !n || n > kSmall || (n > 1 && ascii(pieces, i))) continue;
      reserve_symbols(s, n);
      bool complete = true;
      for (size_t k = 0; k < n && complete; ++k) {
        const uint32_t unit = pieces.begin(i)[k];
        s.id[k] = byte_level_ ? byte_symbol_[unit & 255] : symbol_[size_t(chars_.map(unit)) * 4];
        complete = s.id[k] != kNoPiece;
      }
      if (!complete) continue;
      if (n == 1) {
        longest_.split(pieces.ids[i]).produced = s.id[0] == pieces.ids[i];
        continue;
      }
      if (merge_by_scan(n, s, 2) != 2) continue;
      const MergeTable::Merge& merge = merges_.find(s.id[0], s.id[1]);
      if (merge.rank == MergeTable::kNone || merge.merged != pieces.ids[i]) continue;
      longest_.split(merge.merged) = {s.id[0], s.id[1], merge.rank + 1, true};
    }
    std::vector<bool> begins(size_t(last) + 1, true);  // with a character, not inside one
    if (byte_level_)
      for (size_t i = 0; i < pieces.size(); ++i)
        begins[pieces.ids[i]] = pieces.length(i) && (*pieces.begin(i) & 0xC0) != 0x80;
    std::vector<LongestFirst::Merge> merges;
    merges_.for_each([&](const MergeTable::Merge& merge) {
      const uint32_t left = uint32_t(merge.key >> 32), right = uint32_t(merge.key);
      if (left <= last && right <= last && begins[right])
        merges.push_back({left, right, merge.rank});
    });
    longest_.set_merges(std::move(merges));
  }

  // Finds the words that the merges turn into one piece, and those marked kPieceWhole.
  void find_words(const PieceList& pieces, const uint8_t* marks) {
    WordTable table;
    table.reserve(pieces.size());
    SubwordScratch s;
    PieceList usable;
    std::vector<uint32_t> word;
    for (size_t i = 0; i < pieces.size(); ++i) {
      const uint32_t id = pieces.ids[i];
      if (marks[i] & kPieceHidden || id >= n_ids_) continue;
      bool whole_word = marks[i] & kPieceWhole;
      if (!spelling(pieces.begin(i), pieces.length(i), whole_word, word)) continue;
      bool merged;
      if (splittable_ && pieces.length(i) <= kSmall &&
          (pieces.length(i) == 1 || !ascii(pieces, i))) {
        merged = longest_.split(id).produced;
        if (longest_.in_order(id)) usable.add(Text{word.data(), 4, word.size()}, id);
      } else {
        s.pieces.clear();
        encode(word.data(), word.size(), 0, s);  // words_ is still empty
        merged = s.pieces.size() == 1 && s.pieces[0].id == id && !s.pieces[0].start &&
                 s.pieces[0].end == word.size();
      }
      has_whole_words_ |= !merged && whole_word && word[0] >= kDirect;
      if (merged || whole_word) table.add(word.data(), word.size(), id | (merged ? 0 : kWhole));
    }
    words_ = std::move(table);
    if (splittable_) longest_.build(usable);
  }

  // The word that a piece spells, in code points; false if it spells none.
  bool spelling(const uint32_t* piece, size_t n, bool verbatim, std::vector<uint32_t>& word) const {
    word.clear();
    const size_t suffix_length = verbatim ? 0 : suffix_.size();
    if (n <= suffix_length || !std::equal(suffix_.end() - ptrdiff_t(suffix_length), suffix_.end(),
                                          piece + n - suffix_length))
      return false;
    n -= suffix_length;
    if (!byte_level_) {
      word.assign(piece, piece + n);
      return true;
    }
    std::vector<uint8_t> bytes(piece, piece + n);
    for (size_t i = 0; i < n;) {
      uint32_t cp, length = decode_utf8(&bytes[i], n - i, cp);
      if (!length) return false;
      word.push_back(cp);
      i += length;
    }
    return !word.empty();
  }

  void find_single() {
    is_piece_.assign(0x10000, false);
    for (uint32_t cp = 0; cp < 0x10000; ++cp) is_piece_[cp] = words_.find(&cp, 1) < kWhole;
    const CharMap* first = longest_.built() ? &longest_.chars().map : nullptr;
    joints_.set_numbers(first, first ? longest_.chars().n_ids : 1,
                        [this](uint32_t cp) { return stands_alone(cp); });
    SubwordScratch s;
    for (uint32_t cp = 0; cp < 0x10000; ++cp) {
      s.pieces.clear();
      if (!joints_.number(cp) || !stands_alone(cp)) continue;
      encode_part(&cp, 1, 0, s);
      if (!s.pieces.empty()) joints_.set_alone(cp, s.pieces.data(), s.pieces.size(), is_piece_[cp]);
    }
  }

  bool has_symbol(uint32_t cp) const {
    return byte_level_ || symbol_[size_t(chars_.map(cp)) * 4] != kNoPiece;
  }
  bool stands_alone(uint32_t cp) const { return unknown_alone_ || has_symbol(cp); }

  enum Join : uint8_t { kParted, kJoined, kUnsure };

  // Looks up the numbers of the characters of a text and how each is joined to the previous one.
  // Prefetches the first unit of the trie that a joined pair will need.
  void read_ahead(const uint32_t* text, size_t n, SubwordScratch& s) const {
    n = std::min(n, kAhead);
    s.ahead_begin = text;
    s.ahead_end = text + n;
    s.characters.grow(kAhead, kAhead, [&](size_t size) {
      s.numbers.resize(size);
      s.joins.resize(size);
    });
    uint32_t x = 0;
    for (size_t i = 0; i < n; ++i) {
      const uint32_t y = s.numbers[i] = uint16_t(joints_.number(text[i]));
      s.joins[i] = !x || !y                      ? kUnsure
                   : joints_.joined(x, y)        ? kJoined
                   : joints_.may_be_joined(x, y) ? kUnsure
                                                 : kParted;
      if (s.joins[i] == kJoined) longest_.fetch(x, y);
      x = y;
    }
  }

  // Whether no merge reaches across two characters.
  bool apart(uint32_t x, uint32_t y, SubwordScratch& s) const {
    return s.apart_cache.get(x, y, [&] {
      return has_symbol(x) && has_symbol(y) ? joints_.apart(x, y)
                                            : stands_alone(x) && stands_alone(y);
    });
  }

  // `numbers`: the numbers of the word's characters.
  bool encode_longest(const uint32_t* word, const uint16_t* numbers, size_t n, size_t offset,
                      SubwordScratch& s) const {
    if (n > LongestFirst::kMaxLength || !longest_.built()) return false;
    bool ascii = true;
    for (size_t i = 0; i < n; ++i) {
      if (!joints_.character(numbers[i]).is_piece) return false;
      ascii &= word[i] < 0x80;
    }
    return !ascii && longest_.run(numbers, n, offset, s);
  }

  void encode_parts(const uint32_t* word, size_t n, size_t offset, SubwordScratch& s) const {
    size_t start = 0;
    if (!is_ahead(word, n, s)) read_ahead(word, n, s);
    for (size_t i = 1; i <= n; ++i) {
      if (i < n) {
        if (word + i >= s.ahead_end) {
          const size_t first = i - start < kAhead / 2 ? start : i - 1;
          read_ahead(word + first, n - first, s);
        }
        const uint8_t join = s.joins[size_t(word + i - s.ahead_begin)];
        if (join == kJoined || (join == kUnsure && !apart(word[i - 1], word[i], s))) continue;
      }
      const size_t length = i - start, position = offset + start;
      const uint32_t alone =
          length == 1 ? joints_.character(joints_.number(word[start])).alone : kNoPiece;
      if (alone != kNoPiece) {
        joints_.write(alone, position, s.pieces);
      } else {
        encode_joined(word + start, length, position, s);
      }
      start = i;
    }
  }
  static bool is_ahead(const uint32_t* word, size_t n, const SubwordScratch& s) {
    return word >= s.ahead_begin && word + n <= s.ahead_end;
  }

  // Encodes a stretch in which any two adjacent characters may be joined.
  void encode_joined(const uint32_t* word, size_t n, size_t offset, SubwordScratch& s) const {
    const uint16_t* numbers =
        is_ahead(word, n, s) ? s.numbers.data() + (word - s.ahead_begin) : nullptr;
    if (numbers && word[0] >= direct_from && encode_longest(word, numbers, n, offset, s)) return;
    const PieceKey key(word, n);
    if (key && s.parts.get(key, uint32_t(offset), s.pieces)) return;
    const size_t before = s.pieces.size();
    const uint32_t id = words_.find(word, n);
    if (id < kWhole) {
      s.pieces.push_back({id, uint32_t(offset), uint32_t(offset + n)});
    } else if (!numbers || !encode_longest(word, numbers, n, offset, s)) {
      encode_part(word, n, offset, s);
    }
    if (key) s.parts.put(key, uint32_t(offset), s.pieces.data() + before, s.pieces.size() - before);
  }

  void encode_part(const uint32_t* word, size_t n, size_t offset, SubwordScratch& s) const {
    size_t m = byte_level_ ? byte_symbols(word, n, s) : char_symbols(word, n, s);
    if (m > kSmall) {
      merge_by_heap(m, s);
    } else if (m > 1) {
      m = merge_by_scan(m, s);
    }
    write(word, m > kSmall, m, offset, s);
  }

  static void reserve_symbols(SubwordScratch& s, size_t n) {
    s.symbols.grow(n, n, [&](size_t size) {
      s.id.resize(size);
      s.rank.resize(size);
      s.merged.resize(size);
      s.start.resize(size);
      s.end.resize(size);
    });
  }

  size_t byte_symbols(const uint32_t* word, size_t n, SubwordScratch& s) const {
    reserve_symbols(s, 4 * n);
    size_t m = 0;
    for (size_t i = 0; i < n; ++i) {
      uint8_t bytes[4] = {};
      uint32_t k = utf8_of(word[i], bytes);
      for (uint32_t b = 0; b < k; ++b) {
        uint32_t id = (i + 1 == n && b + 1 == k ? byte_last_ : byte_symbol_)[bytes[b]];
        if (id == kNoPiece) {
          if (unknown_.unk == kNoPiece) continue;
          id = unknown_.unk;
        }
        s.id[m] = id;
        s.start[m] = uint32_t(i);
        s.end[m++] = uint32_t(i + 1);
      }
    }
    return m;
  }

  size_t char_symbols(const uint32_t* word, size_t n, SubwordScratch& s) const {
    reserve_symbols(s, n);
    size_t m = 0;
    const bool affixes = !prefix_.empty() || !suffix_.empty();
    for (size_t i = 0; i < n; ++i) {
      uint32_t variant = affixes ? (i ? 1u : 0u) + (i + 1 == n ? 2u : 0u) : 0u;
      uint32_t id = symbol_[size_t(chars_.map(word[i])) * 4 + variant];
      if (id == kNoPiece && unknown_.unk == kNoPiece && !unknown_.byte_fallback)
        continue;  // left out
      s.id[m] = id;
      s.start[m] = uint32_t(i);
      s.end[m++] = uint32_t(i + 1);
    }
    return m;
  }

  void rank_pair(size_t i, uint32_t left, uint32_t right, SubwordScratch& s) const {
    const MergeTable::Merge& merge = merges_.find(left, right);
    s.rank[i] = merge.rank;
    s.merged[i] = merge.merged;
  }

  // Stops at `min_symbols` symbols, or when no merge is left. Returns the number of symbols.
  size_t merge_by_scan(size_t m, SubwordScratch& s, size_t min_symbols = 1) const {
    uint32_t* id = s.id.data();
    uint32_t* rank = s.rank.data();
    uint32_t* merged = s.merged.data();
    for (size_t i = 0; i + 1 < m; ++i) rank_pair(i, id[i], id[i + 1], s);
    while (m > min_symbols) {
      uint32_t lowest = MergeTable::kNone;
      for (size_t i = 0; i + 1 < m; ++i) lowest = std::min(lowest, rank[i]);
      if (lowest == MergeTable::kNone) break;
      size_t position = 0;
      while (rank[position] != lowest) ++position;
      id[position] = merged[position];
      s.end[position] = s.end[position + 1];
      --m;
      for (size_t i = position + 1; i < m; ++i) {
        id[i] = id[i + 1];
        rank[i] = rank[i + 1];
        merged[i] = merged[i + 1];
        s.start[i] = s.start[i + 1];
        s.end[i] = s.end[i + 1];
      }
      if (position + 1 < m) rank_pair(position, id[position], id[position + 1], s);
      if (position) rank_pair(position - 1, id[position - 1], id[position], s);
    }
    return m;
  }

  // Symbols stay in place, linked by s.next. Entries of the heap are rank << 32 | position, and
  // stale if the rank at that position has changed.
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
      if (turn % Interrupt::kEvery == 0) Interrupt::poll();
      uint64_t top = s.heap.front();
      std::pop_heap(s.heap.begin(), s.heap.end(), later);
      s.heap.pop_back();
      size_t i = uint32_t(top);
      if (s.rank[i] != uint32_t(top >> 32)) continue;
      size_t k = s.next[i];
      s.id[i] = s.merged[i];
      s.end[i] = s.end[k];
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
      if (s.id[i] < n_ids_) {
        s.pieces.push_back({s.id[i], uint32_t(offset + s.start[i]), uint32_t(offset + s.end[i])});
      } else {
        uint32_t end = s.end[i];
        while (next < m && s.id[next] >= n_ids_ && s.start[next] == end) {
          end = s.end[next];
          next = linked ? s.next[next] : next + 1;
        }
        write_unknown(unknown_, word, s.start[i], end, offset, s.pieces);
      }
      i = next;
    }
  }
};

}  // namespace segmenter
