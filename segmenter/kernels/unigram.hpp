// The most probable path of the lattice under a unigram model: one Viterbi recursion from left to
// right over integer costs, in windows, in linear time and (where paths meet) bounded memory.
//
// Of paths of equal cost the one wins whose words are longer, compared from the right: the
// recursion keeps the longest last word.  A lexicon of jieba's kind compares from the left instead
// (numbers == false): its recursion is the same, but every node of the path that is found is tested
// for a second best edge, and only where there is one the path is chosen again, forwards over the
// edges that lie on any best path.
#pragma once
#include "lattice.hpp"

namespace segmenter {

// A column of exclusive ends; first is null where there is none.
struct Ends {
  const uint32_t* first = nullptr;
  size_t n = 0;
};

class UnigramDecoder {
 public:
  uint64_t steps() const { return lattice_.steps() + steps_; }
  bool any_alnum() const { return lattice_.any_alnum(); }
  Lattice& lattice() { return lattice_; }

  // The ends of the words alone, valid until the next text.  Not for a lexicon that compares from the
  // left: what it joins after decoding are pieces.
  Ends ends(const Lexicon& lex, const void* text, int width, size_t n, const std::vector<Match>* external) {
    words_ = false;
    earlier_.clear();
    Ends found;
    decode(lex, text, width, n, external, [&](uint32_t end, bool, bool last) {
      found = trace_ends(end);
      if (last && earlier_.empty()) return;  // a text of one window: they stay where they are
      earlier_.insert(earlier_.end(), found.first, found.first + found.n);
      found = Ends{earlier_.data(), earlier_.size()};
    });
    return found;
  }

  // Appends the words of the text to `out`.
  void run(const Lexicon& lex, const void* text, int width, size_t n, std::vector<Piece>& out,
           const std::vector<Match>* external = nullptr, Want want = Want::kWords) {
    size_t first = out.size();
    words_ = want >= Want::kWords;
    decode(lex, text, width, n, external,
           [&](uint32_t end, bool from_left, bool) { trace(end, from_left, out); });
    if (want != Want::kKinds) return;
    for (; first < out.size(); ++first)
      if (piece_kind(out[first].what) == kWord) out[first].what |= lattice_.unknown(out[first].what);
  }

 private:
  // Calls decided(p, from_left, last) for the window positions p up to which the path is known.
  template <class Decided>
  void decode(const Lexicon& lex, const void* text, int width, size_t n, const std::vector<Match>* external,
              Decided&& decided) {
    lattice_.begin(lex, text, width, n, external, words_);
    steps_ = 0;
    const bool from_left = !lex.numbers;
    uint32_t next_try = 2 * kBlock;
    reserve(kBlock);
    best()[0] = 0;
    for (uint32_t from = 0; lattice_.advance(); from = lattice_.done()) {
      uint32_t to = lattice_.done();
      reserve(to + 8);
      relax(from, to);
      if (lattice_.at_end()) {
        decided(to, from_left, true);
        return;
      }
      // All paths to the last positions usually share a node close by: what lies before it is
      // decided.  Tried only when the window has doubled and taken only when it frees half of
      // it, so that texts whose paths never meet cost linear time as well.
      if (to >= next_try || to <= 2 * kBlock) {
        uint32_t p = meeting(to, from_left);
        if (2 * p >= to) {
          decided(p, from_left, false);
          shift(p);
          next_try = 2 * kBlock;
        } else {
          next_try = 2 * to;
        }
      }
    }
  }

  static constexpr uint32_t kPad = 4;
  Lattice lattice_;
  uint64_t steps_ = 0;
  static constexpr int64_t kSum = ~int64_t(3);
  // cost << 2, in the low bits 4 minus the length of the last edge; kPad unreachable cells in front
  std::vector<int64_t> best_store_;
  std::vector<uint32_t> long_back_;  // where head[j]: index + 1 of the long edge taken, or 0
  bool words_ = true;
  std::vector<uint8_t> alive_;
  struct Step {
    uint32_t end, list;
  };
  std::vector<Step> next_;
  std::vector<Piece> pieces_;
  std::vector<uint32_t> ends_, earlier_;  // of this window, of all before it

  int64_t* best() { return best_store_.data() + kPad; }

  void reserve(uint32_t n) {
    if (n + kPad + 1 <= best_store_.size()) return;
    size_t size = std::max<size_t>(n + kPad + 1, best_store_.size() * 3 / 2);
    best_store_.resize(size);
    long_back_.resize(size);
    for (uint32_t k = 0; k < kPad; ++k) best_store_[k] = kInfPath;
  }

  // One step of the recursion.  The last four sums stay in registers; the edge of one character,
  // whose sum is the newest, comes last: it alone is serial.
  static int64_t step(const Row& row, int64_t c1, int64_t c2, int64_t c3, int64_t c4) {
    const uint32_t* e = row.cost;
    int64_t a = c4 + int64_t(e[3]), b = c3 + int64_t(e[2]);
    int64_t c = c2 + int64_t(e[1]), d = c1 + int64_t(e[0]);
    a = a < b ? a : b;
    a = a < c ? a : c;
    return a < d ? a : d;
  }

