// The word DAG in adjacency lists (CSR) and the decoders that walk it: maximum matching, Dijkstra,
// and one recursion (Viterbi for the best path, Viterbi with lists for the n best) that serves
// shortest paths and unigram, bigram and trigram models alike.
//
// Ties.  Among paths of equal cost compare from the right: the longer word wins.  Every list of
// predecessors is ordered longest word first, and an equal cost never replaces an earlier one.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "lattice/best_paths.hpp"

namespace segmenter {

class DagDecoder {
 public:
  uint64_t steps() const { return steps_ + best_.steps; }

  // Appends the words of the text to `out`; by windows that end where every path passes.
  void run(const Lexicon& lex, const NgramModel& model, Decoder decoder, const Text& text, const Request& request,
           std::vector<Piece>& out) {
    begin(lex, text, request);
    history_[0] = history_[1] = model.boundary();
    far_ = looked_ = 0;
    nodes_.clear();
    n_longs_ = 0;
    long_far_.clear();
    while (lattice_.advance()) {
      uint32_t p = cut(decoder);
      if (!p) continue;
      build_dag(lattice_, p, dag_);
      steps_ += dag_.edges.size() + p;
      decode(model, decoder, lattice_.at_end() && p == lattice_.done());
      for (uint32_t e : path_)
        out.push_back(Piece{lattice_.base() + dag_.edges[e].end, dag_.edges[e].what});
      commit(p);
    }
  }

  // The DAG of the whole text, readable through dag().
  void whole(const Lexicon& lex, const Text& text, const Request& request) {
    begin(lex, text, request);
    while (lattice_.advance()) {
    }
    build_dag(lattice_, uint32_t(text.n), dag_);
  }
  const Dag& dag() const { return dag_; }
  Dag& dag() { return dag_; }

  // The k best paths of dag(), the decoder's own first; see Decoder for what each is the best of.  from_left:
  // equal ones are compared from the left (unigram).
  void paths(const NgramModel& model, Decoder decoder, uint32_t k, bool at_end,
             std::vector<Path>& out, bool from_left = false) {
    out.clear();
    if (decoder == Decoder::kNShortest) return rough_paths(k, out);
    if (from_left) return paths_from_left(k, out);
    uint32_t last;
    if (decoder == Decoder::kBigram) last = run_bigram(model, k, at_end, false);
    else if (decoder == Decoder::kTrigram) last = run_trigram(model, k, at_end);
    else last = run_additive(0, dag_.n, k, decoder == Decoder::kShortest);
    for (uint32_t r = 0; r < best_.count(last); ++r) {
      Path path{best_.cost(last, r), {}};
      collect(decoder, last, r, 0, path.edges);
      out.push_back(std::move(path));
    }
  }

  // The decoder's own path over dag(), into path().
  void decode(const NgramModel& model, Decoder decoder, bool at_end) {
    path_.clear();
    switch (decoder) {
      case Decoder::kForwardMax: forward(0, dag_.n, path_); break;
      case Decoder::kBackwardMax: backward(0, dag_.n, path_); break;
      case Decoder::kShortest: dijkstra(path_); break;
      case Decoder::kBidirectionalMax:
      case Decoder::kNShortest: {
        stretches([&](uint32_t a, uint32_t b) {
          if (decoder == Decoder::kBidirectionalMax) bidirectional(a, b);
          else if (rough(a, b)) path_.insert(path_.end(), rough_[0].edges.begin(), rough_[0].edges.end());
        });
        break;
      }
      case Decoder::kUnigram:
        collect(decoder, run_additive(0, dag_.n, 1, false), 0, 0, path_);
        break;
      case Decoder::kBigram: collect(decoder, run_bigram(model, 1, at_end, true), 0, 0, path_); break;
      case Decoder::kTrigram: collect(decoder, run_trigram(model, 1, at_end), 0, 0, path_); break;
    }
    if (decoder == Decoder::kBigram || decoder == Decoder::kTrigram) {
      for (uint32_t e : path_) remember(model, dag_.edges[e]);
    }
  }
  const std::vector<uint32_t>& path() const { return path_; }
  void set_history(uint32_t token) { history_[0] = history_[1] = token; }

