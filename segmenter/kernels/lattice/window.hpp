// The window of a lattice under construction: the ids of its characters, and its edges in rows and
// lists. map_to() adds characters at the end, runs.hpp and lattice.hpp add edges, decoders read
// both, and commit() removes the decided front.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "capacity.hpp"
#include "request.hpp"
#include "token.hpp"
#include "interrupt.hpp"
#include "lexicon/lexicon.hpp"
#include "map_text.hpp"
#include "spans/edits.hpp"

namespace segmenter {

constexpr uint32_t kBlock = 512;        // starts per step: the tables stay in the L1 cache
constexpr uint32_t kInf = 1u << 30;     // cost of a missing edge
constexpr uint32_t kRuleLookAhead = 4;  // how far past a run the date rules look
constexpr uint32_t kLookBehind = 2;     // characters before the window that rules may read

// An edge that does not fit the dense table.
struct SparseEdge {
  uint32_t start, end, cost, slot;
  EdgeKind kind;
  uint32_t next;  // index + 1 of the next edge with the same end; 0: none
};

// The edges of 1 to 4 characters that end at one position, by length. A cost is shifted left by 2
// and has 4 minus the length in its low bits, so that of two equal paths the one with the longer
// edge is the smaller number. Costs >= kInf: no edge; its slot is undefined.
struct Row {
  uint32_t cost[4], slot[4];
};

struct LatticeWindow {
  const Lexicon* lex = nullptr;
  Text text;
  const UserEdits* edits = nullptr;              // null: none
  const std::vector<Match>* external = nullptr;  // words found by a matcher instead of the trie
  uint32_t n = 0;                                // characters of the text
  // Position k of the window is offset base + k of the text. The edges of starts before `built` are
  // complete.
  uint32_t base = 0, built = 0;
  uint32_t mapped = 0;          // positions with ids
  uint32_t cleared = 0;         // ends with valid `head` and `forbidden`
  uint32_t n_rows = 0;          // initialized rows
  uint32_t look_ahead = 0;      // how far past `built` edges of starts before it may end
  uint64_t steps = 0;           // look-ups, list entries, moved cells
  bool any_alnum = false;       // set only if the lexicon has no number rules
  bool may_miss_atoms = false;  // whether an atom may be where the MarkedMap has no mark

  // Ids of the characters, from kLookBehind before the window to 8 past the mapped ones; 0: none.
  uint16_t* ids = nullptr;
  uint8_t* not_canonical = nullptr;      // whether a character is not its id's canonical form
  uint8_t* forbidden = nullptr;          // whether no boundary may be set here, inside a run
  std::vector<uint32_t> forbidden_list;  // the forbidden positions of this block
  Row* rows = nullptr;                   // by end
  uint32_t* head = nullptr;              // by end: first long edge, index + 1; 0: none
  std::vector<SparseEdge> longs;
  bool measures = false;  // whether measure words and the rules of clauses.hpp set boundaries
  const uint16_t* marked_map = nullptr;  // the basic plane of a MarkedMap; null: none
  // Offsets in the text of characters with kJoiningChar in the map, or of watched characters.
  std::vector<uint32_t> signs;
  bool may_decide = true;  // whether ClauseMarks::may_decide() holds for one of the signs
  // A numeral and its measure word in this block. `parted`: words over both are removed; `breaks`:
  // words that begin with the measure word are removed.
  struct Measured {
    uint32_t numeral, measure;
    bool parted, breaks;
  };
  std::vector<Measured> measured;
  // A run with letters before a Han character, in this block.
  struct Letters {
    uint32_t start, end;
  };
  std::vector<Letters> letters;

  // Begins a text.
  void begin(const Lexicon& lexicon, const Text& new_text, const Request& request) {
    lex = &lexicon;
    text = new_text;
    n = uint32_t(new_text.n);
    external = request.matches;
    measures = request.measures && lexicon.numbers;
    marked_map = nullptr;
    may_decide = true;
    signs.clear();
    base = built = mapped = cleared = 0;
    n_rows = 1;
    steps = 0;
    any_alnum = may_miss_atoms = false;
    look_ahead = std::max<uint32_t>(lexicon.max_word, kRuleLookAhead) + 4;
    longs.clear();
    reserve(std::min<uint32_t>(n, kBlock) + 2 * look_ahead);
    set_edits(request.edits);
    std::memset(ids - kLookBehind, 0, kLookBehind * sizeof(uint16_t));
    clear_row(0);
  }

  bool at_end() const { return base + built == n; }

  // The first external word that begins at or after `start`.
  std::vector<Match>::const_iterator matches_from(uint32_t start) const {
    return std::partition_point(external->begin(), external->end(),
                                [&](const Match& m) { return m.start < start; });
  }