  void relax(uint32_t from, uint32_t to) {
    const Row* __restrict rows = lattice_.rows;
    const uint32_t* __restrict head = lattice_.head;
    int64_t* __restrict cost = best();
    int64_t c1 = cost[int64_t(from)] & kSum, c2 = cost[int64_t(from) - 1] & kSum,
            c3 = cost[int64_t(from) - 2] & kSum, c4 = cost[int64_t(from) - 3] & kSum;
    // Four at a time, past `to` as well: rows and heads of four ends more are there, what comes out
    // is made anew by the next block, and no loop ends where it cannot be foreseen.
    for (uint32_t j = from + 1; j <= to; j += 4) {
      const Row* r = rows + j;
      uint64_t longs[2];
      std::memcpy(longs, head + j, 16);
      if (__builtin_expect((longs[0] | longs[1]) == 0, 1)) {
        int64_t d4 = step(r[0], c1, c2, c3, c4);
        cost[j] = d4;
        d4 &= kSum;
        int64_t d3 = step(r[1], d4, c1, c2, c3);
        cost[j + 1] = d3;
        d3 &= kSum;
        int64_t d2 = step(r[2], d3, d4, c1, c2);
        cost[j + 2] = d2;
        d2 &= kSum;
        int64_t d1 = step(r[3], d2, d3, d4, c1);
        cost[j + 3] = d1;
        c1 = d1 & kSum;
        c2 = d2;
        c3 = d3;
        c4 = d4;
      } else {
        for (uint32_t i = 0; i < 4; ++i) {
          int64_t least = step(r[i], c1, c2, c3, c4);
          if (head[j + i]) least = relax_long(j + i, head[j + i], least);
          cost[j + i] = least;
          c4 = c3;
          c3 = c2;
          c2 = c1;
          c1 = least & kSum;
        }
      }
    }
    steps_ += to - from;
  }

  SEGMENTER_NOINLINE int64_t relax_long(uint32_t j, uint32_t list, int64_t least) {
    uint32_t length = 4 - uint32_t(least & 3);
    int64_t sum = least & kSum;
    long_back_[j] = 0;
    for (; list; list = lattice_.longs[list - 1].next) {
      const LongEdge& e = lattice_.longs[list - 1];
      int64_t c = (best()[e.start] & kSum) + (int64_t(e.cost) << 2);
      if (c < sum || (c == sum && j - e.start > length)) {
        least = sum = c;
        length = j - e.start;
        long_back_[j] = list;
      }
      ++steps_;
    }
    return least;
  }

  // Index + 1 of the long edge that the best path to j ends with; 0: a dense one.
  uint32_t long_before(uint32_t j) const {
    return __builtin_expect(lattice_.head[j] != 0, 0) ? long_back_[j] : 0;
  }

  // Calls f(start, index + 1 of a long edge or 0) for every edge into j that a best path to j ends with.
  template <class F>
  void best_edges(uint32_t j, F&& f) {
    int64_t sum = best()[j] & kSum;
    for (uint32_t len = 1; len <= 4 && len <= j; ++len) {
      uint32_t cost = lattice_.rows[j].cost[len - 1];
      if (cost < kInf && (best()[j - len] & kSum) + int64_t(cost & ~3u) == sum) f(j - len, 0u);
    }
    for (uint32_t list = lattice_.head[j]; list; list = lattice_.longs[list - 1].next) {
      const LongEdge& e = lattice_.longs[list - 1];
      if ((best()[e.start] & kSum) + (int64_t(e.cost) << 2) == sum) f(e.start, list);
      ++steps_;
    }
  }

  // Whether two edges may tie at j; never wrong when it says no.
  uint32_t may_tie(uint32_t j) {
    if (__builtin_expect(lattice_.head[j] != 0, 0)) {
      uint32_t n = 0;
      best_edges(j, [&](uint32_t, uint32_t) { ++n; });
      return n > 1;
    }
#if SEGMENTER_SSE
    // the low halves of four sums at once
    auto load = [](const void* at) {
      return _mm_castsi128_ps(_mm_loadu_si128(static_cast<const __m128i*>(at)));
    };
    const int64_t* c = best() + j;
    __m128i edge = _mm_castps_si128(load(lattice_.rows[j].cost));  // lengths 1 2 3 4
    __m128i cost = _mm_castps_si128(_mm_shuffle_ps(load(c - 2), load(c - 4), 0x22));  // j-1 … j-4
    __m128i sum = _mm_set1_epi32(int32_t(uint32_t(best()[j])));
    // equal but for the two low bits of each
    __m128i low = _mm_set1_epi32(~3);
    __m128i same = _mm_cmpeq_epi32(_mm_add_epi32(_mm_and_si128(edge, low), _mm_and_si128(cost, low)),
                                   _mm_and_si128(sum, low));
    uint32_t mask = uint32_t(_mm_movemask_ps(_mm_castsi128_ps(same)));
    return mask & (mask - 1);
#else
    uint32_t n = 0;
    best_edges(j, [&](uint32_t, uint32_t) { ++n; });
    return n > 1;
#endif
  }