 private:
  Lattice lattice_;
  Dag dag_;
  BestPaths best_;
  uint64_t steps_ = 0;
  uint32_t history_[2] = {0, 0};  // the token before the window, and the one before that
  std::vector<uint32_t> path_, other_, dist_, back_, front_, next_;
  std::vector<uint32_t> pair_first_, tokens_, pair_costs_;
  struct AskedPair {
    uint64_t key;
    uint32_t home, at;
  };
  std::vector<AskedPair> asked_;
  std::vector<uint8_t> sure_;
  std::vector<Path> rough_;
  // search for cuts
  uint32_t far_ = 0, looked_ = 0;
  size_t n_longs_ = 0;
  std::vector<uint32_t> nodes_, long_far_;

  void begin(const Lexicon& lex, const Text& text, Request request) {
    request.want = Want::kWords;  // costs are those of words
    lattice_.begin(lex, text, request);
    steps_ = best_.steps = 0;
  }

  static bool is_line_end(const Edge& e) { return piece_kind(e.what) == kLineEnd; }

  void remember(const NgramModel& model, const Edge& e) {
    history_[1] = is_line_end(e) ? model.boundary() : history_[0];
    history_[0] = is_line_end(e) ? model.boundary() : e.token;
  }

  // --- where a window may end ------------------------------------------------------------------
  uint32_t degree(uint32_t j, uint32_t& start) const {
    uint32_t n = 0;
    for (uint32_t len = 1; len <= 4 && len <= j; ++len)
      if (lattice_.rows[j].cost[len - 1] < kInf) {
        ++n;
        start = j - len;
      }
    for (uint32_t h = lattice_.head[j]; h; h = lattice_.longs[h - 1].next) {
      ++n;
      start = lattice_.longs[h - 1].start;
    }
    return n;
  }

  // The last node that no edge crosses, and where n-gram decoders know their history for sure.
  uint32_t cut(Decoder decoder) {
    uint32_t to = lattice_.done();
    long_far_.resize(to + 1, 0);
    for (; n_longs_ < lattice_.longs.size(); ++n_longs_) {
      const LongEdge& e = lattice_.longs[n_longs_];
      long_far_[e.start] = std::max(long_far_[e.start], e.end);
    }
    for (; looked_ < to; ++looked_) {
      if (looked_ && far_ <= looked_ && !lattice_.hard(looked_)) nodes_.push_back(looked_);
      far_ = std::max(far_, long_far_[looked_]);
      for (uint32_t len = 1; len <= 4; ++len)
        if (lattice_.rows[looked_ + len].cost[len - 1] < kInf)
          far_ = std::max(far_, looked_ + len);
      ++steps_;
    }
    if (lattice_.at_end()) return to;
    for (size_t i = nodes_.size(); i-- > 0;) {
      uint32_t p = nodes_[i], start = 0;
      ++steps_;
      if (decoder != Decoder::kBigram && decoder != Decoder::kTrigram) return p;
      if (degree(p, start) != 1) continue;
      if (decoder == Decoder::kBigram || start == 0 || degree(start, start) == 1) return p;
    }
    nodes_.clear();  // none of them will do later either
    return 0;
  }

  void commit(uint32_t p) {
    lattice_.commit(p);
    n_longs_ = 0;
    far_ = looked_ = 0;
    nodes_.clear();
    long_far_.clear();
  }

