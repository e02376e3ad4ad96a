// The word lattice of a text, built once from left to right, window by window.
//
// Every code point becomes a dense character id; runs (Latin, digits, blanks, …) become class
// edges; the trie gives the words. Edges of 1 to 4 characters lie in dense tables by their END
// (cell 4*j + L-1 is the edge of L characters that ends at j), the order in which the Viterbi
// recursion reads them; longer edges and class edges are in short lists by their end. Nothing is
// looked up twice: `advance` appends a block, `commit` drops the decided front.
//
// All look-ups of one and two characters come first, branch-free, for the whole block; the few
// positions where a third character can follow form a list, the positions where a fourth can follow
// the next list, and so on. Loads at neighbouring positions are independent, so their cache misses
// overlap; in a walk position by position they would not.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "clauses.hpp"
#include "lattice/runs.hpp"

namespace segmenter {

class Lattice {
 public:
  LatticeWindow window;

  // Begins a text. If less than words is asked for, rows hold only costs.
  void begin(const Lexicon& lex, const Text& text, const Request& request) {
    want_ = request.want;
    next_external_ = next_edge_ = next_cut_ = next_sign_ = 0;
    window.begin(lex, text, request);
  }

  // After begin(): a MarkedMap of the lexicon, or null. For a text of one block without characters beyond the
  // basic plane, the positions of characters that join two of a run; null if a character is marked. This
  // maps the text; advance() does not repeat it.
  const std::vector<uint32_t>* triggers(const uint16_t* map) {
    window.marked = map;
    if (!map || window.text.width == 4 || window.n > kBlock) return nullptr;
    const uint32_t any = window.map_marked(window.n);
    if (any & kMarkedChar) return nullptr;
    joints_.clear();
    const RunEdges runs(window);
    window.decides = false;
    for (const uint32_t k : window.signs) {
      if (!window.special(k))
        window.decides = window.decides || ClauseMarks::may_decide(*window.lex, window.ids + k);
      else if (runs.joins(k)) joints_.push_back(k);
    }
    return &joints_;
  }

  // After begin(): sets the user's words and atoms found since.
  void edit(const Request& request) {
    want_ = request.want;
    window.set_edits(request.edits);
  }

  // Appends a block of starts; false at the end of the text.
  bool advance() {
    if (window.at_end()) return false;
    RunEdges runs(window);
    Interrupt::look(std::min(window.n - window.base, kBlock));
    uint32_t from = window.done, left = window.n - window.base;
    uint32_t to = left - from > kBlock ? from + kBlock : left;
    window.map_to(std::min(left, to + window.look));
    // A block ends where no number, date or run can be open, and if one comes soon at the end of a clause,
    // so that what the rules see never depends on where blocks end.
    const uint32_t most = to + kBlock;
    while (to < left && !(runs.clean_cut(to) && (to >= most || ends_clause(to)))) {
      if (++to % Interrupt::kEvery == 0) Interrupt::look();
      if (window.mapped < std::min(left, to + window.look))
        window.map_to(std::min(left, to + window.look + kBlock));
    }
    window.clear_to(to + window.look);
    window.done = to;
    size_t first_class = window.longs.size();
    window.hard_list.clear();
    window.measured.clear();
    window.letters.clear();
    runs.scan(from, to);
    size_t end_class = window.longs.size();
    if (window.external) take_external(from, to);
    else if (want_ >= Want::kWords) look_up<true>(from, to);
    else look_up<false>(from, to);
    if (!window.measured.empty()) part_measures();
    if (window.measures && window.decides) part_clauses(from, to, first_class);
    if (window.edits) take_words_away(to);
    for (const LatticeWindow::Letters& run : window.letters) keep_whole(run, first_class);
    if (end_class > first_class || !window.hard_list.empty())
      merge_class_edges(first_class, end_class);
    if (window.edits) add_user_edges(to);
    window.steps += to - from;
    return true;
  }

 private:
  // A possible node: where its edge would go (8 * end + length - 1), and its slot.
  struct Candidate {
    uint32_t cell, slot;
  };
  Want want_ = Want::kWords;
  // the first not yet in the lattice
  size_t next_external_ = 0, next_edge_ = 0, next_cut_ = 0, next_sign_ = 0;
  std::vector<Candidate> candidates_;
  std::vector<uint32_t> joints_;
  std::vector<uint8_t> marks_;  // of a block

  // Whether class edges of this kind may go into the rows: not if kinds are asked for without
  // slots, since then only the list tells kinds; nor if the user has words, which could take the
  // edge's place in a row or be mistaken for it.
  bool in_rows(EdgeKind kind) const {
    if (window.edits) return false;
    return want_ != Want::kEnds || (kind != kBlankRun && kind != kLineEnd);
  }

