// The word lattice of a text, built once from left to right, window by window.
//
// Every code point becomes a dense character id; runs (Latin, digits, blanks, …) become class
// edges; the trie gives the words. Edges of 1 to 4 characters lie in dense tables by their END
// (cell 4*j + L-1 is the edge of L characters that ends at j), the order in which the Viterbi
// recursion reads them; longer edges and class edges are in short lists by their end. Nothing is
// looked up twice: `advance` appends a block, `commit` drops the decided front.
//
// All look-ups of one and two characters come first, branch-free, for the whole block; the few
// positions where a third character can follow make a list, those where a fourth can follow the
// next list, and so on. Loads at neighbouring positions are independent, so their cache misses
// overlap; those of a walk position by position would not.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "lattice/runs.hpp"

namespace segmenter {

class Lattice : public LatticeRuns {
 public:
  // Begins a text. If less than words is asked for, rows hold only costs.
  void begin(const Lexicon& lex, const Text& text, const Request& request) {
    lex_ = &lex;
    want_ = request.want;
    edits_ = request.edits;
    text_ = text;
    n_ = uint32_t(text.n);
    base_ = done_ = mapped_ = cleared_ = 0;
    rows_ = 1;
    steps_ = 0;
    any_alnum_ = false;
    external_ = request.found;
    next_external_ = 0;
    look_ = std::max<uint32_t>(lex.max_word, kRuleLook) + 4;
    longs.clear();
    reserve(std::min<uint32_t>(n_, kBlock) + 2 * look_);
    if (edits_) take_edits();
    for (uint32_t k = 1; k <= kBack; ++k) ids_[-int64_t(k)] = 0;
    clear_row(0);
  }

  // After begin(), for a text of one block without characters beyond the basic plane: whether any
  // character is marked in `map`, a copy of the lexicon's map of that plane, or joins two of a run.
  // This maps the text; advance() does not repeat it.
  static bool can_watch(const Text& text) { return text.width < 4 && text.n <= kBlock; }

  bool any_marked(const uint16_t* map) {
    CharMap marked = lex_->map;
    marked.bmp = map;
    const uint32_t any = map_to<kMarkedIds>(n_, marked);
    return any & kMarkedChar || (any & kJoiningChar && any_joined());
  }

  // After any_marked(): sets what the user's words do to the text.
  void edit(const Request& request) {
    edits_ = request.edits;
    want_ = request.want;
    take_edits();
    mask_spans(0, mapped_);
  }

  // Appends a block of starts; false at the end of the text.
  bool advance() {
    if (at_end()) return false;
    Interrupt::look(std::min(n_ - base_, kBlock));
    uint32_t from = done_, left = n_ - base_;
    uint32_t to = left - from > kBlock ? from + kBlock : left;
    map_to(std::min(left, to + look_));
    // A block ends where no number, date or run can be open, so that what the rules see never
    // depends on where blocks end.
    while (to < left && !clean_cut(to)) {
      if (++to % Interrupt::kEvery == 0) Interrupt::look();
      if (mapped_ < std::min(left, to + look_)) map_to(std::min(left, to + look_ + kBlock));
    }
    clear_to(to + look_);
    done_ = to;
    size_t first_class = longs.size();
    hard_list_.clear();
    scan_classes(from, to);
    size_t end_class = longs.size();
    if (external_) take_external(from, to);
    else if (want_ >= Want::kWords) look_up<true>(from, to);
    else look_up<false>(from, to);
    if (edits_) take_words_away(to);
    if (end_class > first_class || !hard_list_.empty()) merge_class_edges(first_class, end_class);
    if (edits_) add_user_edges(to);
    steps_ += to - from;
    return true;
  }

 private:
  // Whether class edges of this kind may go into the rows: not if kinds are asked for without
  // slots, since then only the list tells kinds; nor if the user has words, which could take the
  // edge's place in a row or be mistaken for it.
  bool in_rows(EdgeKind kind) const {
    if (edits_) return false;
    return want_ != Want::kEnds || (kind != kBlankRun && kind != kLineEnd);
  }