  // --- maximum matching ------------------------------------------------------------------------
  void forward(uint32_t a, uint32_t b, std::vector<uint32_t>& path) {
    for (uint32_t k = a; k < b;) {
      uint32_t e = dag_.out[k + 1] - 1;  // the longest
      path.push_back(e);
      k = dag_.edges[e].end;
    }
  }
  void backward(uint32_t a, uint32_t b, std::vector<uint32_t>& path) {
    size_t first = path.size();
    for (uint32_t k = b; k > a;) {
      uint32_t e = dag_.in[dag_.in_first[k]];  // the longest
      path.push_back(e);
      k = dag_.edges[e].start;
    }
    std::reverse(path.begin() + std::ptrdiff_t(first), path.end());
  }
  size_t singles(const std::vector<uint32_t>& path, size_t from) const {
    size_t n = 0;
    for (size_t i = from; i < path.size(); ++i)
      n += dag_.edges[path[i]].end - dag_.edges[path[i]].start == 1;
    return n;
  }
  void bidirectional(uint32_t a, uint32_t b) {
    size_t first = path_.size();
    forward(a, b, path_);
    other_.clear();
    backward(a, b, other_);
    size_t nf = path_.size() - first, nb = other_.size();
    if (nf < nb || (nf == nb && singles(path_, first) < singles(other_, 0))) return;
    path_.resize(first);
    path_.insert(path_.end(), other_.begin(), other_.end());
  }

  // Calls visit(a, b) for every stretch between neighbouring nodes that no edge crosses.
  template <class Visit>
  void stretches(Visit&& visit) {
    uint32_t from = 0, far = 0;
    for (uint32_t k = 0; k < dag_.n; ++k) {
      if (k && far <= k && dag_.in_degree(k)) {
        visit(from, k);
        from = k;
      }
      if (dag_.out[k + 1] > dag_.out[k] && (k == 0 || dag_.in_degree(k)))
        far = std::max(far, dag_.edges[dag_.out[k + 1] - 1].end);
    }
    if (dag_.n) visit(from, dag_.n);
  }

  // --- shortest paths --------------------------------------------------------------------------
  // Dijkstra (1959) with Dial's buckets (1969): every edge weighs one, so two buckets suffice and
  // the time is linear.
  void dijkstra(std::vector<uint32_t>& path) {
    constexpr uint32_t kFar = ~uint32_t(0);
    dist_.assign(dag_.n + 1, kFar);
    back_.assign(dag_.n + 1, 0);
    front_.assign(1, 0);
    dist_[0] = 0;
    for (uint32_t d = 1; !front_.empty(); ++d) {
      next_.clear();
      for (uint32_t k : front_)
        for (uint32_t e = dag_.out[k]; e < dag_.out[k + 1]; ++e) {
          uint32_t j = dag_.edges[e].end;
          ++steps_;
          if (dist_[j] == kFar) {
            dist_[j] = d;
            back_[j] = e;
            next_.push_back(j);
          } else if (dist_[j] == d && k < dag_.edges[back_[j]].start) {
            back_[j] = e;  // equal: the longer last word
          }
        }
      front_.swap(next_);
    }
    size_t first = path.size();
    for (uint32_t k = dag_.n; k; k = dag_.edges[back_[k]].start) path.push_back(back_[k]);
    std::reverse(path.begin() + std::ptrdiff_t(first), path.end());
  }

  // States are the nodes a..b.
  uint32_t run_additive(uint32_t a, uint32_t b, uint32_t k, bool unit) {
    best_.run(b - a + 1, k, [&](uint32_t s, auto&& add) {
      uint32_t j = a + s;
      for (uint32_t i = dag_.in_first[j]; i < dag_.in_first[j + 1]; ++i) {
        const Edge& e = dag_.edges[dag_.in[i]];
        if (e.start >= a) add(e.start - a, unit ? 1 : int64_t(e.cost));
      }
    });
    return b - a;
  }