  // After the look-ups: hard positions lose their edges, and a class edge yields to a word of the
  // lexicon over the same characters. Class edges of up to four characters move into the rows.
  void merge_class_edges(size_t first, size_t end) {
    Interrupt::each(window.hard_list.size(), [&](size_t i) {
      const uint32_t p = window.hard_list[i];
      window.clear_row(p);
      for (uint32_t len = 1; len <= 4; ++len) window.rows[p + len].cost[len - 1] = kInf;
      window.head[p] = 0;
    });
    Interrupt::each(end - first, [&](size_t k) {
      const size_t i = first + k;
      const SparseEdge& edge = window.longs[i];
      uint32_t len = edge.end - edge.start;
      Row& row = window.rows[edge.end];
      bool shadowed = len > 1 && len <= 4 && row.cost[len - 1] < kInf;
      if (len == 1) row.cost[0] = kInf;
      if (len > 4)
        for (uint32_t h = window.head[edge.end]; h && !shadowed; h = window.longs[h - 1].next)
          shadowed = window.longs[h - 1].kind == kWord && window.longs[h - 1].start == edge.start;
      const bool moves = len <= 4 && in_rows(edge.kind);
      if (!shadowed && !moves) return;
      if (!unlink(i)) return;  // it ends inside a run that stays whole
      if (shadowed || window.hard[edge.start]) return;
      row.cost[len - 1] = edge.cost << 2 | (4 - len);
      row.slot[len - 1] = kind_bits(edge.kind);
    });
    window.steps += window.hard_list.size() + (end - first);
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
    const Single* __restrict singles = window.lex->singles.data();
    const uint64_t* __restrict units = window.lex->trie.units;
    const PairFilter pairs = window.lex->trie.pairs;
    const uint16_t* __restrict ids = window.ids;
    uint32_t* __restrict cells = window.rows[0].cost;
    // a candidate of two, three, four and five characters per start
    if (candidates_.size() < 4 * size_t(to - from) + 16)
      candidates_.resize(4 * size_t(to - from) + 16);
    Candidate* __restrict list = candidates_.data();
    size_t n = 0, k = from, first = ids[from];
    const size_t seen = std::min(to, window.n_rows - 1);
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
    for (uint32_t j = std::max(window.n_rows, to + 1); j < to + 5; ++j) window.clear_row(j);
    window.n_rows = to + 5;
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
    const uint64_t* __restrict units = window.lex->trie.units;
    const uint16_t* __restrict ids = window.ids;
    uint32_t* __restrict cells = window.rows[0].cost;
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
    window.steps += n;
  }

  // Words of five or more characters from p on; s: where the node of the first five would be.
  SEGMENTER_NOINLINE void walk_on(uint32_t p, uint32_t s) {
    const Trie& trie = window.lex->trie;
    // no edge may reach beyond the window's look-ahead, whatever the file says
    const uint32_t stop = std::min(window.mapped, p + window.lex->max_word);
    for (uint32_t end = p + 5; end <= stop; ++end) {
      uint64_t u = trie.units[s];
      if (unit_label(u) != window.ids[end - 1]) return;
      ++window.steps;
      if (unit_cost(u) != kNoCost && !window.hard[p] && !window.hard[end])
        window.add_long(p, end, unit_cost(u), s, kWord);
      if (!unit_base(u)) return;
      s = unit_base(u) + window.ids[end];
    }
  }

  void take_external(uint32_t from, uint32_t to) {
    for (; window.n_rows < to + 5; ++window.n_rows) window.clear_row(window.n_rows);
    for (uint32_t k = from; k < to; ++k) {
      window.rows[k + 1].cost[0] = window.lex->unknown_cost << 2 | 3;
      window.rows[k + 1].slot[0] = 0;
    }
    const std::vector<Match>& all = *window.external;
    while (next_external_ < all.size() && all[next_external_].start < window.base + to) {
      const Match& m = all[next_external_++];
      uint32_t k = m.start - window.base, len = m.end - m.start;
      if (window.edits && window.edits->overlaps(m.start, m.end)) continue;
      if (len <= 4) {
        window.rows[k + len].cost[len - 1] = m.cost << 2 | (4 - len);
        window.rows[k + len].slot[len - 1] = m.slot;
      } else if (!window.hard[k] && !window.hard[k + len]) {
        window.add_long(k, k + len, m.cost, m.slot, kWord);
      }
      ++window.steps;
    }
  }

