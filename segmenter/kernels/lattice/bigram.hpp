// The best path under a bigram model, over a lattice without user edits. Every node that no edge
// crosses (blocks.hpp) is on the path. Most blocks between such nodes are decided without the model
// (bigram_blocks.hpp). The model decides the remaining blocks, in groups, together with the edge before
// and the edge after each group. It works in passes: find all edges, then their tokens, then the pairs,
// then the pairs that may have been seen, then the gains of these. So the memory loads of a pass
// overlap.
//
// The cost of a path is the sum of the costs of its edges (unigram cost plus back-off weight) minus the
// gains of its pairs. So the best path to an edge is the best path to its node, unless a seen pair
// makes another path better.
#pragma once
#include <cstdint>
#include <vector>

#include "best_paths.hpp"
#include "capacity.hpp"
#include "interrupt.hpp"
#include "lattice/bigram_blocks.hpp"
#include "lattice/dag.hpp"
#include "lattice/lattice.hpp"

namespace segmenter {

class BigramDecoder {
 public:
  // Appends the words of a text whose lattice has begun.
  void run(Lattice& lattice, const NgramModel& m, std::vector<Token>& out) {
    window_ = &lattice.window;
    model_ = &m;
    history_ = m.boundary();
    steps_ = 0;
    blocks_.begin(lattice.window, m);
    while (lattice.advance()) {
      const uint32_t p = blocks_.meeting();
      if (!p) continue;
      decode(p);
      add_tokens(p, out);
      if (lattice.window.at_end()) return;
      history_ = blocks_.token_id(out.back().what);
      lattice.window.commit(p);
      blocks_.clear();
    }
  }

  uint64_t steps() const { return steps_ + blocks_.steps; }

 private:
  const LatticeWindow* window_ = nullptr;
  const NgramModel* model_ = nullptr;
  BigramBlocks blocks_;   // which of the window's blocks are left to the model
  uint32_t history_ = 0;  // the token before the window
  uint64_t steps_ = 0;
  // An edge of the blocks that the model decides. Nodes have numbers of their own; from node 0 the edges
  // before a group go out.
  struct In {
    uint32_t start, end;
    uint32_t token_id, lower;  // and unigram cost
    uint32_t cost;             // that, and the weight of backing off from it
    uint32_t at;               // the node where it ends, in the window
  };
  static constexpr uint32_t kInList = 4;  // of a cell: the edge is the next of listed_
  uint32_t size_ = 0, nodes_ = 0;
  Capacity capacity_;            // of edges_, cells_, first_, to_edge_ and to_node_
  std::vector<In> edges_;        // by end, then by start (longest word first)
  std::vector<uint32_t> cells_;  // by edge: 8 * at + length - 1, or 8 * at + kInList
  std::vector<uint32_t> first_;  // by node: the first edge into it
  std::vector<uint32_t> lasts_;  // the edges after the groups
  std::vector<NgramTable::Ask> asks_;
  std::vector<Edge> listed_;
  // Two edges whose pair may have been seen.
  struct Pair {
    uint32_t edge, before;
    uint64_t less;  // minus the gain, as in a way
  };
  std::vector<Pair> pairs_;
  static constexpr uint32_t kRankBits = 16;
  static constexpr uint64_t kRank = (1 << kRankBits) - 1, kNowhere = uint64_t(1) << 62;
  // more than a pair gains: no difference is below 0
  static constexpr uint64_t kStart = uint64_t(1) << (18 + kRankBits);
  std::vector<uint64_t> to_node_, to_edge_;

  void decode(uint32_t p) {
    blocks_.choose(p, history_);
    if (find_edges(p)) {
      number();
      find_pairs();
      find_paths();
    }
  }

  // --- the blocks that the model decides -------------------------------------------------------

  // The length of the only edge into k, or of the word that is sure to stand there; 0: it is in
  // a list.
  uint32_t length_into(uint32_t k) const {
    const uint32_t lengths = blocks_.into(k) & Blocks::kLengths;
    return lengths ? 32 - uint32_t(__builtin_clz(lengths)) : 0;
  }

