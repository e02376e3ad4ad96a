// The window of a lattice under construction: ids of its characters, rows and lists of its edges.
// map_to() adds characters at its end, runs.hpp and lattice.hpp add edges, decoders read both, and
// commit() removes what is decided at its front.
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

constexpr uint32_t kBlock = 512;     // starts handled at once: the tables stay in the L1 cache
constexpr uint32_t kInf = 1u << 30;  // cost of a missing edge
constexpr uint32_t kRuleLook = 4;    // how far past a run the date rules look ahead
constexpr uint32_t kBack = 2;        // characters before the window that rules may look at

// An edge that does not fit the dense table.
struct SparseEdge {
  uint32_t start, end, cost, slot;
  EdgeKind kind;
  uint32_t next;  // index + 1 of the next edge with the same end; 0: none
};

// The edges of 1 to 4 characters that end at one position, by length. Costs are shifted left by 2,
// with 4 minus the length in the low bits, so that the longer of two equal paths is the smaller
// number; >= kInf: no edge. The slot of a missing edge is undefined.
struct Row {
  uint32_t cost[4], slot[4];
};

struct LatticeWindow {
  const Lexicon* lex = nullptr;
  Text text;
  const UserEdits* edits = nullptr;              // null: none
  const std::vector<Match>* external = nullptr;  // used instead of the trie's words
  uint32_t n = 0;                                // characters of the text
  // Window positions 0..done are decided starts; position k is text offset base + k.
  uint32_t base = 0, done = 0;
  uint32_t mapped = 0;     // positions with ids
  uint32_t cleared = 0;    // of head and hard
  uint32_t n_rows = 0;     // open ones
  uint32_t look = 0;       // edges that start before `done` end at most this far past it
  uint64_t steps = 0;      // look-ups, list entries, moved cells
  bool any_alnum = false;  // set only if the lexicon has no number rules
  bool unmarked = false;   // whether an atom may stand here that a MarkedMap does not show

  // Ids of the characters, from kBack before the window to 8 after those mapped; 0: none.
  uint16_t* ids = nullptr;
  uint8_t* not_canonical = nullptr;  // whether a character is not its id's canonical form
  uint8_t* hard = nullptr;           // whether a run goes on here, so that no boundary may be set
  std::vector<uint32_t> hard_list;   // such positions of this block
  Row* rows = nullptr;               // by end
  uint32_t* head = nullptr;          // by end: first long edge, index + 1; 0: none
  std::vector<SparseEdge> longs;
  bool measures = false;  // numerals and measure words are parted, and what clauses.hpp parts
  const uint16_t* marked =
      nullptr;                  // the basic plane of a MarkedMap, or null: `signs` are looked for
  std::vector<uint32_t> signs;  // places in the text of the characters it marks with kJoiningChar
  bool decides = true;  // whether one of them may decide something, see ClauseMarks::may_decide()
  // Where a numeral ends and its measure word begins, and whether that ends before the next character:
  // of this block, words that go on there are left out.
  struct Measured {
    uint32_t numeral, at;
    bool word, breaks;
  };
  std::vector<Measured> measured;
  // Runs with letters before a Han character, of this block: start and end.
  struct Letters {
    uint32_t start, end;
  };
  std::vector<Letters> letters;

  // Begins a text.
  void begin(const Lexicon& lexicon, const Text& given, const Request& request) {
    lex = &lexicon;
    text = given;
    n = uint32_t(given.n);
    external = request.found;
    measures = request.measures && lexicon.numbers;
    marked = nullptr;
    decides = true;
    signs.clear();
    base = done = mapped = cleared = 0;
    n_rows = 1;
    steps = 0;
    any_alnum = unmarked = false;
    look = std::max<uint32_t>(lexicon.max_word, kRuleLook) + 4;
    longs.clear();
    reserve(std::min<uint32_t>(n, kBlock) + 2 * look);
    set_edits(request.edits);
    std::memset(ids - kBack, 0, kBack * sizeof(uint16_t));
    clear_row(0);
  }

