// The decoders that walk the word DAG, window by window: maximum matching and fewest words
// (matching.hpp), and one recursion (best_paths.hpp) that serves unigram costs, n-gram models
// (ngram_paths.hpp) and the n best paths alike.
//
// Ties.  Among paths of equal cost compare from the right: the longer word wins.  Every list of
// predecessors is ordered longest word first, and an equal cost never replaces an earlier one.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "best_paths.hpp"
#include "lattice/bigram.hpp"
#include "lattice/matching.hpp"
#include "lattice/ngram_paths.hpp"

namespace segmenter {

enum class Decoder : int {
  kUnigram = 0,
  kForwardMax,
  kBackwardMax,
  kBidirectionalMax,
  kShortest,
  kNShortest,
  kBigram,
  kTrigram,
  kTagged,  // none of the lattice: a tagger decides
};
constexpr uint32_t kRoughPaths = 8;  // of the decoder n-shortest (Zhang & Liu 2002 use 8)

struct Path {
  int64_t cost;
  std::vector<uint32_t> edges;
};

class DagDecoder {
 public:
  uint64_t steps() const { return steps_ + best_.steps + matching_.steps; }

  // Appends the words of the text to `out`; by windows that end where every path passes.
  void run(const Lexicon& lex, const NgramModel& model, Decoder decoder, const Text& text,
           const Request& request, std::vector<Piece>& out) {
    begin(lex, text, request);
    if (decoder == Decoder::kBigram && model.sure && !request.edits && !request.found) {
      bigram_.run(lattice_, model, out);
      steps_ += bigram_.steps;
      return;
    }
    ngrams_.set_history(model.boundary());
    far_ = looked_ = 0;
    nodes_.clear();
    n_longs_ = 0;
    long_far_.clear();
    while (lattice_.advance()) {
      uint32_t p = cut(decoder);
      if (!p) continue;
      const bool at_end = lattice_.at_end() && p == lattice_.done();
      if (with_ngrams(decoder)) by_ngrams(model, decoder, p, at_end, out);
      else by_edges(decoder, p, out);
      if (!at_end) commit(p);
    }
  }

  // The DAG of the whole text, readable through dag().
  void whole(const Lexicon& lex, const Text& text, const Request& request) {
    begin(lex, text, request);
    while (lattice_.advance()) {}
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
    if (with_ngrams(decoder)) {
      by_end_.take(dag_, model);
      last = run_ngrams(model, decoder, k, at_end);
    } else {
      last = run_additive(0, dag_.n, k, decoder == Decoder::kShortest);
    }
    for (uint32_t r = 0; r < best_.count(last); ++r) {
      Path path{best_.cost(last, r), {}};
      collect(decoder, last, r, 0, path.edges);
      out.push_back(std::move(path));
    }
  }

  // The decoder's own path over dag(), into path(); not of the n-gram models, nor a tagger's.
  void decode(Decoder decoder) {
    path_.clear();
    switch (decoder) {
      case Decoder::kForwardMax:
        Matching::forward(dag_, 0, dag_.n, path_);
        break;
      case Decoder::kBackwardMax:
        Matching::backward(dag_, 0, dag_.n, path_);
        break;
      case Decoder::kShortest:
        matching_.shortest(dag_, path_);
        break;
      case Decoder::kBidirectionalMax:
      case Decoder::kNShortest: {
        stretches(dag_, [&](uint32_t a, uint32_t b) {
          if (decoder == Decoder::kBidirectionalMax) matching_.bidirectional(dag_, a, b, path_);
          else if (rough(a, b))
            path_.insert(path_.end(), rough_[0].edges.begin(), rough_[0].edges.end());
        });
        break;
      }
      case Decoder::kUnigram:
        collect(decoder, run_additive(0, dag_.n, 1, false), 0, 0, path_);
        break;
      case Decoder::kBigram:
      case Decoder::kTrigram:
      case Decoder::kTagged:
        break;
    }
  }
  const std::vector<uint32_t>& path() const { return path_; }
  void set_history(uint32_t token) { ngrams_.set_history(token); }

 private:
  Lattice lattice_;
  Dag dag_;
  NgramEdges by_end_;
  BestPaths best_;
  Matching matching_;
  NgramPaths ngrams_;
  BigramDecoder bigram_;
  uint64_t steps_ = 0;
  std::vector<uint32_t> path_;
  std::vector<Path> rough_;
  // search for cuts
  uint32_t far_ = 0, looked_ = 0;
  size_t n_longs_ = 0;
  std::vector<uint32_t> nodes_, long_far_;

  void begin(const Lexicon& lex, const Text& text, Request request) {
    request.want = Want::kWords;  // costs are those of words
    lattice_.begin(lex, text, request);
    steps_ = best_.steps = matching_.steps = 0;
  }