  // Lists the edges, those of a group of adjacent blocks between the edge before and the edge after
  // it. False: there are none.
  bool find_edges(uint32_t p) {
    const uint32_t n = p / 64 + 1;
    uint32_t b = next(blocks_.open, 0, n);
    if (b > p) return false;
    reserve(6 * size_t(p) + 2 * window_->longs.size() + 16);
    listed_.clear();
    lasts_.clear();
    size_ = nodes_ = 0;
    first_[0] = 0;
    for (; b <= p; b = next(blocks_.open, b, n)) {
      uint32_t from = b - 1, to = next(blocks_.ends, b, n);
      if (one_way(from, to)) {
        b = to;
        continue;
      }
      add_one(from, 0);
      add(from, to);
      while (to < p && BigramBlocks::test(blocks_.open, to + 1)) {
        from = to;
        to = next(blocks_.ends, from + 1, n);
        add(from, to);
      }
      lasts_.push_back(size_);
      add_one(to < p ? next(blocks_.ends, to + 1, n) : 0, nodes_);
      b = to;
    }
    first_[nodes_ + 1] = size_;
    return size_ > 0;
  }

  // The first set bit from k on; 64 * n: none.
  static uint32_t next(const std::vector<uint64_t>& bits, uint32_t k, uint32_t n) {
    uint32_t w = k / 64;
    uint64_t x = bits[w] >> (k % 64) << (k % 64);
    while (!x) {
      if (++w == n) return 64 * n;
      x = bits[w];
    }
    return 64 * w + uint32_t(__builtin_ctzll(x));
  }

  bool one_way(uint32_t from, uint32_t to) const {
    for (uint32_t k = from + 1; k < to; ++k)
      if (blocks_.into(k)) return false;
    return (blocks_.into(to) & (blocks_.into(to) - 1)) == 0;
  }

  void reserve(size_t size) {
    capacity_.grow(size, size, [&](size_t room) {
      edges_.resize(room);
      cells_.resize(room);
      first_.resize(room);
      to_edge_.resize(room);
      to_node_.resize(room);
    });
  }

  // The edge into k from node `start`: the only one, or the word that is sure to stand there. k is 0
  // before and after the window.
  void add_one(uint32_t k, uint32_t start) {
    first_[++nodes_] = size_;
    const uint32_t length = k ? length_into(k) : 1;
    if (!length) {
      const size_t at = listed_.size();
      take_lists(*window_, k, listed_);
      listed_.resize(at + 1);
    }
    cells_[size_] = 8 * k + (length ? length - 1 : kInList);
    edges_[size_].start = start;
    edges_[size_++].end = nodes_;
  }

  // Those of a block.
  void add(uint32_t from, uint32_t to) {
    const uint32_t* const rows = window_->rows[0].cost;
    const uint32_t* const head = window_->head;
    const uint32_t shift = from - nodes_;
    uint32_t* const cells = cells_.data();
    uint32_t* const first = first_.data();
    In* const edges = edges_.data();
    uint32_t size = size_;
    for (uint32_t k = from + 1; k <= to; ++k) {
      const uint32_t end = k - shift;
      first[end] = size;
      if (__builtin_expect(head[k] != 0, 0)) {
        size_t i = listed_.size();
        for (take_lists(*window_, k, listed_); i < listed_.size(); ++i) {
          cells[size] = 8 * k + kInList;
          edges[size].start = listed_[i].start - shift;
          edges[size++].end = end;
        }
        continue;
      }
      if (k % Interrupt::kEvery == 0) Interrupt::look();
      for (uint32_t len = 4; len >= 1; --len) {
        const uint32_t cell = 8 * k + len - 1;
        cells[size] = cell;
        edges[size].start = end - len;
        edges[size].end = end;
        size += rows[cell] < kInf;
      }
    }
    size_ = size;
    nodes_ = to - shift;
  }