  // Leaves out words of a numeral and its measure word, and words that go on where the measure word
  // ends; at this point rows hold only words of the lexicon.
  void part_measures() {
    for (const LatticeWindow::Measured& m : window.measured) {
      const uint32_t end = m.at + 1;
      ++window.steps;
      if (m.word)
        for (uint32_t len = 2; len <= 4 && len <= end - m.numeral; ++len)
          window.rows[end].cost[len - 1] = kInf;
      if (m.breaks)
        for (uint32_t len = 2; len <= 4; ++len) window.rows[m.at + len].cost[len - 1] = kInf;
    }
  }

  // Keeps the longest word whole that begins with a run of letters and goes on with up to three Han
  // characters, SIM卡, unless the last of them begins another word and none begins after it: P/图片. A
  // block ends at least three characters after the run. At this point rows hold only words of the lexicon.
  void keep_whole(const LatticeWindow::Letters& run, size_t first) {
    if (window.hard[run.start]) return;
    uint32_t end = run.end;
    for (uint32_t e = end + 1; e <= run.end + 3 && window.cls(e - 1) == kHan; ++e)
      if (!window.hard[e] && is_edge(run.start, e)) end = e;
    if (end != run.end && !(is_pair(end - 1) && !is_pair(end))) forbid(run.end, end, first);
  }

  // Forbids boundaries at [s, e); `first`: the first long edge of this block.
  void forbid(uint32_t s, uint32_t e, size_t first) {
    for (uint32_t k = s; k < e; ++k) {
      window.hard[k] = 1;
      window.hard_list.push_back(k);
    }
    for (size_t i = first; i < window.longs.size(); ++i)
      if (window.longs[i].start >= s && window.longs[i].start < e) unlink(i);
  }

  // Takes a long edge out of the list of its end; false if it is not there.
  bool unlink(size_t i) {
    uint32_t* link = &window.head[window.longs[i].end];
    while (*link && *link != i + 1) link = &window.longs[*link - 1].next;
    if (!*link) return false;
    *link = window.longs[i].next;
    return true;
  }

  // Whether no rule of clauses.hpp looks from one side of k to the other: after a character that is
  // neither Han nor a mark between clauses.
  bool ends_clause(uint32_t k) const {
    if (!window.measures) return true;
    const CharClass c = window.cls(k - 1);
    return c != kHan && c != kHanNum && !clause_goes_on(*window.lex, window.ids[k - 1]);
  }

  class LatticeWords final : public ClauseWords {
   public:
    LatticeWords(const LatticeWindow& window, uint32_t from) : window_(window), from_(from) {}
    uint32_t word_end(uint32_t k, uint32_t end) const override {
      const Lexicon& lex = *window_.lex;
      uint32_t longest = k + 1;
      if (window_.external) {
        const uint32_t s = window_.base + from_ + k;
        for (auto at = window_.matches_from(s);
             at != window_.external->end() && at->start == s && at->end - s <= end - k; ++at)
          longest = std::max(longest, k + at->end - s);
        return longest;
      }
      const uint16_t* const ids = window_.ids + from_;
      uint32_t slot = ids[k];
      for (uint32_t e = k + 1; slot && e < end; ++e) {
        slot = lex.trie.child(slot, ids[e]);
        if (slot && lex.is_word(slot)) longest = e + 1;
      }
      return longest;
    }
    bool is_rare(uint32_t k, uint32_t end) const override {
      if (window_.external) {
        const uint32_t s = window_.base + from_ + k, e = window_.base + from_ + end;
        for (auto at = window_.matches_from(s); at != window_.external->end() && at->start == s;
             ++at)
          if (at->end == e) return at->cost > kRareCost;
        return false;
      }
      const Trie& trie = window_.lex->trie;
      uint32_t slot = window_.ids[from_ + k];
      for (uint32_t e = k + 1; slot && e < end; ++e)
        slot = trie.child(slot, window_.ids[from_ + e]);
      return slot && unit_cost(trie.units[slot]) > kRareCost;
    }

   private:
    static constexpr uint32_t kRareCost = 14 << 11;  // 14 nats, one word in a million
    const LatticeWindow& window_;
    const uint32_t from_;
  };

  // Obeys the marks of clauses.hpp in a block: leaves out the words that go over a boundary, and adds an
  // edge for each run without boundaries that is no word. At this point rows hold only words of the lexicon.
  SEGMENTER_NOINLINE void part_clauses(uint32_t from, uint32_t to, size_t first) {
    const std::vector<uint32_t>& signs = window.signs;
    const size_t sign = next_sign_;
    while (next_sign_ < signs.size() && signs[next_sign_] < window.base + to) ++next_sign_;
    if (next_sign_ == sign) return;
    marks_.assign(to - from, 0);
    const LatticeWords words(window, from);
    ClauseMarks clauses(*window.lex, words, window.ids + from, marks_.data(), to - from);
    clauses.add(signs.data() + sign, signs.data() + next_sign_, window.base + from);
    window.steps += clauses.steps + (next_sign_ - sign);
    if (clauses.first <= clauses.last)
      obey(from, to, from + clauses.first, from + clauses.last, first);
  }