  // Calls visit(edge) for every long edge that ends at j.
  template <class F>
  void for_each_listed(uint32_t j, F&& visit) const {
    for (uint32_t link = head[j]; link; link = longs[link - 1].next) visit(longs[link - 1]);
  }

  // Drops everything before position p, which is decided (p <= built): the window begins there from
  // now on.
  void commit(uint32_t p) {
    if (p == 0) return;
    for (uint32_t k = kLookBehind; k >= 1; --k) ids[-int64_t(k)] = ids[int64_t(p) - k];
    uint32_t extent = cleared - p;
    std::memmove(ids, ids + p, (mapped + 8 - p) * sizeof(uint16_t));
    std::memmove(not_canonical, not_canonical + p, mapped - p);
    std::memmove(forbidden, forbidden + p, extent);
    std::memmove(rows, rows + p, (n_rows - p) * sizeof(Row));
    moved_.clear();
    for (const SparseEdge& e : longs)
      if (e.start >= p && is_linked(e)) moved_.push_back(e);
    Interrupt::poll(longs.size());
    longs.clear();
    std::memset(head, 0, extent * sizeof(uint32_t));
    for (const SparseEdge& e : moved_) add_long(e.start - p, e.end - p, e.cost, e.slot, e.kind);
    steps += extent / 8 + moved_.size();
    base += p;
    built -= p;
    mapped -= p;
    cleared -= p;
    n_rows -= p;
    // edges from before p would reach out of the window
    for (uint32_t j = 0; j < 4 && j < n_rows; ++j)
      for (uint32_t len = j + 1; len <= 4; ++len) rows[j].cost[len - 1] = kInf;
  }

  // The `label` of a Token for the edge of `len` characters that ends at j. A character that the
  // lexicon lacks looks like a word: see unknown().
  uint32_t dense_label(uint32_t j, uint32_t len) const {
    return rows[j].slot[len - 1] | not_canonical_bit(j - len, j);
  }

  // The bits of kUnknown if the slot of a `label` of dense_label() is no word, else 0.
  uint32_t unknown(uint32_t label) const {
    uint32_t slot = token_slot(label);
    return uint32_t(external ? slot == 0 : !lex->is_word(slot)) * kind_bits(kUnknown);
  }

  // The number of the lexicon word in a slot.
  uint32_t word_number(uint32_t slot) const { return external ? slot - 1 : lex->word_id(slot); }

  uint32_t long_label(const SparseEdge& e) const {
    return e.slot | kind_bits(e.kind) | not_canonical_bit(e.start, e.end);
  }

  // kNotCanonical if the text spells an edge differently from the lexicon, else 0.
  uint32_t not_canonical_bit(uint32_t start, uint32_t end) const {
#if SEGMENTER_LITTLE_ENDIAN
    if (end - start <= 4) {  // branch-free: most words are this short
      uint32_t marks;
      std::memcpy(&marks, not_canonical + int64_t(end) - 4, 4);
      return uint32_t((marks >> (8 * (4 - (end - start)))) != 0) << 31;
    }
#endif
    for (uint32_t k = start; k < end; ++k)
      if (not_canonical[k]) return kNotCanonical;
    return 0;
  }

  // The token of n-gram models (lattice/ngram.hpp) for an edge.
  uint32_t token_id(uint32_t label) const {
    const uint32_t kind = token_kind(label);
    if (kind == kWord) return word_number(token_slot(label));
    return lex->n_words + (kind < kEdgeKinds ? kind : 0);  // that of words is in no n-gram
  }

  // --- characters ---
  void set_edits(const UserEdits* new_edits) {
    edits = new_edits;
    next_span_ = 0;
    if (!edits) return;
    look_ahead = std::max(look_ahead, edits->reach + 4);
    reserve(std::min<uint32_t>(n, kBlock) + 2 * look_ahead);
    mask_spans(0, mapped);
  }

  void map_to(uint32_t end) {
    if (end > mapped) map_more(end);
  }

  SEGMENTER_NOINLINE void map_more(uint32_t end) {
    may_decide = true;
    if (marked_map) {
      map_marked(end);
      return;
    }
    const uint32_t begin = mapped;
    map_to<kIdBits>(end, lex->map);
    if (!measures) return;
    const uint16_t* const bits = lex->watched.bits.data();
    for (uint32_t k = begin; k < end; ++k)
      if (bits[ids[k]] & Watched::kTriggers) signs.push_back(base + k);
  }

  // As map_to(), by the marked map. Returns the bits of all entries above the ids, or-ed together.
  uint32_t map_marked(uint32_t end) {
    CharMap map = lex->map;
    map.bmp = marked_map;
    return map_to<kMarkedIds>(end, map);
  }