  // The k best paths where of equal ones the first word decides that is longer: states are the nodes from
  // the end on.
  void paths_from_left(uint32_t k, std::vector<Path>& out) {
    best_.run(dag_.n + 1, k, [&](uint32_t s, auto&& add) {
      const uint32_t node = dag_.n - s;
      for (uint32_t e = dag_.out[node + 1]; e-- > dag_.out[node];) add(dag_.n - dag_.edges[e].end, dag_.edges[e].cost);
    });
    for (uint32_t r = 0; r < best_.count(dag_.n); ++r) {
      Path path{best_.cost(dag_.n, r), {}};
      uint32_t before = dag_.n;
      best_.trace(dag_.n, r, [&](uint32_t s) {
        if (s != dag_.n) path.edges.push_back(edge_between(dag_.n - before, dag_.n - s));
        before = s;
      });
      if (dag_.n) path.edges.push_back(edge_between(dag_.n - before, dag_.n));
      out.push_back(std::move(path));
    }
  }

  // Of the stretch [a, b) the paths of fewest words with their costs, the most probable first (Zhang & Liu
  // 2002); the first `found` of rough_.
  size_t rough(uint32_t a, uint32_t b) {
    const uint32_t last = run_additive(a, b, kRoughPaths, true), n = best_.count(last);
    if (rough_.size() < n) rough_.resize(n);
    for (uint32_t r = 0; r < n; ++r) {
      rough_[r].cost = 0;
      rough_[r].edges.clear();
      collect(Decoder::kNShortest, last, r, a, rough_[r].edges);
      for (uint32_t e : rough_[r].edges) rough_[r].cost += dag_.edges[e].cost;
    }
    std::stable_sort(rough_.begin(), rough_.begin() + n, [](const Path& x, const Path& y) { return x.cost < y.cost; });
    return n;
  }

  // The k most probable rows of such paths, one per stretch.  States: what the paths of a stretch meet in, and
  // between two of those a state a path.
  void rough_paths(uint32_t k, std::vector<Path>& out) {
    std::vector<Path> all;  // by state, those of meetings empty
    std::vector<uint32_t> met;  // by state: the meeting before it
    all.resize(1);
    met.assign(1, 0);
    uint32_t from = 0;
    stretches([&](uint32_t a, uint32_t b) {
      const size_t n = rough(a, b);
      for (size_t r = 0; r < n; ++r) {
        all.push_back(rough_[r]);
        met.push_back(from);
      }
      all.push_back(Path{0, {}});
      met.push_back(from);
      from = uint32_t(all.size()) - 1;
    });
    const uint32_t last = uint32_t(all.size()) - 1;
    best_.run(last + 1, k, [&](uint32_t s, auto&& add) {
      if (!all[s].edges.empty()) add(met[s], all[s].cost);
      else for (uint32_t r = met[s] + 1; r < s; ++r) add(r, 0);
    });
    for (uint32_t r = 0; r < best_.count(last); ++r) {
      Path path{best_.cost(last, r), {}};
      best_.trace(last, r, [&](uint32_t s) { path.edges.insert(path.edges.end(), all[s].edges.rbegin(), all[s].edges.rend()); });
      std::reverse(path.edges.begin(), path.edges.end());
      out.push_back(std::move(path));
    }
  }

  // --- n-gram models ---------------------------------------------------------------------------
  uint32_t history_token(const NgramModel& m, const Edge& e) const {
    return is_line_end(e) ? m.boundary() : e.token;
  }

