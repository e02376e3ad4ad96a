// The most probable path of the lattice under a unigram model: one Viterbi recursion from left to
// right over integer costs, in windows. Time is linear; memory is bounded if paths meet.
//
// Paths of equal cost are compared from the right: the longer word wins, so the recursion keeps the
// longest last word. A lexicon of jieba's kind (numbers == false) compares from the left. The
// recursion is the same, but every node of the path is tested for a second best edge; if there is
// one, the path is chosen again, from left to right over the edges of best paths.
#pragma once
#include "best_paths.hpp"
#include "capacity.hpp"
#include "lattice/lattice.hpp"

namespace segmenter {

// The recursion over a lattice after begin(), and its path. Sum: the integer type of sums of costs,
// which are shifted left by 2.
template <class Sum>
class BestPath {
 public:
  explicit BestPath(Lattice& lattice) : lattice_(lattice) {}
  uint64_t steps = 0;

  // The ends of the words, valid until the next text. Not for a lexicon that compares from the
  // left: what joins letters after decoding needs tokens.
  Ends ends() {
    earlier_.clear();
    Ends column;
    decode(false, [&](uint32_t end, bool last) {
      column = trace_ends(end);
      if (last && earlier_.empty()) return;  // a text of one window needs no copy
      earlier_.insert(earlier_.end(), column.first, column.first + column.n);
      column = Ends{earlier_.data(), earlier_.size()};
    });
    return column;
  }

  // Appends the words of the text to `tokens`.
  void run(bool with_slots, std::vector<Token>& tokens) {
    const bool from_left = !lattice_.window.lex->numbers;
    decode(from_left, [&](uint32_t end, bool) {
      if (from_left && any_tie(end)) trace_from_left(end, with_slots, tokens);
      else if (with_slots) trace_back<true>(end, tokens);
      else trace_back<false>(end, tokens);
    });
  }

 private:
  // Calls decided(node, last) for each node up to which the path is known.
  template <class Decided>
  void decode(bool from_left, Decided&& decided) {
    steps = 0;
    takes_long_ = false;
    uint32_t next_try = 2 * kBlock;
    reserve(kBlock);
    best()[0] = 0;
    for (uint32_t begin = 0; lattice_.advance(); begin = lattice_.window.built) {
      uint32_t end = lattice_.window.built;
      reserve(end + 36);
      // runs can make a block longer than kEvery
      for (uint32_t block_begin = begin; block_begin < end;) {
        const uint32_t block_end =
            end - block_begin > Interrupt::kEvery ? block_begin + Interrupt::kEvery : end;
        if (block_begin > begin) Interrupt::poll();
        relax(block_begin, block_end);
        block_begin = block_end;
      }
      if (lattice_.window.at_end()) {
        decided(end, true);
        return;
      }
      // All paths to the last positions usually share a node close by, and everything before that
      // node is decided. The search runs only when the window has doubled, and its result counts
      // only if it frees half of the window, so that texts whose paths never meet take linear time
      // too.
      if (end >= next_try || end <= 2 * kBlock) {
        uint32_t node = meeting(end, from_left);
        if (2 * node >= end) {
          decided(node, false);
          drop_before(node);
          next_try = 2 * kBlock;
        } else {
          next_try = 2 * end;
        }
      }
    }
  }

  static constexpr uint32_t kPad = 4;
  static constexpr Sum kSum = ~Sum(3);
  // cost of an unreached node; a Sum holds it plus the cost of a missing edge
  static constexpr Sum kUnreached = sizeof(Sum) == 4 ? Sum(kInf) : Sum(kInfPath);
  Lattice& lattice_;
  // by node: cost << 2, plus 4 minus the length of the last edge; kPad unreachable cells in front
  std::vector<Sum> best_store_;
  Capacity capacity_;                // of best_store_ and long_back_
  std::vector<uint32_t> long_back_;  // index + 1 of the best long edge to j; 0: a row edge
  bool takes_long_ = false;          // whether a best path has a long edge
  static constexpr uint32_t kLead = 1;
  // lengths of last edges, two bits per position from 1 on; kLead words in front
  std::vector<uint64_t> length_marks_;
  std::vector<uint8_t> alive_;
  struct Step {
    uint32_t end, link;
  };
  std::vector<Step> next_;
  std::vector<Token> tokens_;
  std::vector<uint32_t> ends_, earlier_;  // of this window; of the windows before it