  template <uint32_t id_bits>
  uint32_t map_to(uint32_t end, const CharMap& map) {
    reserve(end + look_ahead);
    const uint32_t entries = text.cells([&](const auto* cells) {
      return map_text<id_bits>(map, cells + base, mapped, end, ids, not_canonical);
    });
    constexpr bool kMarks = id_bits == kMarkedIds;
    if (kMarks && entries)
      part_signs<id_bits>(not_canonical + mapped, end - mapped,
                          [&](uint32_t k) { signs.push_back(base + mapped + k); });
    // a marked map marks every character with several readings
    if (entries & (kMarks ? kMarkedChar : kOddChar) && lex->variants)
      steps += lex->resolve(text, size_t(base) + mapped, size_t(base) + end, ids + mapped,
                            not_canonical + mapped);
    if (edits) mask_spans(mapped, end);
    mapped = end;
    std::memset(ids + end, 0, 8 * sizeof(uint16_t));  // look-ups past the end find nothing
    return entries;
  }

  // Initializes `head` and `forbidden` of positions up to `end` that are not initialized yet.
  void clear_to(uint32_t end) {
    reserve(end + look_ahead);
    if (cleared > end) return;
    std::memset(head + cleared, 0, (end + 1 - cleared) * sizeof(uint32_t));
    std::memset(forbidden + cleared, 0, end + 1 - cleared);
    cleared = end + 1;
  }

  void clear_row(uint32_t j) {
#if SEGMENTER_SSE
    _mm_storeu_si128(reinterpret_cast<__m128i*>(rows[j].cost), _mm_set1_epi32(int(kInf)));
#else
    for (uint32_t c = 0; c < 4; ++c) rows[j].cost[c] = kInf;
#endif
  }

  bool special(uint32_t k) const { return uint32_t(ids[k]) - 1 < lex->n_special - 1; }
  CharClass cls(int64_t k) const { return lex->char_class(ids[k]); }

  void add_long(uint32_t start, uint32_t end, uint32_t cost, uint32_t slot, EdgeKind kind) {
    longs.push_back(SparseEdge{start, end, cost, slot, kind, head[end]});
    head[end] = uint32_t(longs.size());
  }

  void add_class(uint32_t start, uint32_t end, EdgeKind kind) {
    add_long(start, end, lex->kind_cost[kind], 0, kind);
  }

  // Adds a run that stays whole: no boundary may be set inside it.
  void add_whole(uint32_t start, uint32_t end, EdgeKind kind) {
    for (uint32_t k = start + 1; k < end; ++k) {
      forbidden[k] = 1;
      forbidden_list.push_back(k);
    }
    add_class(start, end, kind);
  }

 private:
  Capacity capacity_;  // of the columns below, and of the pointers to them
  size_t next_span_ = 0;
  std::vector<uint16_t> ids_store_;
  std::vector<uint8_t> not_canonical_store_, forbidden_store_;
  std::vector<Row> row_store_;
  std::vector<uint32_t> head_store_;
  std::vector<SparseEdge> moved_;

  void reserve(uint32_t n) {
    if (n + 16 > capacity_.size()) grow(n + 16);
  }

  SEGMENTER_NOINLINE void grow(uint32_t n) {
    capacity_.grow(n, std::max<size_t>(n, capacity_.size() * 3 / 2), [&](size_t size) {
      ids_store_.resize(size + kLookBehind + 16);
      not_canonical_store_.resize(4 + size + 16);
      forbidden_store_.resize(size + 16);
      row_store_.resize(size + 16);
      head_store_.resize(size + 16);
      ids = ids_store_.data() + kLookBehind;
      not_canonical = not_canonical_store_.data() + 4;
      forbidden = forbidden_store_.data();
      rows = row_store_.data();
      head = head_store_.data();
    });
  }

  bool is_linked(const SparseEdge& edge) const {
    for (uint32_t link = head[edge.end]; link; link = longs[link - 1].next)
      if (&longs[link - 1] == &edge) return true;
    return false;
  }

  // Masks the characters of spans by the id of a Han character that is in no word: no word enters
  // or crosses a span, and every path takes a span character by character.
  void mask_spans(uint32_t begin, uint32_t end) {
    const std::vector<UserMatch>& spans = edits->spans;
    for (; next_span_ < spans.size() && spans[next_span_].start < base + end; ++next_span_) {
      const UserMatch& span = spans[next_span_];
      uint32_t first = std::max(span.start, base + begin), last = std::min(span.end, base + end);
      for (uint32_t k = first; k < last; ++k) ids[k - base] = uint16_t(lex->masked);
      if (span.end > base + end) return;
    }
  }
};

}  // namespace segmenter
