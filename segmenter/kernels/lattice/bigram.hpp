// The best path under a bigram model, over a lattice without user edits. Every node that no edge
// crosses (blocks.hpp) is on the path. Most blocks between such nodes are decided without the model
// (bigram_blocks.hpp). The model decides the remaining blocks, in groups, together with the edge
// before and the edge after each group. It works in passes: find all edges, then their tokens, then
// the pairs, then the pairs that may have been seen, then the gains of these. So the memory loads
// of a pass overlap.
//
// The cost of a path is the sum of the costs of its edges (unigram cost plus back-off weight) minus
// the gains of its pairs. So the best path to an edge is the best path to its node, unless a seen
// pair makes another path better.
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
  // Appends the words of a text that lattice.begin() has read.
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
      history_ = blocks_.token_id(out.back().label);
      lattice.window.commit(p);
      blocks_.clear();
    }
  }

  uint64_t steps() const { return steps_ + blocks_.steps; }

 private:
  const LatticeWindow* window_ = nullptr;
  const NgramModel* model_ = nullptr;
  BigramBlocks blocks_;   // the blocks of the window that the model decides
  uint32_t history_ = 0;  // the token before the window
  uint64_t steps_ = 0;
  // An edge of a block that the model decides. Nodes have their own numbers here; the edges before
  // groups begin at node 0.
  struct BlockEdge {
    uint32_t start, end;
    uint32_t token_id, lower;  // `lower`: unigram cost
    uint32_t cost;             // `lower` plus the weight of backing off from the edge
    uint32_t node;             // its end in the window; 0: outside the window
  };
  static constexpr uint32_t kInList = 4;  // of a cell: the edge is the next of listed_
  uint32_t size_ = 0, nodes_ = 0;
  Capacity capacity_;                 // of edges_, cells_, first_, to_edge_ and to_node_
  std::vector<BlockEdge> edges_;      // by end, then by start (longest word first)
  std::vector<uint32_t> cells_;       // by edge: 8 * node + length - 1, or 8 * node + kInList
  std::vector<uint32_t> first_;       // by node: the first edge into it
  std::vector<uint32_t> group_ends_;  // the edges after the groups
  std::vector<NgramTable::Query> queries_;
  std::vector<Edge> listed_;
  // Two edges whose pair was seen.
  struct Pair {
    uint32_t edge, before;
    uint64_t minus_gain;  // minus the gain, shifted as in a path
  };
  std::vector<Pair> pairs_;
  static constexpr uint32_t kRankBits = 16;
  static constexpr uint64_t kRank = (1 << kRankBits) - 1, kUnreached = uint64_t(1) << 62;
  // more than a pair gains, so that no difference is negative
  static constexpr uint64_t kStart = uint64_t(1) << (18 + kRankBits);
  std::vector<uint64_t> to_node_, to_edge_;

  void decode(uint32_t p) {
    blocks_.choose(p, history_);
    if (find_edges(p)) {
      fill_edges();
      find_pairs();
      find_best_paths();
    }
  }

  // --- the blocks that the model decides -------------------------------------------------------

  // The length of the only edge into k, or of the certain word that ends there; 0: the edge is in a
  // list.
  uint32_t length_into(uint32_t k) const {
    const uint32_t lengths = blocks_.in_edges(k) & Blocks::kLengths;
    return lengths ? 32 - uint32_t(__builtin_clz(lengths)) : 0;
  }

  // Lists the edges of each group of adjacent blocks, between the edge before and the edge after
  // it. False: there are none.
  bool find_edges(uint32_t end) {
    const uint32_t n_words = end / 64 + 1;
    uint32_t node = next_bit(blocks_.undecided, 0, n_words);
    if (node > end) return false;
    reserve(6 * size_t(end) + 2 * window_->longs.size() + 16);
    listed_.clear();
    group_ends_.clear();
    size_ = nodes_ = 0;
    first_[0] = 0;
    for (; node <= end; node = next_bit(blocks_.undecided, node, n_words)) {
      uint32_t begin = node - 1, block_end = next_bit(blocks_.ends, node, n_words);
      if (has_one_path(begin, block_end)) {
        node = block_end;
        continue;
      }
      add_outer_edge(begin, 0);
      add(begin, block_end);
      while (block_end < end && BigramBlocks::test(blocks_.undecided, block_end + 1)) {
        begin = block_end;
        block_end = next_bit(blocks_.ends, begin + 1, n_words);
        add(begin, block_end);
      }
      group_ends_.push_back(size_);
      add_outer_edge(block_end < end ? next_bit(blocks_.ends, block_end + 1, n_words) : 0, nodes_);
      node = block_end;
    }
    first_[nodes_ + 1] = size_;
    return size_ > 0;
  }

  // The first set bit from k on; 64 * n: none.
  static uint32_t next_bit(const std::vector<uint64_t>& bits, uint32_t k, uint32_t n) {
    uint32_t w = k / 64;
    uint64_t x = bits[w] >> (k % 64) << (k % 64);
    while (!x) {
      if (++w == n) return 64 * n;
      x = bits[w];
    }
    return 64 * w + uint32_t(__builtin_ctzll(x));
  }

  bool has_one_path(uint32_t begin, uint32_t end) const {
    for (uint32_t node = begin + 1; node < end; ++node)
      if (blocks_.in_edges(node)) return false;
    return (blocks_.in_edges(end) & (blocks_.in_edges(end) - 1)) == 0;
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

  // Adds the edge before or after a group, which ends at `node`: the only edge, or the
  // certain word there. `node` is 0 before and after the window.
  void add_outer_edge(uint32_t node, uint32_t start) {
    first_[++nodes_] = size_;
    const uint32_t length = node ? length_into(node) : 1;
    if (!length) {
      const size_t first = listed_.size();
      append_in_edges(*window_, node, listed_);
      listed_.resize(first + 1);
    }
    cells_[size_] = 8 * node + (length ? length - 1 : kInList);
    edges_[size_].start = start;
    edges_[size_++].end = nodes_;
  }

  // Adds the edges of a block.
  void add(uint32_t begin, uint32_t end) {
    const uint32_t* const rows = window_->rows[0].cost;
    const uint32_t* const head = window_->head;
    const uint32_t shift = begin - nodes_;
    uint32_t* const cells = cells_.data();
    uint32_t* const first = first_.data();
    BlockEdge* const edges = edges_.data();
    uint32_t size = size_;
    for (uint32_t node = begin + 1; node <= end; ++node) {
      const uint32_t number = node - shift;
      first[number] = size;
      if (__builtin_expect(head[node] != 0, 0)) {
        size_t i = listed_.size();
        for (append_in_edges(*window_, node, listed_); i < listed_.size(); ++i) {
          cells[size] = 8 * node + kInList;
          edges[size].start = listed_[i].start - shift;
          edges[size++].end = number;
        }
        continue;
      }
      if (node % Interrupt::kEvery == 0) Interrupt::poll();
      for (uint32_t length = 4; length >= 1; --length) {
        const uint32_t cell = 8 * node + length - 1;
        cells[size] = cell;
        edges[size].start = number - length;
        edges[size].end = number;
        size += rows[cell] < kInf;
      }
    }
    size_ = size;
    nodes_ = end - shift;
  }

  // Sets tokens and costs of the edges.
  void fill_edges() {
    const NgramModel m = *model_;
    const Lexicon& lex = *window_->lex;
    const uint32_t* const rows = window_->rows[0].cost;
    const uint32_t* const cells = cells_.data();
    const uint16_t* const weights = m.weights;
    BlockEdge* const edges = edges_.data();
    const Edge* listed = listed_.data();
    Interrupt::for_each(size_, [&](size_t k) {
      const uint32_t cell = cells[k];
      uint32_t label = rows[cell + 4], lower = rows[cell] >> 2;
      if (__builtin_expect(cell & kInList, 0)) {
        label = listed->label;
        lower = listed->cost;
        ++listed;
      }
      const uint32_t slot = token_slot(label), kind = token_kind(label);
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
      BlockEdge& edge = edges[k];
      edge.node = cell / 8;
      edge.token_id = token_id;
      edge.lower = lower;
    });
    Interrupt::for_each(
        size_, [&](size_t k) { edges[k].cost = edges[k].lower + weights[edges[k].token_id]; });
    set_outer_edge(edges[0], history_);
    set_outer_edge(edges[size_ - 1], m.boundary());
  }
  // Sets an edge before or after the window.
  void set_outer_edge(BlockEdge& edge, uint32_t token_id) const {
    if (edge.node) return;
    edge.token_id = token_id;
    edge.lower = token_id == model_->boundary() ? model_->boundary_cost : 0;
    edge.cost = edge.lower + model_->weights[token_id];
  }

  // Finds the pairs of edges that were seen.
  void find_pairs() {
    const BlockEdge* const edges = edges_.data();
    const uint32_t* const first_in = first_.data();
    const SeenKeys::Bits seen = model_->seen->bits();
    uint32_t n = 0, capacity = uint32_t(queries_.size());
    uint64_t n_pairs = 0;
    NgramTable::Query* queries = queries_.data();
    Interrupt::for_each(size_, [&](size_t k) {
      const uint32_t w = edges[k].token_id;
      uint32_t previous = first_in[edges[k].start];
      const uint32_t stop = first_in[edges[k].start + 1];
      n_pairs += stop - previous;
      if (__builtin_expect(n + (stop - previous) + 2 > capacity, 0)) {
        queries_.resize(2 * capacity + (stop - previous) + 2);
        capacity = uint32_t(queries_.size());
        queries = queries_.data();
      }
      // one or two edges in most cases, unpredictably: no branch for these
      auto add_query = [&](uint32_t previous, bool exists) {
        const uint32_t v = edges[previous].token_id;
        queries[n] = NgramTable::Query{NgramTable::pair(v, w), previous, uint32_t(k),
                                       seen.prefetch(SeenKeys::hash(v, w))};
        n += exists;
      };
      add_query(previous, previous < stop);
      add_query(previous + 1, previous + 1 < stop);
      for (previous += 2; __builtin_expect(previous < stop, 0); ++previous)
        add_query(previous, true);
    });
    const uint32_t n_asked = n;
    n = 0;
    Interrupt::for_each(n_asked, [&](size_t i) {
      const NgramTable::Query query = queries[i];
      queries[n] = query;
      n += seen.bit(query.home);
    });
    steps_ += n_pairs;
    if (pairs_.size() < n + 1) pairs_.resize(2 * n + 1);
    Pair* pair = pairs_.data();
    model_->bigrams.look_up_all(queries, n, [&](const NgramTable::Query& query, uint32_t place) {
      const uint32_t cost = model_->bigrams.cost(place);
      const BlockEdge& v = edges[query.before];  // its weight is v.cost - v.lower
      const uint32_t gain = v.cost - v.lower + edges[query.edge].lower - cost;
      *pair++ = Pair{query.edge, query.before, 0 - (uint64_t(gain) << kRankBits)};
    });
    *pair = Pair{size_, 0, 0};
  }

  // The best path to every edge, then back from the last edge of each group. One number has the
  // cost of a path and, below it, the index of its last edge among those into the node before: the
  // least number is the cheapest path and, of equal ones, that with the longest last word.
  void find_best_paths() {
    std::fill(to_node_.begin() + 1, to_node_.begin() + nodes_ + 1, kUnreached);
    to_node_[0] = kStart;
    const Pair* pair = pairs_.data();
    const BlockEdge* const edges = edges_.data();
    const uint32_t* const first = first_.data();
    uint64_t* const to_edge = to_edge_.data();
    uint64_t* const to_node = to_node_.data();
    Interrupt::for_each(size_, [&](size_t k) {
      const BlockEdge& edge = edges[k];
      uint64_t path = to_node[edge.start];
      auto compare = [&](bool follows) {
        const uint32_t before = pair->before;
        const uint64_t candidate =
            (to_edge[before] & ~kRank) + pair->minus_gain + (before - first[edge.start]);
        path = std::min(path, candidate | (0 - uint64_t(!follows)));
        pair += follows;
      };
      compare(pair->edge == k);
      while (__builtin_expect(pair->edge == k, 0)) compare(true);
      path += uint64_t(edge.cost) << kRankBits;
      to_edge[k] = path;
      to_node[edge.end] = std::min(to_node[edge.end], (path & ~kRank) + (k - first[edge.end]));
    });
    for (uint32_t group_end : group_ends_) {
      if (to_edge[group_end] >= kUnreached) continue;  // no path leads there
      uint32_t k = group_end;
      for (;;) {
        k = first[edges[k].start] + uint32_t(to_edge[k] & kRank);
        if (!edges[k].start) break;
        blocks_.ends[edges[k].node / 64] |= uint64_t(1) << (edges[k].node % 64);
      }
    }
    steps_ += size_;
  }

  // --- the path ------------------------------------------------------------------------------------

  void add_tokens(uint32_t end_node, std::vector<Token>& out) {
    const uint32_t base = window_->base, n_words = end_node / 64 + 1;
    if (path_.size() < end_node + 80) path_.resize(end_node + end_node / 2 + 80);
    uint32_t* cursor = path_.data();
    for (uint32_t w = 0; w < n_words; ++w) {
      if (w % (Interrupt::kEvery / 64) == Interrupt::kEvery / 64 - 1) Interrupt::poll();
      uint64_t bits = blocks_.ends[w];
      const uint32_t n = uint32_t(__builtin_popcountll(bits));
      for (uint32_t i = 0; i < n; i += 8)
        for (uint32_t k = 0; k < 8; ++k) {
          cursor[i + k] = 64 * w + uint32_t(__builtin_ctzll(bits | uint64_t(1) << 63));
          bits &= bits - 1;
        }
      cursor += n;
    }
    const size_t n = size_t(cursor - path_.data()), first = out.size();
    out.resize(first + n);
    Token* const tokens = out.data() + first;
    const Lexicon& lex = *window_->lex;
    uint32_t start = 0;
    Interrupt::for_each(n, [&](size_t i) {
      const uint32_t end = path_[i], length = end - start;
      uint32_t label;
      if (__builtin_expect(length <= 4 && window_->rows[end].cost[(length - 1) & 3] < kInf, 1)) {
        const uint32_t row_label = window_->rows[end].slot[length - 1];
        const uint32_t single = 0 - uint32_t(length == 1),
                       unknown = !lex.is_word(row_label & single & kSlotBits);
        label = row_label | window_->not_canonical_bit(start, end) |
                (kind_bits(kUnknown) & (0 - unknown) & single &
                 (0 - uint32_t(token_kind(row_label) == kWord)));
      } else {
        label = label_of_listed(start, end);
      }
      tokens[i] = Token{base + end, label};
      start = end;
    });
  }

  // The `label` of a Token for the cheapest listed edge over a span.
  SEGMENTER_NOINLINE uint32_t label_of_listed(uint32_t start, uint32_t end) const {
    const SparseEdge* best = nullptr;
    window_->for_each_listed(end, [&](const SparseEdge& edge) {
      if (edge.start == start && (!best || edge.cost < best->cost)) best = &edge;
    });
    return best ? window_->long_label(*best) : kind_bits(kUnknown);
  }
  std::vector<uint32_t> path_;
};

}  // namespace segmenter