  Sum* best() { return best_store_.data() + kPad; }

  void reserve(uint32_t n) {
    const size_t min_size = n + kPad + 1;
    capacity_.grow(min_size, std::max(min_size, capacity_.size() * 3 / 2), [&](size_t size) {
      best_store_.resize(size);
      long_back_.resize(size);
      for (uint32_t k = 0; k < kPad; ++k) best_store_[k] = kUnreached;
    });
  }

  // One step of the recursion over the last four sums. The edge of one character comes last: its
  // sum is the newest, so only it is serial.
  static Sum step(const Row& row, Sum c1, Sum c2, Sum c3, Sum c4) {
    const uint32_t* e = row.cost;
    Sum a = c4 + Sum(e[3]), b = c3 + Sum(e[2]);
    Sum c = c2 + Sum(e[1]), d = c1 + Sum(e[0]);
    a = a < b ? a : b;
    a = a < c ? a : c;
    if (sizeof(Sum) == 4) a = a < kUnreached ? a : kUnreached;
    return a < d ? a : d;
  }
#if SEGMENTER_SSE4
  // The same in the lowest lane of a vector: a latency of three cycles instead of four, and half
  // the instructions.
  static __m128i step(const Row& row, __m128i c1, __m128i c2, __m128i c3, __m128i c4) {
    auto sum = [&](__m128i before, int i) {
      return _mm_add_epi32(_mm_cvtsi32_si128(int(row.cost[i])), before);
    };
    const __m128i a = _mm_min_epu32(sum(c4, 3), sum(c3, 2));
    const __m128i b = _mm_min_epu32(sum(c2, 1), _mm_set1_epi32(int(kInf)));
    return _mm_min_epu32(_mm_min_epu32(a, b), sum(c1, 0));
  }
  static __m128i without_length(__m128i sum) { return _mm_and_si128(sum, _mm_set1_epi32(~3)); }
  static Sum lowest_lane(__m128i sum) { return Sum(_mm_cvtsi128_si32(sum)); }
  static __m128i to_lane(uint32_t sum) { return _mm_cvtsi32_si128(int(sum)); }
#endif
  // The same; writes the sum to `cell` and returns it without its length.
  template <class S>
  static S step(const Row& row, Sum& cell, S c1, S c2, S c3, S c4) {
    const S least = step(row, c1, c2, c3, c4);
    cell = lowest_lane(least);
    return without_length(least);
  }
  static Sum without_length(Sum sum) { return sum & kSum; }
  static Sum lowest_lane(Sum sum) { return sum; }

  void relax(uint32_t begin, uint32_t end) {
#if SEGMENTER_SSE4
    if constexpr (sizeof(Sum) == 4) relax(begin, end, [](Sum sum) { return to_lane(sum); });
    else
#endif
      relax(begin, end, [](Sum sum) { return sum; });
  }