  // After the look-ups: hard positions lose their edges, and a class edge yields to a word of the
  // lexicon over the same characters. Class edges of up to four characters move into the rows.
  void merge_class_edges(size_t first, size_t end) {
    Interrupt::each(hard_list_.size(), [&](size_t i) {
      const uint32_t p = hard_list_[i];
      for (uint32_t len = 1; len <= 4; ++len) {
        rows[p].cost[len - 1] = kInf;
        rows[p + len].cost[len - 1] = kInf;
      }
      head[p] = 0;
    });
    Interrupt::each(end - first, [&](size_t k) {
      const size_t i = first + k;
      const LongEdge& edge = longs[i];
      uint32_t len = edge.end - edge.start;
      Row& row = rows[edge.end];
      bool shadowed = len > 1 && len <= 4 && row.cost[len - 1] < kInf;
      if (len == 1) row.cost[0] = kInf;
      if (len > 4)
        for (uint32_t h = head[edge.end]; h && !shadowed; h = longs[h - 1].next)
          shadowed = longs[h - 1].kind == kWord && longs[h - 1].start == edge.start;
      const bool moves = len <= 4 && in_rows(edge.kind);
      if (!shadowed && !moves) return;
      uint32_t* link = &head[edge.end];
      while (*link && *link != i + 1) link = &longs[*link - 1].next;
      if (!*link) return;  // it ends inside a run that stays whole
      *link = edge.next;
      if (shadowed || hard_[edge.start]) return;
      row.cost[len - 1] = edge.cost << 2 | (4 - len);
      row.slot[len - 1] = kind_bits(edge.kind);
    });
    steps_ += hard_list_.size() + (end - first);
  }

  // Opens a row: only the edge of one character.
  static void open_row(uint32_t* row, uint32_t single) {
#if SEGMENTER_SSE
    const __m128i none = _mm_set_epi32(int(kInf), int(kInf), int(kInf), 0);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(row),
                     _mm_or_si128(_mm_cvtsi32_si128(int(single)), none));
#else
    row[0] = single;
    row[1] = row[2] = row[3] = kInf;
#endif
  }

  template <bool slots>
  void look_up(uint32_t from, uint32_t to) {
    const Single* __restrict singles = lex_->singles.data();
    const uint64_t* __restrict units = lex_->trie.units;
    const PairFilter pairs = lex_->trie.pairs;
    const uint16_t* __restrict ids = ids_;
    uint32_t* __restrict cells = rows[0].cost;
    Candidate* __restrict list = candidates_.data();
    size_t n = 0, k = from, first = ids[from];
    const size_t seen = std::min(to, rows_ - 1);
    // the edge of one character, and whether two characters can begin a word
    auto look = [&](auto open) {
      size_t second = ids[k + 1];
      const Single& single = singles[first];
      uint32_t* row = cells + 8 * (k + 1);
      open(row, single.cost);
      if (slots) row[4] = uint32_t(first);
      uint32_t s = single.base + uint32_t(second), on = pairs.may_begin_word(two_at(ids + k));
      // prefetched into every level: with the "used once" hint (locality 0) a unit never stays in
      // the L2 of an Intel server and waits for the L3 each time: 1.21 times the kernel's time
      __builtin_prefetch(units + (s & (0 - on)));
      list[n] = Candidate{uint32_t(8 * k + 17), s};
      n += on;
      first = second;
    };
    // rows opened before
    for (; k < seen; ++k) look([](uint32_t* row, uint32_t one) { row[0] = one; });
    while (k < to) {  // one block, unless runs make it longer
      const size_t stop = std::min<size_t>(to, k + Interrupt::kEvery);
      for (; k < stop; ++k) look(open_row);
      if (k < to) Interrupt::look();
    }
    for (uint32_t j = std::max(rows_, to + 1); j < to + 5; ++j) clear_row(j);
    rows_ = to + 5;
    go_on<slots>(n);
  }

  // The cost of an edge as it lies in a row, kInf if `found` is not a cost. Left alone, the
  // compiler emits a branch, whose mispredictions cost more than the whole look-up.
  static uint32_t edge_cost(uint32_t found, uint32_t edge) {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(SEGMENTER_PORTABLE)
    uint32_t none = kInf;
    __asm__("cmpl $0xFFFF, %1\n\tcmovae %2, %0" : "+r"(edge) : "r"(found), "r"(none) : "cc");
    return edge;
#elif defined(__aarch64__) && defined(__GNUC__) && !defined(SEGMENTER_PORTABLE)
    const uint32_t none = kInf, limit = 0xFFFF;
    __asm__("cmp %w1, %w3\n\tcsel %w0, %w2, %w0, hs"
            : "+r"(edge)
            : "r"(found), "r"(none), "r"(limit)
            : "cc");
    return edge;
#else
    const uint32_t none = 0u - uint32_t(found >= kNoCost);
    return (edge & ~none) | (kInf & none);
#endif
  }