  // States: 0 the history, 1 + e the edges, at last the end.  Where only the path is asked for, a
  // pair of edges that every path takes needs no look-up: its cost decides nothing.
  uint32_t run_bigram(const NgramModel& m, uint32_t k, bool at_end, bool path_only) {
    uint32_t n = uint32_t(dag_.edges.size()), far = 0;
    tokens_.resize(n + 1);
    for (uint32_t e = 0; e < n; ++e) tokens_[e] = history_token(m, dag_.edges[e]);
    if (path_only) {
      sure_.assign(dag_.n + 1, 0);
      for (uint32_t i = 0; i < dag_.n; ++i) {
        uint32_t a = dag_.out[i], b = dag_.out[i + 1];
        if (far <= i && b - a == 1 && dag_.in_degree(i) <= 1) sure_[i] = 1;
        if (b > a) far = std::max(far, dag_.edges[b - 1].end);
      }
    }
    const bool asked = path_only && m.seen;
    if (asked) ask_bigrams(m);
    const uint32_t* pair = pair_costs_.data();
    best_.run(n + 2, k, [&](uint32_t s, auto&& add) {
      if (s > n) {
        for (uint32_t i = dag_.in_first[dag_.n]; i < dag_.in_first[dag_.n + 1]; ++i) {
          uint32_t f = dag_.in[i], v = tokens_[f];
          add(1 + f, at_end && v != m.boundary() ? m.bigram(v, m.boundary(), m.boundary_cost) : 0);
        }
        return;
      }
      const Edge& e = dag_.edges[s - 1];
      uint32_t w = tokens_[s - 1], lower = is_line_end(e) ? m.boundary_cost : e.cost;
      if (e.start == 0) {
        add(0, e.what == kInSpan || (path_only && sure_[0]) ? 0 : m.bigram(history_[0], w, lower));
        return;
      }
      if (path_only && sure_[e.start]) {
        add(1 + dag_.in[dag_.in_first[e.start]], 0);
        return;
      }
      for (uint32_t i = dag_.in_first[e.start]; i < dag_.in_first[e.start + 1]; ++i) {
        const uint32_t f = dag_.in[i];
        add(1 + f, e.what == kInSpan ? 0
                   : asked           ? *pair++
                                     : m.bigram(tokens_[f], w, lower));
      }
    });
    return n + 1;
  }

  // The costs of the pairs of edges that run_bigram() asks for, in its order.  Nearly all records lie outside the
  // caches: those that may be there are asked for all at once.
  void ask_bigrams(const NgramModel& m) {
    const uint32_t n = uint32_t(dag_.edges.size());
    size_t pairs = 0;
    for (const Edge& e : dag_.edges) pairs += dag_.in_degree(e.start);
    if (pair_costs_.size() < pairs) pair_costs_.resize(pairs);
    if (asked_.size() < pairs + 1) asked_.resize(pairs + 1);
    uint32_t* const costs = pair_costs_.data();
    AskedPair* const list = asked_.data();
    uint32_t at = 0, n_asked = 0;
    for (uint32_t k = 0; k < n; ++k) {
      if (k % Interrupt::kEvery == 0) Interrupt::look();
      const Edge& e = dag_.edges[k];
      if (e.start == 0 || sure_[e.start] || e.what == kInSpan) continue;
      const uint32_t w = tokens_[k], lower = is_line_end(e) ? m.boundary_cost : e.cost;
      for (uint32_t i = dag_.in_first[e.start]; i < dag_.in_first[e.start + 1]; ++i) {
        const uint32_t v = tokens_[dag_.in[i]];
        const uint64_t key = uint64_t(v) << 20 | w;
        const uint32_t hash = NgramTable::hash(key), home = NgramTable::home_of(hash, m.bigrams.capacity);
        const uint32_t may = m.seen->may_hold(hash);
        costs[at] = m.weights[v] + lower;
        list[n_asked] = AskedPair{key, home, at++};
        __builtin_prefetch(m.bigrams.records + (home & (0 - may)));
        n_asked += may;
      }
    }
    for (uint32_t i = 0; i < n_asked; ++i) {
      const uint32_t found = m.bigrams.find(list[i].key, list[i].home);
      if (found != NgramTable::kNone) costs[list[i].at] = m.bigrams.cost(found);
    }
  }