  template <class Load>
  void relax(uint32_t begin, uint32_t end, Load&& load) {
    const Row* __restrict rows = lattice_.window.rows;
    const uint32_t* __restrict head = lattice_.window.head;
    Sum* __restrict cost = best();
    auto sum_before = [&](int64_t k) { return without_length(load(cost[int64_t(begin) - k])); };
    auto c1 = sum_before(0), c2 = sum_before(1), c3 = sum_before(2), c4 = sum_before(3);
    // Four ends at a time, also past `end`: rows and heads exist for four more ends, the next block
    // overwrites the results there, and no loop has an unpredictable end.
    for (uint32_t j = begin + 1; j <= end; j += 4) {
      uint64_t heads[2];
      std::memcpy(heads, head + j, 16);
      if (__builtin_expect((heads[0] | heads[1]) == 0, 1)) {
        const Row* const row = rows + j;
        Sum* const sums = cost + j;
        c4 = step(row[0], sums[0], c1, c2, c3, c4);
        c3 = step(row[1], sums[1], c4, c1, c2, c3);
        c2 = step(row[2], sums[2], c3, c4, c1, c2);
        c1 = step(row[3], sums[3], c2, c3, c4, c1);
        continue;
      }
      for (uint32_t k = j; k < j + 4; ++k) {
        auto least = step(rows[k], cost[k], c1, c2, c3, c4);
        if (head[k]) {
          cost[k] = relax_long(k, head[k], cost[k]);
          least = without_length(load(cost[k]));
        }
        c4 = c3;
        c3 = c2;
        c2 = c1;
        c1 = least;
      }
    }
    steps += end - begin;
  }

  SEGMENTER_NOINLINE Sum relax_long(uint32_t j, uint32_t link, Sum least) {
    uint32_t length = 4 - uint32_t(least & 3);
    Sum sum = least & kSum;
    long_back_[j] = 0;
    for (; link; link = lattice_.window.longs[link - 1].next) {
      const SparseEdge& edge = lattice_.window.longs[link - 1];
      Sum candidate = (best()[edge.start] & kSum) + (Sum(edge.cost) << 2);
      if (candidate < sum || (candidate == sum && j - edge.start > length)) {
        least = sum = candidate;
        length = j - edge.start;
        long_back_[j] = link;
        takes_long_ = true;
      }
      ++steps;
    }
    return least;
  }

  // Index + 1 of the long edge that ends the best path to j; 0: a row edge does.
  uint32_t best_long_edge(uint32_t j) const {
    return __builtin_expect(lattice_.window.head[j] != 0, 0) ? long_back_[j] : 0;
  }

  // Calls visit(start, index + 1 of a long edge or 0) for every edge into j that ends a best path.
  template <class F>
  void each_best_edge(uint32_t j, F&& visit) {
    Sum sum = best()[j] & kSum;
    for (uint32_t length = 1; length <= 4 && length <= j; ++length) {
      uint32_t cost = lattice_.window.rows[j].cost[length - 1];
      if (cost < kInf && (best()[j - length] & kSum) + Sum(cost & ~3u) == sum)
        visit(j - length, 0u);
    }
    for (uint32_t link = lattice_.window.head[j]; link;
         link = lattice_.window.longs[link - 1].next) {
      const SparseEdge& edge = lattice_.window.longs[link - 1];
      if ((best()[edge.start] & kSum) + (Sum(edge.cost) << 2) == sum) visit(edge.start, link);
      ++steps;
    }
  }

  // Whether two edges into j tie, or seem to; false is always right.
  uint32_t may_tie(uint32_t j) {
#if SEGMENTER_SSE
    if (__builtin_expect(lattice_.window.head[j] == 0, 1)) return may_tie_in_row(j);
#endif
    uint32_t n = 0;
    each_best_edge(j, [&](uint32_t, uint32_t) { ++n; });
    return n > 1;
  }
#if SEGMENTER_SSE
  // By the low 32 bits of four sums at once.
  uint32_t may_tie_in_row(uint32_t j) {
    auto load = [](const void* cells) {
      return _mm_castsi128_ps(_mm_loadu_si128(static_cast<const __m128i*>(cells)));
    };
    const Sum* sums = best() + j;
    __m128i edge = _mm_castps_si128(load(lattice_.window.rows[j].cost));  // lengths 1 2 3 4
    __m128i cost;                                                         // j-1 … j-4
    if constexpr (sizeof(Sum) == 4)
      cost = _mm_shuffle_epi32(_mm_castps_si128(load(sums - 4)), 0x1B);
    else cost = _mm_castps_si128(_mm_shuffle_ps(load(sums - 2), load(sums - 4), 0x22));
    __m128i sum = _mm_set1_epi32(int32_t(uint32_t(best()[j])));
    // equal except for the two low bits of each
    __m128i mask = _mm_set1_epi32(~3);
    __m128i ties =
        _mm_cmpeq_epi32(_mm_add_epi32(_mm_and_si128(edge, mask), _mm_and_si128(cost, mask)),
                        _mm_and_si128(sum, mask));
    uint32_t lengths = uint32_t(_mm_movemask_ps(_mm_castsi128_ps(ties)));
    return lengths & (lengths - 1);  // 0 if at most one length reaches the sum
  }
#endif