  // Works through the list of candidates. Nodes that can go on join its end, which gives their
  // units time to arrive. Everything here is arithmetic: a look-up's time is short loops and
  // dependent loads, and a branch would add mispredictions.
  template <bool slots>
  void go_on(size_t n) {
    const uint64_t* __restrict units = lex_->trie.units;
    const uint16_t* __restrict ids = ids_;
    uint32_t* __restrict cells = rows[0].cost;
    Candidate* const list = candidates_.data();
    for (size_t i = 0; i < n; ++i) {
      if (__builtin_expect(i % Interrupt::kEvery == Interrupt::kEvery - 1, 0)) Interrupt::look();
      size_t q = list[i].cell, s = list[i].slot, end = q >> 3;
      if (__builtin_expect(q & 4, 0)) {  // five characters
        walk_on(uint32_t(end - 5), uint32_t(s));
        continue;
      }
      uint32_t id = ids[end - 1], next = ids[end];
      uint64_t u = units[s];
      // the cost if the label matches, else at least 2**16
      uint32_t found = uint32_t(u) ^ id;
      found = found << 16 | found >> 16;
      cells[q] = edge_cost(found, (found << 2 | 3) ^ uint32_t(q & 3));
      if (slots) cells[q + 4] = uint32_t(s);
      size_t child = unit_base(u) + next, on = uint32_t(found < 0x10000) & unit_guard(u, next);
      __builtin_prefetch(units + (child & (0 - on)));
      list[n] = Candidate{uint32_t(q + 9), uint32_t(child)};
      n += on;
    }
    steps_ += n;
  }

  // Words of five or more characters from p on; s: where the node of the first five would be.
  SEGMENTER_NOINLINE void walk_on(uint32_t p, uint32_t s) {
    const Trie& trie = lex_->trie;
    // no edge may reach beyond the window's look-ahead, whatever the file says
    const uint32_t stop = std::min(mapped_, p + lex_->max_word);
    for (uint32_t end = p + 5; end <= stop; ++end) {
      uint64_t u = trie.units[s];
      if (unit_label(u) != ids_[end - 1]) return;
      ++steps_;
      if (unit_cost(u) != kNoCost && !hard_[p] && !hard_[end])
        add_long(p, end, unit_cost(u), s, kWord);
      if (!unit_base(u)) return;
      s = unit_base(u) + ids_[end];
    }
  }

  void take_external(uint32_t from, uint32_t to) {
    for (; rows_ < to + 5; ++rows_) clear_row(rows_);
    for (uint32_t k = from; k < to; ++k) {
      rows[k + 1].cost[0] = lex_->unknown_cost << 2 | 3;
      rows[k + 1].slot[0] = 0;
    }
    const std::vector<Match>& all = *external_;
    while (next_external_ < all.size() && all[next_external_].start < base_ + to) {
      const Match& m = all[next_external_++];
      uint32_t k = m.start - base_, len = m.end - m.start;
      if (edits_ && edits_->overlaps(m.start, m.end)) continue;
      if (len <= 4) {
        rows[k + len].cost[len - 1] = m.cost << 2 | (4 - len);
        rows[k + len].slot[len - 1] = m.slot;
      } else if (!hard_[k] && !hard_[k + len]) {
        add_long(k, k + len, m.cost, m.slot, kWord);
      }
      ++steps_;
    }
  }

  // Before class edges yield to words: restores edges that a deleted word had shadowed.
  void take_words_away(uint32_t to) {
    const std::vector<UserEdge>& cuts = edits_->cuts;
    for (; next_cut_ < cuts.size() && cuts[next_cut_].start < base_ + to; ++next_cut_) {
      uint32_t k = cuts[next_cut_].start - base_, j = cuts[next_cut_].end - base_, len = j - k;
      ++steps_;
      if (len <= 4) {
        // at this point rows hold only words of the lexicon
        rows[j].cost[len - 1] = len == 1 ? lex_->unknown_cost << 2 | 3 : kInf;
        if (len == 1) rows[j].slot[0] = kNotCanonical | (external_ ? 0 : lex_->masked);
        continue;
      }
      if (j > cleared_) continue;
      uint32_t* link = &head[j];
      while (*link && !(longs[*link - 1].start == k && longs[*link - 1].kind == kWord))
        link = &longs[*link - 1].next;
      if (*link) *link = longs[*link - 1].next;
    }
  }

  void add_user_edges(uint32_t to) {
    const std::vector<UserEdge>& edges = edits_->edges;
    for (; next_edge_ < edges.size() && edges[next_edge_].start < base_ + to; ++next_edge_) {
      const UserEdge& e = edges[next_edge_];
      uint32_t k = e.start - base_, j = e.end - base_, len = j - k;
      ++steps_;
      if (hard_[k] || hard_[j]) continue;
      if (len <= 4) {
        rows[j].cost[len - 1] = e.cost << 2 | (4 - len);
        rows[j].slot[len - 1] = e.what;
      } else {
        add_long(k, j, e.cost, token_slot(e.what), token_kind(e.what));
      }
    }
  }
};

}  // namespace segmenter