  bool at_end() const { return base + done == n; }

  // The first of the external words that begins at s or after it.
  std::vector<Match>::const_iterator matches_from(uint32_t s) const {
    return std::partition_point(external->begin(), external->end(),
                                [&](const Match& m) { return m.start < s; });
  }

  // Calls f for every edge of the list of those that end at j.
  template <class F>
  void each_listed(uint32_t j, F&& f) const {
    for (uint32_t h = head[j]; h; h = longs[h - 1].next) f(longs[h - 1]);
  }

  // Everything before window position p (p <= done) is decided: the window starts there from now
  // on.
  void commit(uint32_t p) {
    if (p == 0) return;
    for (uint32_t k = kBack; k >= 1; --k) ids[-int64_t(k)] = ids[int64_t(p) - k];
    uint32_t extent = cleared - p;
    std::memmove(ids, ids + p, (mapped + 8 - p) * sizeof(uint16_t));
    std::memmove(not_canonical, not_canonical + p, mapped - p);
    std::memmove(hard, hard + p, extent);
    std::memmove(rows, rows + p, (n_rows - p) * sizeof(Row));
    moved_.clear();
    for (const SparseEdge& e : longs)
      if (e.start >= p && linked(e)) moved_.push_back(e);
    Interrupt::look(longs.size());
    longs.clear();
    std::memset(head, 0, extent * sizeof(uint32_t));
    for (const SparseEdge& e : moved_) add_long(e.start - p, e.end - p, e.cost, e.slot, e.kind);
    steps += extent / 8 + moved_.size();
    base += p;
    done -= p;
    mapped -= p;
    cleared -= p;
    n_rows -= p;
    // edges from before p would reach out of the window
    for (uint32_t j = 0; j < 4 && j < n_rows; ++j)
      for (uint32_t len = j + 1; len <= 4; ++len) rows[j].cost[len - 1] = kInf;
  }

  // The edge of length len that ends at window position j, as a Token's `what`; a character that
  // the lexicon lacks looks like a word, see unknown().
  uint32_t what_dense(uint32_t j, uint32_t len) const {
    return rows[j].slot[len - 1] | not_canonical_bit(j - len, j);
  }

  // The bits of kUnknown if a `what` of what_dense is not a word, else 0.
  uint32_t unknown(uint32_t what) const {
    uint32_t s = token_slot(what);
    return uint32_t(external ? s == 0 : !lex->is_word(s)) * kind_bits(kUnknown);
  }

  // The number of the lexicon word in a slot.
  uint32_t word_number(uint32_t slot) const { return external ? slot - 1 : lex->word_id(slot); }

  uint32_t what_long(const SparseEdge& e) const {
    return e.slot | kind_bits(e.kind) | not_canonical_bit(e.start, e.end);
  }

  // kNotCanonical if the characters of an edge are spelt otherwise than in the lexicon, else 0.
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
  uint32_t token_id(uint32_t what) const {
    const uint32_t kind = token_kind(what);
    if (kind == kWord) return word_number(token_slot(what));
    return lex->n_words + (kind < kEdgeKinds ? kind : 0);  // that of words is in no n-gram
  }

  // --- characters ---
  // Sets what the user's words and atoms do to the text.
  void set_edits(const UserEdits* given) {
    edits = given;
    next_span_ = 0;
    if (!edits) return;
    look = std::max(look, edits->reach + 4);
    reserve(std::min<uint32_t>(n, kBlock) + 2 * look);
    mask_spans(0, mapped);
  }

  void map_to(uint32_t to) {
    if (to > mapped) map_more(to);
  }

  SEGMENTER_NOINLINE void map_more(uint32_t to) {
    decides = true;
    if (marked) {
      map_marked(to);
      return;
    }
    const uint32_t from = mapped;
    map_to<kIdBits>(to, lex->map);
    if (!measures) return;
    const uint16_t* const bits = lex->watched.bits.data();
    for (uint32_t k = from; k < to; ++k)
      if (bits[ids[k]] & Watched::kTriggers) signs.push_back(base + k);
  }