  static bool with_ngrams(Decoder decoder) {
    return decoder == Decoder::kBigram || decoder == Decoder::kTrigram;
  }

  // Appends the words of the window up to node p.
  void by_edges(Decoder decoder, uint32_t p, std::vector<Piece>& out) {
    build_dag(lattice_, p, dag_);
    steps_ += dag_.edges.size() + p;
    decode(decoder);
    for (uint32_t e : path_)
      out.push_back(Piece{lattice_.base() + dag_.edges[e].end, dag_.edges[e].what});
  }

  void by_ngrams(const NgramModel& model, Decoder decoder, uint32_t p, bool at_end,
                 std::vector<Piece>& out) {
    by_end_.take(lattice_, p, model);
    steps_ += by_end_.size() + p;
    const uint32_t last = run_ngrams(model, decoder, 1, at_end);
    if (path_.size() < p) path_.resize(p);
    uint32_t size = 0;  // of the path, its last edge first
    best_.trace(last, 0, [&](uint32_t s) {
      if (s != last) path_[size++] = edge_of(decoder, s);
    });
    const size_t before = out.size();
    out.resize(before + size);
    Piece* piece = out.data() + before + size;
    for (uint32_t i = 0, end = p; i < size; ++i) {
      const uint32_t start = by_end_.edges[path_[i]].start, what = by_end_.what[path_[i]];
      const uint32_t odd = what == kInSpan ? 0 : lattice_.odd_bit(start, end);
      *--piece = Piece{lattice_.base() + end, what | odd};
      end = start;
    }
    for (uint32_t i = std::min(size, 2u); i-- > 0;)
      ngrams_.remember(model, by_end_.edges[path_[i]]);
  }

  uint32_t run_ngrams(const NgramModel& model, Decoder decoder, uint32_t k, bool at_end) {
    if (decoder == Decoder::kBigram) return ngrams_.bigram(by_end_, model, best_, k, at_end);
    return ngrams_.trigram(by_end_, model, best_, k, at_end);
  }

  uint32_t edge_of(Decoder decoder, uint32_t state) const {
    return decoder == Decoder::kBigram ? NgramPaths::bigram_edge(state)
                                       : ngrams_.trigram_edge(state);
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
    if (lattice_.at_end()) return to;
    long_far_.resize(to + 1, 0);
    for (; n_longs_ < lattice_.longs.size(); ++n_longs_) {
      const LongEdge& e = lattice_.longs[n_longs_];
      long_far_[e.start] = std::max(long_far_[e.start], e.end);
    }
    for (; looked_ < to; ++looked_) {
      if (looked_ % Interrupt::kEvery == Interrupt::kEvery - 1) Interrupt::look();
      if (looked_ && far_ <= looked_ && !lattice_.hard(looked_)) nodes_.push_back(looked_);
      far_ = std::max(far_, long_far_[looked_]);
      for (uint32_t len = 1; len <= 4; ++len)
        if (lattice_.rows[looked_ + len].cost[len - 1] < kInf) far_ = std::max(far_, looked_ + len);
      ++steps_;
    }
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
      for (uint32_t e = dag_.out[node + 1]; e-- > dag_.out[node];)
        add(dag_.n - dag_.edges[e].end, dag_.edges[e].cost);
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
    std::stable_sort(rough_.begin(), rough_.begin() + n,
                     [](const Path& x, const Path& y) { return x.cost < y.cost; });
    return n;
  }

  // The k most probable rows of such paths, one per stretch.  States: what the paths of a stretch meet in, and
  // between two of those a state a path.
  void rough_paths(uint32_t k, std::vector<Path>& out) {
    std::vector<Path> all;      // by state, those of meetings empty
    std::vector<uint32_t> met;  // by state: the meeting before it
    all.resize(1);
    met.assign(1, 0);
    uint32_t from = 0;
    stretches(dag_, [&](uint32_t a, uint32_t b) {
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
      else
        for (uint32_t r = met[s] + 1; r < s; ++r) add(r, 0);
    });
    for (uint32_t r = 0; r < best_.count(last); ++r) {
      Path path{best_.cost(last, r), {}};
      best_.trace(last, r, [&](uint32_t s) {
        path.edges.insert(path.edges.end(), all[s].edges.rbegin(), all[s].edges.rend());
      });
      std::reverse(path.edges.begin(), path.edges.end());
      out.push_back(std::move(path));
    }
  }

  // Edges of the rank-th best path to state `last`, appended from left to right.
  void collect(Decoder decoder, uint32_t last, uint32_t rank, uint32_t a,
               std::vector<uint32_t>& path) {
    size_t first = path.size();
    if (with_ngrams(decoder)) {
      best_.trace(last, rank, [&](uint32_t s) {
        if (s != last) path.push_back(dag_.in[edge_of(decoder, s)]);
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