  // What the edges are.
  void number() {
    const NgramModel m = *model_;
    const Lexicon& lex = *window_->lex;
    const uint32_t* const rows = window_->rows[0].cost;
    const uint32_t* const cells = cells_.data();
    const uint16_t* const weights = m.weights;
    In* const edges = edges_.data();
    const Edge* next = listed_.data();
    Interrupt::each(size_, [&](size_t k) {
      const uint32_t cell = cells[k];
      uint32_t what = rows[cell + 4], lower = rows[cell] >> 2;
      if (__builtin_expect(cell & kInList, 0)) {
        what = next->what;
        lower = next->cost;
        ++next;
      }
      const uint32_t slot = token_slot(what), kind = token_kind(what);
      const uint32_t word = lex.word_id(slot);
      uint32_t token_id = lex.is_word(slot) ? word : m.n_words + kUnknown;
      if (__builtin_expect(kind != kWord, 0)) {
        token_id = m.n_words + kind;
        if (kind == kLineEnd) {
          token_id = m.boundary();
          lower = m.boundary_cost;
        }
      }
      __builtin_prefetch(weights + token_id);
      In& e = edges[k];
      e.at = cell / 8;
      e.token_id = token_id;
      e.lower = lower;
    });
    Interrupt::each(size_,
                    [&](size_t k) { edges[k].cost = edges[k].lower + weights[edges[k].token_id]; });
    give(edges[0], history_);
    give(edges[size_ - 1], m.boundary());
  }
  // The edge before or after the window.
  void give(In& e, uint32_t token_id) const {
    if (e.at) return;
    e.token_id = token_id;
    e.lower = token_id == model_->boundary() ? model_->boundary_cost : 0;
    e.cost = e.lower + model_->weights[token_id];
  }

  // The pairs of edges that were seen.
  void find_pairs() {
    const In* const edges = edges_.data();
    const uint32_t* const first = first_.data();
    const SeenKeys::Bits seen = model_->seen->bits();
    uint32_t n = 0, most = uint32_t(asks_.size());
    uint64_t passed = 0;
    NgramTable::Ask* asks = asks_.data();
    Interrupt::each(size_, [&](size_t k) {
      const uint32_t w = edges[k].token_id;
      uint32_t f = first[edges[k].start];
      const uint32_t stop = first[edges[k].start + 1];
      passed += stop - f;
      if (__builtin_expect(n + (stop - f) + 2 > most, 0)) {
        asks_.resize(2 * most + (stop - f) + 2);
        most = uint32_t(asks_.size());
        asks = asks_.data();
      }
      // mostly one or two: how many is unpredictable
      auto ask = [&](uint32_t f, bool yes) {
        const uint32_t v = edges[f].token_id;
        asks[n] = NgramTable::Ask{NgramTable::pair(v, w), f, uint32_t(k),
                                  seen.fetch(SeenKeys::hash(v, w))};
        n += yes;
      };
      ask(f, f < stop);
      ask(f + 1, f + 1 < stop);
      for (f += 2; __builtin_expect(f < stop, 0); ++f) ask(f, true);
    });
    const uint32_t all = n;
    n = 0;
    Interrupt::each(all, [&](size_t i) {
      const NgramTable::Ask one = asks[i];
      asks[n] = one;
      n += seen.bit(one.home);
    });
    steps_ += passed;
    if (pairs_.size() < n + 1) pairs_.resize(2 * n + 1);
    Pair* pair = pairs_.data();
    model_->bigrams.answer(asks, n, [&](const NgramTable::Ask& ask, uint32_t place) {
      const uint32_t cost = model_->bigrams.cost(place);
      const In& v = edges[ask.before];  // backing off from it costs v.cost - v.lower
      const uint32_t gain = v.cost - v.lower + edges[ask.edge].lower - cost;
      *pair++ = Pair{ask.edge, ask.before, 0 - (uint64_t(gain) << kRankBits)};
    });
    *pair = Pair{size_, 0, 0};
  }