  // The last node that the best paths to all positions within the look-ahead of `end` share.
  // `all_paths`: all best paths to a position, not only the winning one.
  uint32_t meeting(uint32_t end, bool all_paths) {
    uint32_t low = end > lattice_.window.look_ahead ? end - lattice_.window.look_ahead : 0;
    if (alive_.size() < end + 1) alive_.resize(best_store_.size());
    std::fill(alive_.begin(), alive_.begin() + end + 1, uint8_t(0));
    uint32_t count = 0;
    for (uint32_t k = low; k <= end; ++k)
      if (!lattice_.window.forbidden[k]) {
        alive_[k] = 1;
        ++count;
      }
    uint32_t k = end;
    for (;; --k) {
      if (++steps % Interrupt::kEvery == 0) Interrupt::poll();
      if (!alive_[k]) continue;
      if (count == 1 || k == 0) return k;
      --count;
      auto mark_alive = [&](uint32_t p) {
        if (!alive_[p]) ++count;
        alive_[p] = 1;
      };
      if (all_paths) each_best_edge(k, [&](uint32_t p, uint32_t) { mark_alive(p); });
      else mark_alive(best_start(k));
    }
  }

  // The start of the edge that ends the best path to j.
  uint32_t best_start(uint32_t j) {
    uint32_t link = best_long_edge(j);
    return link ? lattice_.window.longs[link - 1].start : j - 4 + uint32_t(best()[j] & 3);
  }

  template <bool with_slots>
  void trace_back(uint32_t end, std::vector<Token>& tokens) {
    const uint32_t base = lattice_.window.base;
    if (!takes_long_) {
      const Ends path_ends = trace_ends(end);
      size_t first = tokens.size();
      tokens.resize(first + path_ends.n);
      uint32_t start = 0;
      for (size_t i = 0; i < path_ends.n; ++i) {
        const uint32_t j = path_ends.first[i] - base;
        tokens[first + i] =
            Token{path_ends.first[i], with_slots ? lattice_.window.dense_label(j, j - start) : 0};
        start = j;
      }
      return;
    }
    if (tokens_.size() < end) tokens_.resize(best_store_.size());
    Token* const tokens_end = tokens_.data() + end;
    Token* token = tokens_end;
    for (uint32_t j = end; j > 0;) {
      if ((tokens_end - --token) % Interrupt::kEvery == 0) Interrupt::poll();
      token->end = base + j;
      if (uint32_t link = best_long_edge(j)) {
        token->label = lattice_.window.long_label(lattice_.window.longs[link - 1]);
        j = lattice_.window.longs[link - 1].start;
      } else {
        uint32_t start = best_start(j);
        token->label = with_slots ? lattice_.window.dense_label(j, j - start) : 0;
        j = start;
      }
    }
    steps += size_t(tokens_end - token);
    tokens.insert(tokens.end(), token, tokens_end);
  }

  Ends trace_ends(uint32_t end) {
    if (ends_.size() < kFront + end) ends_.resize(kFront + best_store_.size());
    uint32_t* const last = ends_.data() + kFront + end;
    uint32_t* first = last;
    const uint32_t base = lattice_.window.base;
#if SEGMENTER_SSE4
    if constexpr (sizeof(Sum) == 4)
      if (!takes_long_ && end >= 16) first = trace_by_fours(end, last);
#endif
    if (first == last)
      for (uint32_t j = end; j > 0; j = best_start(j)) *--first = base + j;
    steps += size_t(last - first);
    return Ends{first, size_t(last - first)};
  }