  // The same by the marked map; the bits of all entries above the ids, or-ed together.
  uint32_t map_marked(uint32_t to) {
    CharMap map = lex->map;
    map.bmp = marked;
    return map_to<kMarkedIds>(to, map);
  }

  template <uint32_t id_bits>
  uint32_t map_to(uint32_t to, const CharMap& map) {
    reserve(to + look);
    const uint32_t any = text.cells([&](const auto* cells) {
      return map_text<id_bits>(map, cells + base, mapped, to, ids, not_canonical);
    });
    constexpr bool kMarks = id_bits == kMarkedIds;
    if (kMarks && any)
      part_signs<id_bits>(not_canonical + mapped, to - mapped,
                          [&](uint32_t k) { signs.push_back(base + mapped + k); });
    // a marked map marks whatever needs resolving
    if (any & (kMarks ? kMarkedChar : kOddChar) && lex->variants)
      steps += lex->resolve(text, size_t(base) + mapped, size_t(base) + to, ids + mapped,
                            not_canonical + mapped);
    if (edits) mask_spans(mapped, to);
    mapped = to;
    std::memset(ids + to, 0, 8 * sizeof(uint16_t));  // walks past the end find nothing
    return any;
  }

  // Clears ends 0..to (no long edges, not hard), except those seen before.
  void clear_to(uint32_t to) {
    reserve(to + look);
    if (cleared > to) return;
    std::memset(head + cleared, 0, (to + 1 - cleared) * sizeof(uint32_t));
    std::memset(hard + cleared, 0, to + 1 - cleared);
    cleared = to + 1;
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

  // A run that stays whole: forbids boundaries inside it.
  void add_hard(uint32_t start, uint32_t end, EdgeKind kind) {
    for (uint32_t k = start + 1; k < end; ++k) {
      hard[k] = 1;
      hard_list.push_back(k);
    }
    add_class(start, end, kind);
  }

 private:
  Capacity capacity_;  // of what follows, and of the pointers to it
  size_t next_span_ = 0;
  std::vector<uint16_t> ids_store_;
  std::vector<uint8_t> not_canonical_store_, hard_store_;
  std::vector<Row> row_store_;
  std::vector<uint32_t> head_store_;
  std::vector<SparseEdge> moved_;

  void reserve(uint32_t n) {
    if (n + 16 > capacity_.size()) grow(n + 16);
  }

  SEGMENTER_NOINLINE void grow(uint32_t n) {
    capacity_.grow(n, std::max<size_t>(n, capacity_.size() * 3 / 2), [&](size_t size) {
      ids_store_.resize(size + kBack + 16);
      not_canonical_store_.resize(4 + size + 16);
      hard_store_.resize(size + 16);
      row_store_.resize(size + 16);
      head_store_.resize(size + 16);
      ids = ids_store_.data() + kBack;
      not_canonical = not_canonical_store_.data() + 4;
      hard = hard_store_.data();
      rows = row_store_.data();
      head = head_store_.data();
    });
  }

  bool linked(const SparseEdge& e) const {
    for (uint32_t h = head[e.end]; h; h = longs[h - 1].next)
      if (&longs[h - 1] == &e) return true;
    return false;
  }

  // Turns the characters of a span into a Han character that is in no word: nothing crosses or
  // enters the span, and every path takes it character by character.
  void mask_spans(uint32_t from, uint32_t to) {
    const std::vector<UserMatch>& spans = edits->spans;
    for (; next_span_ < spans.size() && spans[next_span_].start < base + to; ++next_span_) {
      const UserMatch& m = spans[next_span_];
      uint32_t a = std::max(m.start, base + from), b = std::min(m.end, base + to);
      for (uint32_t k = a; k < b; ++k) ids[k - base] = uint16_t(lex->masked);
      if (m.end > base + to) return;
    }
  }
};

}  // namespace segmenter