  // States: 0 the history; for every edge e one state an in-edge f of its start; at last the end.
  uint32_t run_trigram(const NgramModel& m, uint32_t k, bool at_end) {
    uint32_t n = uint32_t(dag_.edges.size());
    pair_first_.resize(n + 1);
    state_edge_.clear();
    state_edge_.push_back(0);
    uint32_t states = 1;
    for (uint32_t e = 0; e < n; ++e) {
      pair_first_[e] = states;
      uint32_t width = dag_.edges[e].start ? dag_.in_degree(dag_.edges[e].start) : 1;
      states += width;
      state_edge_.insert(state_edge_.end(), width, e);
    }
    pair_first_[n] = states;
    // tokens (u, v) before an edge that follows state s
    auto cost3 = [&](uint32_t u, uint32_t v, uint32_t w, uint32_t lower) {
      return int64_t(m.trigram(m.history(u, v), v, w, lower));
    };
    auto word_cost = [&](uint32_t u, uint32_t v, const Edge* e) -> int64_t {
      if (!e) return at_end && v != m.boundary() ? cost3(u, v, m.boundary(), m.boundary_cost) : 0;
      if (e->what == kInSpan) return 0;
      if (is_line_end(*e)) return cost3(u, v, m.boundary(), m.boundary_cost);
      return cost3(u, v, e->token, e->cost);
    };
    auto enter = [&](uint32_t f, auto&& add, const Edge* e) {  // every (g, f) before e
      const Edge& fe = dag_.edges[f];
      uint32_t v = history_token(m, fe);
      bool reset = is_line_end(fe);
      if (fe.start == 0) {
        add(pair_first_[f], word_cost(reset ? m.boundary() : history_[0], v, e));
        return;
      }
      for (uint32_t i = 0, at = dag_.in_first[fe.start]; i < dag_.in_degree(fe.start); ++i) {
        uint32_t u = reset ? m.boundary() : history_token(m, dag_.edges[dag_.in[at + i]]);
        add(pair_first_[f] + i, word_cost(u, v, e));
      }
    };
    best_.run(states + 1, k, [&](uint32_t s, auto&& add) {
      if (s == states) {
        for (uint32_t i = dag_.in_first[dag_.n]; i < dag_.in_first[dag_.n + 1]; ++i)
          enter(dag_.in[i], add, nullptr);
        return;
      }
      uint32_t edge = state_edge_[s];
      const Edge& e = dag_.edges[edge];
      if (e.start == 0) add(0, word_cost(history_[1], history_[0], &e));
      else enter(dag_.in[dag_.in_first[e.start] + (s - pair_first_[edge])], add, &e);
    });
    return states;
  }
  std::vector<uint32_t> state_edge_;

  // Edges of the rank-th best path to state `last`, appended from left to right.
  void collect(Decoder decoder, uint32_t last, uint32_t rank, uint32_t a, std::vector<uint32_t>& path) {
    size_t first = path.size();
    if (decoder == Decoder::kBigram) {
      best_.trace(last, rank, [&](uint32_t s) {
        if (s != last) path.push_back(s - 1);
      });
    } else if (decoder == Decoder::kTrigram) {
      best_.trace(last, rank, [&](uint32_t s) {
        if (s != last) path.push_back(state_edge_[s]);
      });
    } else {
      uint32_t after = 0;  // node that the path goes on to
      bool have = false;
      best_.trace(last, rank, [&](uint32_t s) {
        if (have) path.push_back(edge_between(a + s, a + after));
        after = s;
        have = true;
      });
      if (have) path.push_back(edge_between(a, a + after));
    }
    std::reverse(path.begin() + std::ptrdiff_t(first), path.end());
  }
  uint32_t edge_between(uint32_t start, uint32_t end) const {
    auto from = dag_.edges.begin() + dag_.out[start], to = dag_.edges.begin() + dag_.out[start + 1];
    auto it = std::lower_bound(from, to, end, [](const Edge& e, uint32_t j) { return e.end < j; });
    return uint32_t(it - dag_.edges.begin());
  }
};

}  // namespace segmenter