  // Entries in front of a column of ends that may be overwritten.
  static constexpr uint32_t kFront = 40;

#if SEGMENTER_SSE4
  // Writes the ends of a path without long edges, the last one before `last`; returns the first.
  // Each step back would wait for the load of a length. Here a register holds the lengths of 32
  // positions, and a step covers at least four of them.
  uint32_t* trace_by_fours(uint32_t end, uint32_t* last);
#endif

  // Whether may_tie() holds for a node of the path to `end`.
  bool any_tie(uint32_t end) {
    uint32_t ties = 0;
    for (uint32_t j = end; j > 0; j = best_start(j)) ties |= may_tie(j);
    return ties;
  }

  // Appends the best path to `end` whose words are longer, compared from the left.
  SEGMENTER_NOINLINE void trace_from_left(uint32_t end, bool with_slots,
                                          std::vector<Token>& tokens) {
    if (alive_.size() < end + 1) alive_.resize(best_store_.size());
    std::fill(alive_.begin(), alive_.begin() + end + 1, uint8_t(0));
    alive_[end] = 1;
    // next_[k]: the farthest end of a best edge from k that leads to `end`. Ends are visited from
    // the right, so the first one is the farthest.
    next_.assign(end + 1, Step{0, 0});
    for (uint32_t j = end; j > 0; --j) {
      if (j % Interrupt::kEvery == 0) Interrupt::poll();
      if (!alive_[j]) continue;
      each_best_edge(j, [&](uint32_t start, uint32_t link) {
        alive_[start] = 1;
        if (!next_[start].end) next_[start] = Step{j, link};
      });
      ++steps;
    }
    for (uint32_t k = 0; k < end;) {
      Step step = next_[k];
      uint32_t label = 0;  // slots of dense edges are written for words alone
      if (step.link) label = lattice_.window.long_label(lattice_.window.longs[step.link - 1]);
      else if (with_slots) label = lattice_.window.dense_label(step.end, step.end - k);
      tokens.push_back(Token{lattice_.window.base + step.end, label});
      k = step.end;
    }
  }

  void drop_before(uint32_t node) {
    uint32_t end = lattice_.window.built;
    Sum* cost = best();
    Sum node_cost = cost[node] & kSum;
    for (uint32_t k = node; k <= end; ++k) cost[k - node] = cost[k] - node_cost;
    steps += end - node;
    lattice_.window.commit(node);
    takes_long_ = false;
    // long edges have new numbers: restore the few back pointers to them
    for (uint32_t k = 1; k <= end - node; ++k)
      if (lattice_.window.head[k]) {
        const Sum* sums = cost + k;
        relax_long(k, lattice_.window.head[k],
                   step(lattice_.window.rows[k], sums[-1] & kSum, sums[-2] & kSum, sums[-3] & kSum,
                        sums[-4] & kSum));
      }
  }
};

class UnigramDecoder {
 public:
  UnigramDecoder() : path32_(lattice_), path64_(lattice_) {}
  UnigramDecoder(const UnigramDecoder&) = delete;
  UnigramDecoder& operator=(const UnigramDecoder&) = delete;

  uint64_t steps() const {
    return lattice_.window.steps + (short_ ? path32_.steps : path64_.steps);
  }
  bool any_alnum() const { return lattice_.window.any_alnum; }
  bool may_miss_atoms() const { return lattice_.window.may_miss_atoms; }

  // Begins a text. Want::kEndsOnly: for ends(), else for run().
  void begin(const Lexicon& lex, const Text& text, const Request& request) {
    lattice_.begin(lex, text, request);
    want_ = request.want;
    short_ = text.n <= kShort;
  }

  // As Lattice::triggers().
  const std::vector<uint32_t>* triggers(const uint16_t* marked_map) {
    return lattice_.triggers(marked_map);
  }

  // As Lattice::edit().
  void edit(const Request& request) {
    lattice_.edit(request);
    want_ = request.want;
  }

  Ends ends() { return short_ ? path32_.ends() : path64_.ends(); }