  void obey(uint32_t from, uint32_t to, uint32_t first_mark, uint32_t last_mark, size_t first) {
    auto marked = [&](uint32_t k) { return k < to ? marks_[k - from] : 0; };
    for (uint32_t k = std::max(first_mark, from + 1); k <= last_mark; ++k) {
      if (window.hard[k] || !marked(k)) continue;
      if (marked(k) & kMarkCut) {
        for (uint32_t end = k + 1; end < k + 4; ++end)
          for (uint32_t len = end - k + 1; len <= 4; ++len) window.rows[end].cost[len - 1] = kInf;
        continue;
      }
      uint32_t e = k + 1;
      while (marked(e) == kMarkJoin && !window.hard[e]) ++e;
      if (!window.hard[k - 1] && !window.hard[e]) {
        if (!is_edge(k - 1, e)) window.add_long(k - 1, e, window.lex->unknown_cost, 0, kUnknown);
        forbid(k, e, first);
      }
      k = e - 1;
    }
    for (size_t i = first; i < window.longs.size(); ++i) {
      const SparseEdge& edge = window.longs[i];
      for (uint32_t k = edge.start + 1; edge.kind == kWord && k < edge.end; ++k)
        if (k > from && marked(k) & kMarkCut) unlink(i);
    }
    window.steps += last_mark + 1 - first_mark;
  }

  // Whether the lattice has a word [s, e).
  bool is_edge(uint32_t s, uint32_t e) const {
    if (e - s <= 4) return window.rows[e].cost[e - s - 1] < kInf;
    for (uint32_t h = window.head[e]; h; h = window.longs[h - 1].next)
      if (window.longs[h - 1].kind == kWord && window.longs[h - 1].start == s) return true;
    return false;
  }

  // Whether the two characters at k are a word, in this block or after it.
  bool is_pair(uint32_t k) const {
    if (!window.external) {
      const uint32_t slot = window.lex->trie.child(window.ids[k], window.ids[k + 1]);
      return slot && window.lex->is_word(slot);
    }
    const uint32_t s = window.base + k;
    if (window.edits && window.edits->overlaps(s, s + 2)) return false;
    for (auto at = window.matches_from(s); at != window.external->end() && at->start == s; ++at)
      if (at->end == s + 2) return true;
    return false;
  }

  // Before class edges yield to words: restores edges that a deleted word had shadowed.
  void take_words_away(uint32_t to) {
    const std::vector<UserEdge>& cuts = window.edits->cuts;
    for (; next_cut_ < cuts.size() && cuts[next_cut_].start < window.base + to; ++next_cut_) {
      uint32_t k = cuts[next_cut_].start - window.base, j = cuts[next_cut_].end - window.base,
               len = j - k;
      ++window.steps;
      if (len <= 4) {
        // at this point rows hold only words of the lexicon
        window.rows[j].cost[len - 1] = len == 1 ? window.lex->unknown_cost << 2 | 3 : kInf;
        if (len == 1)
          window.rows[j].slot[0] = kNotCanonical | (window.external ? 0 : window.lex->masked);
        continue;
      }
      if (j > window.cleared) continue;
      uint32_t* link = &window.head[j];
      while (*link &&
             !(window.longs[*link - 1].start == k && window.longs[*link - 1].kind == kWord))
        link = &window.longs[*link - 1].next;
      if (*link) *link = window.longs[*link - 1].next;
    }
  }

  void add_user_edges(uint32_t to) {
    const std::vector<UserEdge>& edges = window.edits->edges;
    for (; next_edge_ < edges.size() && edges[next_edge_].start < window.base + to; ++next_edge_) {
      const UserEdge& e = edges[next_edge_];
      uint32_t k = e.start - window.base, j = e.end - window.base, len = j - k;
      ++window.steps;
      if (window.hard[k] || window.hard[j]) continue;
      if (len <= 4) {
        window.rows[j].cost[len - 1] = e.cost << 2 | (4 - len);
        window.rows[j].slot[len - 1] = e.what;
      } else {
        window.add_long(k, j, e.cost, token_slot(e.what), token_kind(e.what));
      }
    }
  }
};

}  // namespace segmenter