  // The best way to every edge, then back from the last of each group. Of a way one number holds the
  // cost and, below it, which of the edges into the node before was the last: the least is the
  // cheapest and, of equal ones, the one with the longest last word.
  void find_paths() {
    std::fill(to_node_.begin() + 1, to_node_.begin() + nodes_ + 1, kNowhere);
    to_node_[0] = kStart;
    const Pair* pair = pairs_.data();
    const In* const edges = edges_.data();
    const uint32_t* const first = first_.data();
    uint64_t* const to_edge = to_edge_.data();
    uint64_t* const to_node = to_node_.data();
    Interrupt::each(size_, [&](size_t k) {
      const In& e = edges[k];
      uint64_t way = to_node[e.start];
      auto compare = [&](bool is) {
        const uint32_t before = pair->before;
        const uint64_t other = (to_edge[before] & ~kRank) + pair->less + (before - first[e.start]);
        way = std::min(way, other | (0 - uint64_t(!is)));
        pair += is;
      };
      compare(pair->edge == k);
      while (__builtin_expect(pair->edge == k, 0)) compare(true);
      way += uint64_t(e.cost) << kRankBits;
      to_edge[k] = way;
      to_node[e.end] = std::min(to_node[e.end], (way & ~kRank) + (k - first[e.end]));
    });
    for (uint32_t last : lasts_) {
      if (to_edge[last] >= kNowhere) continue;  // no way leads there
      uint32_t k = last;
      for (;;) {
        k = first[edges[k].start] + uint32_t(to_edge[k] & kRank);
        if (!edges[k].start) break;
        blocks_.ends[edges[k].at / 64] |= uint64_t(1) << (edges[k].at % 64);
      }
    }
    steps_ += size_;
  }

  // --- the path ------------------------------------------------------------------------------------

  void add_tokens(uint32_t p, std::vector<Token>& out) {
    const uint32_t base = window_->base, words = p / 64 + 1;
    if (path_.size() < p + 80) path_.resize(p + p / 2 + 80);
    uint32_t* at = path_.data();
    for (uint32_t w = 0; w < words; ++w) {
      if (w % (Interrupt::kEvery / 64) == Interrupt::kEvery / 64 - 1) Interrupt::look();
      uint64_t bits = blocks_.ends[w];
      const uint32_t n = uint32_t(__builtin_popcountll(bits));
      for (uint32_t i = 0; i < n; i += 8)
        for (uint32_t k = 0; k < 8; ++k) {
          at[i + k] = 64 * w + uint32_t(__builtin_ctzll(bits | uint64_t(1) << 63));
          bits &= bits - 1;
        }
      at += n;
    }
    const size_t n = size_t(at - path_.data()), before = out.size();
    out.resize(before + n);
    Token* const tokens = out.data() + before;
    const Lexicon& lex = *window_->lex;
    uint32_t start = 0;
    Interrupt::each(n, [&](size_t i) {
      const uint32_t end = path_[i], len = end - start;
      uint32_t what;
      if (__builtin_expect(len <= 4 && window_->rows[end].cost[(len - 1) & 3] < kInf, 1)) {
        const uint32_t is = window_->rows[end].slot[len - 1];
        const uint32_t one = 0 - uint32_t(len == 1), none = !lex.is_word(is & one & kSlotBits);
        what = is | window_->not_canonical_bit(start, end) |
               (kind_bits(kUnknown) & (0 - none) & one & (0 - uint32_t(token_kind(is) == kWord)));
      } else {
        what = listed(start, end);
      }
      tokens[i] = Token{base + end, what};
      start = end;
    });
  }

  // The cheapest edge of a list.
  SEGMENTER_NOINLINE uint32_t listed(uint32_t start, uint32_t end) const {
    const SparseEdge* found = nullptr;
    window_->each_listed(end, [&](const SparseEdge& e) {
      if (e.start == start && (!found || e.cost < found->cost)) found = &e;
    });
    return found ? window_->what_long(*found) : kind_bits(kUnknown);
  }
  std::vector<uint32_t> path_;
};

}  // namespace segmenter