  void run(std::vector<Token>& tokens) {
    size_t first = tokens.size();
    if (short_) path32_.run(want_ >= Want::kWords, tokens);
    else path64_.run(want_ >= Want::kWords, tokens);
    if (want_ != Want::kKinds) return;
    for (; first < tokens.size(); ++first)
      if (token_kind(tokens[first].label) == kWord)
        tokens[first].label |= lattice_.window.unknown(tokens[first].label);
  }

 private:
  // The longest text whose cost stays below kInf even if every edge has the greatest cost.
  static constexpr uint32_t kShort = 4095;
  static_assert(uint64_t(kShort) * (kMaxCost << 2) < kInf, "sums of 32 bits");
  Lattice lattice_;
  BestPath<uint32_t> path32_;
  BestPath<int64_t> path64_;
  bool short_ = true;
  Want want_ = Want::kWords;
};

#if SEGMENTER_SSE4
// The ends of a path among four adjacent positions, if it reaches the last of them. Indexed by the
// lengths of the four last edges, two bits each, that of the last position highest.
struct BackSteps {
  uint8_t back[4] = {};           // distances back to the ends, ascending from the last byte
  uint8_t count = 0, length = 0;  // number of ends; distance back to the next end
  uint16_t unused = 0;            // pads to eight bytes
};
struct BackTable {
  BackSteps steps[256];
  constexpr BackTable() {
    for (uint32_t marks = 0; marks < 256; ++marks) {
      BackSteps& entry = steps[marks];
      uint8_t k = 0;
      for (; k < 4; k = uint8_t(k + 4 - (marks >> (6 - 2 * k) & 3)))
        entry.back[3 - entry.count++] = k;
      entry.length = k;
    }
  }
};
constexpr BackTable kBackTable{};

template <class Sum>
uint32_t* BestPath<Sum>::trace_by_fours(uint32_t end, uint32_t* last) {
  const size_t n_words = (end + 31) / 32;
  if (length_marks_.size() < kLead + n_words)
    length_marks_.resize(kLead + n_words + best_store_.size() / 32);
  uint64_t* const marks = length_marks_.data() + kLead;
  // before the first position: words of one character, which the return value skips
  marks[-1] = ~uint64_t(0);
  const Sum* const cost = best() + 1;
  auto sixteen = [&](uint32_t k) {  // four bytes, four marks each
    auto four = [&](uint32_t i) {
      return _mm_and_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(cost + k + i)),
                           _mm_set1_epi32(3));
    };
    __m128i packed =
        _mm_packus_epi16(_mm_packs_epi32(four(0), four(4)), _mm_packs_epi32(four(8), four(12)));
    return _mm_madd_epi16(_mm_maddubs_epi16(packed, _mm_set1_epi16(0x0401)),
                          _mm_set1_epi32(0x00100001));
  };
  for (uint32_t word = 0; word < n_words; ++word) {
    const __m128i packed = _mm_packs_epi32(sixteen(32 * word), sixteen(32 * word + 16));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(marks + word), _mm_packus_epi16(packed, packed));
  }
  const uint32_t base = lattice_.window.base;
  uint32_t* first = last;
  int32_t j = int32_t(end);
  while (j > 0) {
    const int64_t word = (j - 1) >> 5;
    const uint32_t shift = 31 - ((uint32_t(j) - 1) & 31);
    uint64_t bits = marks[word] << (2 * shift) | marks[word - 1] >> 1 >> (63 - 2 * shift);
    // five steps read 32 positions and go back at most 35
    for (int i = 0; i < 5; ++i) {
      const BackSteps& steps_back = kBackTable.steps[bits >> 56];
      int32_t back;
      std::memcpy(&back, steps_back.back, 4);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(first - 4),
                       _mm_sub_epi32(_mm_set1_epi32(int32_t(base) + j),
                                     _mm_cvtepu8_epi32(_mm_cvtsi32_si128(back))));
      first -= steps_back.count;
      j -= steps_back.length;
      bits <<= 2 * steps_back.length;
    }
  }
  return first - j;
}
#endif

}  // namespace segmenter