  // The last node that the best paths (all of them, or the one that wins) to every position in (to - reach, to] have in common.
  uint32_t meeting(uint32_t to, bool all) {
    uint32_t low = to > lattice_.reach() ? to - lattice_.reach() : 0;
    if (alive_.size() < to + 1) alive_.resize(best_store_.size());
    std::fill(alive_.begin(), alive_.begin() + to + 1, uint8_t(0));
    uint32_t count = 0;
    for (uint32_t k = low; k <= to; ++k)
      if (!lattice_.hard(k)) {
        alive_[k] = 1;
        ++count;
      }
    uint32_t k = to;
    for (;; --k) {
      ++steps_;
      if (!alive_[k]) continue;
      if (count == 1 || k == 0) return k;
      --count;
      auto reach = [&](uint32_t p) {
        if (!alive_[p]) ++count;
        alive_[p] = 1;
      };
      if (all) best_edges(k, [&](uint32_t p, uint32_t) { reach(p); });
      else reach(before(k));
    }
  }

  void trace(uint32_t end, bool from_left, std::vector<Piece>& out) {
    if (from_left && any_tie(end)) trace_from_left(end, out);
    else if (words_) trace_back<true>(end, out);
    else trace_back<false>(end, out);
  }

  // Start of the edge that the best path to j ends with.
  uint32_t before(uint32_t j) {
    uint32_t list = long_before(j);
    return list ? lattice_.longs[list - 1].start : j - 4 + uint32_t(best()[j] & 3);
  }

  template <bool words>
  void trace_back(uint32_t end, std::vector<Piece>& out) {
    if (pieces_.size() < end) pieces_.resize(best_store_.size());
    Piece* const last = pieces_.data() + end;
    Piece* at = last;
    const int64_t* const cost = best();
    const uint32_t base = lattice_.base();
    for (uint32_t j = end; j > 0;) {
      --at;
      at->end = base + j;
      if (uint32_t list = long_before(j)) {
        at->what = lattice_.what_long(lattice_.longs[list - 1]);
        j = lattice_.longs[list - 1].start;
      } else {
        uint32_t start = j - 4 + uint32_t(cost[j] & 3);
        at->what = words ? lattice_.what_dense(j, j - start) : 0;
        j = start;
      }
    }
    steps_ += size_t(last - at);
    out.insert(out.end(), at, last);
  }

  Ends trace_ends(uint32_t end) {
    if (ends_.size() < end) ends_.resize(best_store_.size());
    uint32_t* const last = ends_.data() + end;
    uint32_t* at = last;
    const uint32_t base = lattice_.base();
    for (uint32_t j = end; j > 0; j = before(j)) *--at = base + j;
    steps_ += size_t(last - at);
    return Ends{at, size_t(last - at)};
  }

  // Whether two edges may tie anywhere on the path to `end`; never wrong when it says no.
  bool any_tie(uint32_t end) {
    uint32_t ties = 0;
    for (uint32_t j = end; j > 0; j = before(j)) ties |= may_tie(j);
    return ties;
  }

  // Of all best paths to `end` the one whose words are longer, compared from the left.
  SEGMENTER_NOINLINE void trace_from_left(uint32_t end, std::vector<Piece>& out) {
    if (alive_.size() < end + 1) alive_.resize(best_store_.size());
    std::fill(alive_.begin(), alive_.begin() + end + 1, uint8_t(0));
    alive_[end] = 1;
    // next_[k]: farthest end of a best edge from k that leads on to `end`; a longer word is found
    // later, since ends are gone through from the right: keep the first
    next_.assign(end + 1, Step{0, 0});
    for (uint32_t j = end; j > 0; --j) {
      if (!alive_[j]) continue;
      best_edges(j, [&](uint32_t p, uint32_t list) {
        alive_[p] = 1;
        if (!next_[p].end) next_[p] = Step{j, list};
      });
      ++steps_;
    }
    for (uint32_t k = 0; k < end;) {
      Step step = next_[k];
      uint32_t what = step.list ? lattice_.what_long(lattice_.longs[step.list - 1])
                                : lattice_.what_dense(step.end, step.end - k);
      out.push_back(Piece{lattice_.base() + step.end, what});
      k = step.end;
    }
  }

  void shift(uint32_t p) {
    uint32_t to = lattice_.done();
    int64_t* cost = best();
    int64_t zero = cost[p] & kSum;
    for (uint32_t k = p; k <= to; ++k) cost[k - p] = cost[k] - zero;
    steps_ += to - p;
    lattice_.commit(p);
    // long edges were renumbered: restore the few back pointers that name one
    for (uint32_t k = 1; k <= to - p; ++k)
      if (lattice_.head[k]) {
        const int64_t* c = cost + k;
        relax_long(k, lattice_.head[k],
                   step(lattice_.rows[k], c[-1] & kSum, c[-2] & kSum, c[-3] & kSum, c[-4] & kSum));
      }
  }
};

}  // namespace segmenter
