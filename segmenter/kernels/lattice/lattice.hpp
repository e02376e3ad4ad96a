// The word lattice of a text, built once from left to right, window by window.
//
// Every code point becomes a dense character id; runs (Latin, digits, blanks, …) become class
// edges; the trie gives the words. Edges of 1 to 4 characters lie in dense tables by their END (row
// j has the edges that end at j, by length), the order in which the Viterbi recursion reads them.
// Longer edges and class edges are in short lists by their end. Nothing is looked up twice:
// advance() appends a block, commit() drops the decided front.
//
// Look-ups go by length: first those of one and two characters, branch-free, for the whole block.
// The few positions where a third character can follow form a list, the positions where a fourth
// can follow the next list, and so on. Loads at neighbouring positions are independent, so their
// cache misses overlap; in a walk position by position they would not.
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

  // Begins a text. For a request of less than Want::kWords, rows hold only costs.
  void begin(const Lexicon& lex, const Text& text, const Request& request) {
    want_ = request.want;
    next_external_ = next_edge_ = next_cut_ = next_sign_ = 0;
    window.begin(lex, text, request);
  }

  // After begin(). For a text of one block within the basic plane: the positions of joiners at
  // which atoms are looked for; null if the map marks a character that has to be looked at, or for
  // other texts. `marked_map`: of the lexicon, or null. Maps the text, which advance() does not
  // repeat.
  const std::vector<uint32_t>* triggers(const uint16_t* marked_map) {
    window.marked_map = marked_map;
    if (!marked_map || window.text.width == 4 || window.n > kBlock) return nullptr;
    const uint32_t entries = window.map_marked(window.n);
    if (entries & kMarkedChar) return nullptr;
    joints_.clear();
    const RunEdges runs(window);
    window.may_decide = false;
    for (const uint32_t k : window.signs) {
      if (!window.special(k))
        window.may_decide =
            window.may_decide || ClauseMarks::may_decide(*window.lex, window.ids + k);
      else if (runs.joins(k)) joints_.push_back(k);
    }
    return &joints_;
  }

  // After begin(): sets the user words and atoms that have been found since.
  void edit(const Request& request) {
    want_ = request.want;
    window.set_edits(request.edits);
  }

  // Appends the edges of a block of starts; false at the end of the text.
  bool advance() {
    if (window.at_end()) return false;
    RunEdges runs(window);
    Interrupt::poll(std::min(window.n - window.base, kBlock));
    uint32_t begin = window.built, text_end = window.n - window.base;
    uint32_t end = text_end - begin > kBlock ? begin + kBlock : text_end;
    window.map_to(std::min(text_end, end + window.look_ahead));
    // A block ends where no number, date or run can be open and, if one comes soon, at the end of a
    // clause, so that no rule depends on where blocks end.
    const uint32_t clause_limit = end + kBlock;
    while (end < text_end && !(runs.clean_cut(end) && (end >= clause_limit || ends_clause(end)))) {
      if (++end % Interrupt::kEvery == 0) Interrupt::poll();
      if (window.mapped < std::min(text_end, end + window.look_ahead))
        window.map_to(std::min(text_end, end + window.look_ahead + kBlock));
    }
    window.clear_to(end + window.look_ahead);
    window.built = end;
    size_t first_class = window.longs.size();
    window.forbidden_list.clear();
    window.measured.clear();
    window.letters.clear();
    runs.scan(begin, end);
    size_t end_class = window.longs.size();
    if (window.external) add_external(begin, end);
    else if (want_ >= Want::kWords) look_up<true>(begin, end);
    else look_up<false>(begin, end);
    if (!window.measured.empty()) split_measures();
    if (window.measures && window.may_decide) split_clauses(begin, end, first_class);
    if (window.edits) remove_deleted_words(end);
    for (const LatticeWindow::Letters& letters : window.letters)
      keep_letters_whole(letters, first_class);
    if (end_class > first_class || !window.forbidden_list.empty())
      merge_class_edges(first_class, end_class);
    if (window.edits) add_user_edges(end);
    window.steps += end - begin;
    return true;
  }

 private:
  // A possible node of the trie: the cell of its edge in the rows (8 * end + length - 1), and its
  // slot.
  struct Candidate {
    uint32_t cell, slot;
  };
  Want want_ = Want::kWords;
  // indices of the first external word, user edge, deleted word and sign that are not in the
  // lattice yet
  size_t next_external_ = 0, next_edge_ = 0, next_cut_ = 0, next_sign_ = 0;
  std::vector<Candidate> candidates_;
  std::vector<uint32_t> joints_;
  std::vector<uint8_t> marks_;  // of clauses.hpp, in a block

  // Whether class edges of this kind may go into rows. Not if kinds are asked for without slots,
  // since then only lists tell kinds; nor if the user has words, which could replace an edge in a
  // row or be mistaken for it.
  bool in_rows(EdgeKind kind) const {
    if (window.edits) return false;
    return want_ != Want::kEnds || (kind != kBlankRun && kind != kLineEnd);
  }

  // After the look-ups: forbidden positions lose their edges, and a class edge yields to a word of
  // the lexicon over the same characters. Class edges of up to four characters move into rows.
  void merge_class_edges(size_t first, size_t end) {
    Interrupt::for_each(window.forbidden_list.size(), [&](size_t i) {
      const uint32_t position = window.forbidden_list[i];
      window.clear_row(position);
      for (uint32_t length = 1; length <= 4; ++length)
        window.rows[position + length].cost[length - 1] = kInf;
      window.head[position] = 0;
    });
    Interrupt::for_each(end - first, [&](size_t k) {
      const size_t i = first + k;
      const SparseEdge& edge = window.longs[i];
      uint32_t length = edge.end - edge.start;
      Row& row = window.rows[edge.end];
      bool shadowed = length > 1 && length <= 4 && row.cost[length - 1] < kInf;
      if (length == 1) row.cost[0] = kInf;
      if (length > 4)
        for (uint32_t link = window.head[edge.end]; link && !shadowed;
             link = window.longs[link - 1].next)
          shadowed =
              window.longs[link - 1].kind == kWord && window.longs[link - 1].start == edge.start;
      const bool moves = length <= 4 && in_rows(edge.kind);
      if (!shadowed && !moves) return;
      if (!unlink(i)) return;  // it ends inside a run that stays whole
      if (shadowed || window.forbidden[edge.start]) return;
      row.cost[length - 1] = edge.cost << 2 | (4 - length);
      row.slot[length - 1] = kind_bits(edge.kind);
    });
    window.steps += window.forbidden_list.size() + (end - first);
  }

  // Initializes the costs of a row with the edge of one character alone.
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
  void look_up(uint32_t begin, uint32_t end) {
    const Single* __restrict singles = window.lex->singles.data();
    const uint64_t* __restrict units = window.lex->trie.units;
    const PairFilter pairs = window.lex->trie.pairs;
    const uint16_t* __restrict ids = window.ids;
    uint32_t* __restrict cells = window.rows[0].cost;
    // up to four candidates per start: of two, three, four and five characters
    if (candidates_.size() < 4 * size_t(end - begin) + 16)
      candidates_.resize(4 * size_t(end - begin) + 16);
    Candidate* __restrict list = candidates_.data();
    size_t n = 0, k = begin, first = ids[begin];
    const size_t opened = std::min(end, window.n_rows - 1);
    // the edge of one character, and a candidate if two characters can begin a word
    auto look_up_at = [&](auto open) {
      size_t second = ids[k + 1];
      const Single& single = singles[first];
      uint32_t* row = cells + 8 * (k + 1);
      open(row, single.cost);
      if (slots) row[4] = uint32_t(first);
      uint32_t child = single.base + uint32_t(second),
               continues = pairs.may_begin_word(two_at(ids + k));
      // prefetched into every level: with the "used once" hint (locality 0) a unit never stays in
      // the L2 of an Intel server and waits for the L3 each time: 1.21 times the kernel's time
      __builtin_prefetch(units + (child & (0 - continues)));
      list[n] = Candidate{uint32_t(8 * k + 17), child};
      n += continues;
      first = second;
    };
    // rows that the block before has initialized
    for (; k < opened; ++k) look_up_at([](uint32_t* row, uint32_t cost) { row[0] = cost; });
    while (k < end) {  // one block, unless runs make it longer
      const size_t stop = std::min<size_t>(end, k + Interrupt::kEvery);
      for (; k < stop; ++k) look_up_at(open_row);
      if (k < end) Interrupt::poll();
    }
    for (uint32_t j = std::max(window.n_rows, end + 1); j < end + 5; ++j) window.clear_row(j);
    window.n_rows = end + 5;
    extend_candidates<slots>(n);
  }

  // `row_cost` if `cost` is a cost, else kInf. Left alone, the compiler emits a branch, whose
  // mispredictions cost more than the whole look-up.
  static uint32_t edge_cost(uint32_t cost, uint32_t row_cost) {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(SEGMENTER_PORTABLE)
    uint32_t none = kInf;
    __asm__("cmpl $0xFFFF, %1\n\tcmovae %2, %0" : "+r"(row_cost) : "r"(cost), "r"(none) : "cc");
    return row_cost;
#elif defined(__aarch64__) && defined(__GNUC__) && !defined(SEGMENTER_PORTABLE)
    const uint32_t none = kInf, limit = 0xFFFF;
    __asm__("cmp %w1, %w3\n\tcsel %w0, %w2, %w0, hs"
            : "+r"(row_cost)
            : "r"(cost), "r"(none), "r"(limit)
            : "cc");
    return row_cost;
#else
    const uint32_t none = 0u - uint32_t(cost >= kNoCost);
    return (row_cost & ~none) | (kInf & none);
#endif
  }

  // Looks up the n candidates. Nodes with a child that may match are appended as candidates, which
  // gives their units time to arrive. There is no branch: the time of a look-up is short loops and
  // dependent loads, and a branch would add mispredictions.
  template <bool slots>
  void extend_candidates(size_t n) {
    const uint64_t* __restrict units = window.lex->trie.units;
    const uint16_t* __restrict ids = window.ids;
    uint32_t* __restrict cells = window.rows[0].cost;
    Candidate* const list = candidates_.data();
    for (size_t i = 0; i < n; ++i) {
      if (__builtin_expect(i % Interrupt::kEvery == Interrupt::kEvery - 1, 0)) Interrupt::poll();
      size_t cell = list[i].cell, slot = list[i].slot, end = cell >> 3;
      if (__builtin_expect(cell & 4, 0)) {  // five characters
        add_long_words(uint32_t(end - 5), uint32_t(slot));
        continue;
      }
      uint32_t id = ids[end - 1], next = ids[end];
      uint64_t unit = units[slot];
      // the cost if the label matches, else at least 2**16
      uint32_t cost = uint32_t(unit) ^ id;
      cost = cost << 16 | cost >> 16;
      cells[cell] = edge_cost(cost, (cost << 2 | 3) ^ uint32_t(cell & 3));
      if (slots) cells[cell + 4] = uint32_t(slot);
      size_t child = unit_base(unit) + next,
             continues = uint32_t(cost < 0x10000) & unit_guard(unit, next);
      __builtin_prefetch(units + (child & (0 - continues)));
      list[n] = Candidate{uint32_t(cell + 9), uint32_t(child)};
      n += continues;
    }
    window.steps += n;
  }

  // Adds the words of five or more characters that begin at `start`; `slot`: where the node of the
  // first five characters would be.
  SEGMENTER_NOINLINE void add_long_words(uint32_t start, uint32_t slot) {
    const Trie& trie = window.lex->trie;
    // no edge may reach beyond the window's look-ahead, whatever the file says
    const uint32_t stop = std::min(window.mapped, start + window.lex->max_word);
    for (uint32_t end = start + 5; end <= stop; ++end) {
      uint64_t unit = trie.units[slot];
      if (unit_label(unit) != window.ids[end - 1]) return;
      ++window.steps;
      if (unit_cost(unit) != kNoCost && !window.forbidden[start] && !window.forbidden[end])
        window.add_long(start, end, unit_cost(unit), slot, kWord);
      if (!unit_base(unit)) return;
      slot = unit_base(unit) + window.ids[end];
    }
  }

  void add_external(uint32_t begin, uint32_t end) {
    for (; window.n_rows < end + 5; ++window.n_rows) window.clear_row(window.n_rows);
    for (uint32_t start = begin; start < end; ++start) {
      window.rows[start + 1].cost[0] = window.lex->unknown_cost << 2 | 3;
      window.rows[start + 1].slot[0] = 0;
    }
    const std::vector<Match>& matches = *window.external;
    while (next_external_ < matches.size() && matches[next_external_].start < window.base + end) {
      const Match& match = matches[next_external_++];
      uint32_t start = match.start - window.base, length = match.end - match.start;
      if (window.edits && window.edits->overlaps(match.start, match.end)) continue;
      if (length <= 4) {
        window.rows[start + length].cost[length - 1] = match.cost << 2 | (4 - length);
        window.rows[start + length].slot[length - 1] = match.slot;
      } else if (!window.forbidden[start] && !window.forbidden[start + length]) {
        window.add_long(start, start + length, match.cost, match.slot, kWord);
      }
      ++window.steps;
    }
  }

  // Removes the words over a numeral and its measure word, and the words that begin with a measure
  // word and go on after it. At this point rows hold only words of the lexicon.
  void split_measures() {
    for (const LatticeWindow::Measured& m : window.measured) {
      const uint32_t end = m.measure + 1;
      ++window.steps;
      if (m.parted)
        for (uint32_t length = 2; length <= 4 && length <= end - m.numeral; ++length)
          window.rows[end].cost[length - 1] = kInf;
      if (m.breaks)
        for (uint32_t length = 2; length <= 4; ++length)
          window.rows[m.measure + length].cost[length - 1] = kInf;
    }
  }

  // Keeps the longest word whole that begins with a run of letters and continues with up to three
  // Han characters (SIM卡), unless its last character begins another word and no word begins after
  // it (P/图片). A block ends at least three characters after the run. At this point rows hold only
  // words of the lexicon.
  void keep_letters_whole(const LatticeWindow::Letters& run, size_t first_long) {
    if (window.forbidden[run.start]) return;
    uint32_t end = run.end;
    for (uint32_t candidate = end + 1;
         candidate <= run.end + 3 && window.cls(candidate - 1) == kHan; ++candidate)
      if (!window.forbidden[candidate] && has_word(run.start, candidate)) end = candidate;
    if (end != run.end && !(has_two_character_word(end - 1) && !has_two_character_word(end)))
      forbid(run.end, end, first_long);
  }

  // Forbids boundaries at [begin, end). `first_long`: index of the first long edge of this block.
  void forbid(uint32_t begin, uint32_t end, size_t first_long) {
    for (uint32_t k = begin; k < end; ++k) {
      window.forbidden[k] = 1;
      window.forbidden_list.push_back(k);
    }
    for (size_t i = first_long; i < window.longs.size(); ++i)
      if (window.longs[i].start >= begin && window.longs[i].start < end) unlink(i);
  }

  // Removes a long edge from the list of its end; false if it is not there.
  bool unlink(size_t i) {
    uint32_t* link = &window.head[window.longs[i].end];
    while (*link && *link != i + 1) link = &window.longs[*link - 1].next;
    if (!*link) return false;
    *link = window.longs[i].next;
    return true;
  }

  // Whether no rule of clauses.hpp reads across k: the character before k is neither Han nor a mark
  // between clauses.
  bool ends_clause(uint32_t k) const {
    if (!window.measures) return true;
    const CharClass c = window.cls(k - 1);
    return c != kHan && c != kHanNum && !clause_goes_on(*window.lex, window.ids[k - 1]);
  }

  class LatticeWords final : public ClauseWords {
   public:
    LatticeWords(const LatticeWindow& window, uint32_t begin) : window_(window), begin_(begin) {}
    uint32_t word_end(uint32_t k, uint32_t end) const override {
      const Lexicon& lex = *window_.lex;
      uint32_t longest = k + 1;
      if (window_.external) {
        const uint32_t start = window_.base + begin_ + k;
        for (auto match = window_.matches_from(start);
             match != window_.external->end() && match->start == start &&
             match->end - start <= end - k;
             ++match)
          longest = std::max(longest, k + match->end - start);
        return longest;
      }
      const uint16_t* const ids = window_.ids + begin_;
      uint32_t slot = ids[k];
      for (uint32_t e = k + 1; slot && e < end; ++e) {
        slot = lex.trie.child(slot, ids[e]);
        if (slot && lex.is_word(slot)) longest = e + 1;
      }
      return longest;
    }
    bool is_rare(uint32_t k, uint32_t end) const override {
      if (window_.external) {
        const uint32_t start = window_.base + begin_ + k, e = window_.base + begin_ + end;
        for (auto match = window_.matches_from(start);
             match != window_.external->end() && match->start == start; ++match)
          if (match->end == e) return match->cost > kRareCost;
        return false;
      }
      const Trie& trie = window_.lex->trie;
      uint32_t slot = window_.ids[begin_ + k];
      for (uint32_t e = k + 1; slot && e < end; ++e)
        slot = trie.child(slot, window_.ids[begin_ + e]);
      return slot && unit_cost(trie.units[slot]) > kRareCost;
    }

   private:
    static constexpr uint32_t kRareCost = 14 << 11;  // 14 nats, one word in a million
    const LatticeWindow& window_;
    const uint32_t begin_;
  };

  // Applies clauses.hpp to a block: removes the words that cross a boundary, and adds an edge for
  // each run without boundaries that is no word. At this point rows hold only words of the lexicon.
  SEGMENTER_NOINLINE void split_clauses(uint32_t begin, uint32_t end, size_t first_long) {
    const std::vector<uint32_t>& signs = window.signs;
    const size_t first_sign = next_sign_;
    while (next_sign_ < signs.size() && signs[next_sign_] < window.base + end) ++next_sign_;
    if (next_sign_ == first_sign) return;
    marks_.assign(end - begin, 0);
    const LatticeWords words(window, begin);
    ClauseMarks clauses(*window.lex, words, window.ids + begin, marks_.data(), end - begin);
    clauses.add(signs.data() + first_sign, signs.data() + next_sign_, window.base + begin);
    window.steps += clauses.steps + (next_sign_ - first_sign);
    if (clauses.first <= clauses.last)
      apply_marks(begin, end, begin + clauses.first, begin + clauses.last, first_long);
  }

  void apply_marks(uint32_t begin, uint32_t end, uint32_t first_mark, uint32_t last_mark,
                   size_t first_long) {
    auto mark_at = [&](uint32_t k) { return k < end ? marks_[k - begin] : 0; };
    for (uint32_t k = std::max(first_mark, begin + 1); k <= last_mark; ++k) {
      if (window.forbidden[k] || !mark_at(k)) continue;
      if (mark_at(k) & kMarkCut) {
        for (uint32_t after = k + 1; after < k + 4; ++after)
          for (uint32_t length = after - k + 1; length <= 4; ++length)
            window.rows[after].cost[length - 1] = kInf;
        continue;
      }
      uint32_t run_end = k + 1;
      while (mark_at(run_end) == kMarkJoin && !window.forbidden[run_end]) ++run_end;
      if (!window.forbidden[k - 1] && !window.forbidden[run_end]) {
        if (!has_word(k - 1, run_end))
          window.add_long(k - 1, run_end, window.lex->unknown_cost, 0, kUnknown);
        forbid(k, run_end, first_long);
      }
      k = run_end - 1;
    }
    for (size_t i = first_long; i < window.longs.size(); ++i) {
      const SparseEdge& edge = window.longs[i];
      for (uint32_t k = edge.start + 1; edge.kind == kWord && k < edge.end; ++k)
        if (k > begin && mark_at(k) & kMarkCut) unlink(i);
    }
    window.steps += last_mark + 1 - first_mark;
  }

  // Whether the lattice has a word [s, e).
  bool has_word(uint32_t start, uint32_t end) const {
    if (end - start <= 4) return window.rows[end].cost[end - start - 1] < kInf;
    for (uint32_t link = window.head[end]; link; link = window.longs[link - 1].next)
      if (window.longs[link - 1].kind == kWord && window.longs[link - 1].start == start)
        return true;
    return false;
  }

  // Whether the two characters at k are a word; they may lie after this block.
  bool has_two_character_word(uint32_t k) const {
    if (!window.external) {
      const uint32_t slot = window.lex->trie.child(window.ids[k], window.ids[k + 1]);
      return slot && window.lex->is_word(slot);
    }
    const uint32_t start = window.base + k;
    if (window.edits && window.edits->overlaps(start, start + 2)) return false;
    for (auto match = window.matches_from(start);
         match != window.external->end() && match->start == start; ++match)
      if (match->end == start + 2) return true;
    return false;
  }

  // Before class edges yield to words: removes deleted words, so that the edges that they would
  // shadow stay.
  void remove_deleted_words(uint32_t block_end) {
    const std::vector<UserEdge>& cuts = window.edits->cuts;
    for (; next_cut_ < cuts.size() && cuts[next_cut_].start < window.base + block_end;
         ++next_cut_) {
      uint32_t start = cuts[next_cut_].start - window.base, end = cuts[next_cut_].end - window.base,
               length = end - start;
      ++window.steps;
      if (length <= 4) {
        // at this point rows hold only words of the lexicon
        window.rows[end].cost[length - 1] = length == 1 ? window.lex->unknown_cost << 2 | 3 : kInf;
        if (length == 1)
          window.rows[end].slot[0] = kNotCanonical | (window.external ? 0 : window.lex->masked);
        continue;
      }
      if (end > window.cleared) continue;
      uint32_t* link = &window.head[end];
      while (*link &&
             !(window.longs[*link - 1].start == start && window.longs[*link - 1].kind == kWord))
        link = &window.longs[*link - 1].next;
      if (*link) *link = window.longs[*link - 1].next;
    }
  }

  void add_user_edges(uint32_t block_end) {
    const std::vector<UserEdge>& edges = window.edits->edges;
    for (; next_edge_ < edges.size() && edges[next_edge_].start < window.base + block_end;
         ++next_edge_) {
      const UserEdge& edge = edges[next_edge_];
      uint32_t start = edge.start - window.base, end = edge.end - window.base, length = end - start;
      ++window.steps;
      if (window.forbidden[start] || window.forbidden[end]) continue;
      if (length <= 4) {
        window.rows[end].cost[length - 1] = edge.cost << 2 | (4 - length);
        window.rows[end].slot[length - 1] = edge.label;
      } else {
        window.add_long(start, end, edge.cost, token_slot(edge.label), token_kind(edge.label));
      }
    }
  }
};

}  // namespace segmenter
