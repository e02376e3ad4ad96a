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
#include "lattice/decoder.hpp"
#include "lattice/lattice.hpp"
#include "lattice/matching.hpp"
#include "lattice/ngram_paths.hpp"

namespace segmenter {

constexpr uint32_t kRoughPaths = 8;  // of the decoder n-shortest (Zhang & Liu 2002 use 8)

struct Path {
  int64_t cost;
  std::vector<uint32_t> edges;
};

class DagDecoder {
 public:
  uint64_t steps() const { return steps_ + best_.steps + matching_.steps; }

  // As those of UnigramDecoder.
  void begin(const Lexicon& lex, const Text& text, Request request) {
    request.want = Want::kWords;  // costs are those of words
    lattice_.begin(lex, text, request);
    steps_ = best_.steps = matching_.steps = 0;
  }
  const std::vector<uint32_t>* triggers(const uint16_t* marked) {
    return lattice_.triggers(marked);
  }
  void edit(Request request) {
    request.want = Want::kWords;
    lattice_.edit(request);
  }
  bool unmarked() const { return lattice_.window.unmarked; }

  // Appends the words of the text begun to `out`; by windows that end where every path passes.
  void run(const NgramModel& model, Decoder decoder, const Request& request,
           std::vector<Token>& out) {
    if (decoder == Decoder::kBigram && model.bounds && !request.edits && !request.found) {
      bigram_.run(lattice_, model, out);
      steps_ += bigram_.steps();
      return;
    }
    ngrams_.set_history(model.boundary());
    blocks_.clear();
    while (lattice_.advance()) {
      const uint32_t p = cut(decoder);
      if (!p) continue;
      const bool at_end = lattice_.window.at_end();
      dag_.take(lattice_.window, p);
      steps_ += dag_.size() + p;
      decode(model, decoder, at_end);
      const size_t first = out.size(), base = lattice_.window.base;
      out.resize(first + path_.size());
      for (size_t i = 0; i < path_.size(); ++i)
        out[first + i] = Token{uint32_t(base + dag_.edges[path_[i]].end), what(path_[i])};
      if (at_end) return;
      for (size_t i = path_.size() - std::min<size_t>(path_.size(), 2); i < path_.size(); ++i)
        ngrams_.remember(model, dag_.edges[path_[i]]);
      lattice_.window.commit(p);
      blocks_.clear();
    }
  }

  // The DAG of the whole text, readable through dag().
  void whole(const Lexicon& lex, const Text& text, const Request& request) {
    begin(lex, text, request);
    while (lattice_.advance()) {}
    dag_.take(lattice_.window, uint32_t(text.n));
    Interrupt::each(dag_.size(), [&](size_t k) { dag_.edges[k].what = what(uint32_t(k)); });
  }
  Dag& dag() { return dag_; }

  // The k best paths of dag(), the decoder's own first; see Decoder for what each is the best of.  from_left:
  // equal ones are compared from the left (unigram).
  void paths(const NgramModel& model, Decoder decoder, uint32_t k, bool at_end,
             std::vector<Path>& out, bool from_left = false) {
    out.clear();
    if (decoder == Decoder::kNShortest) return rough_paths(k, out);
    if (from_left) return paths_from_left(k, out);
    const uint32_t last = needs_ngrams(decoder)
                              ? run_ngrams(model, decoder, k, at_end)
                              : run_additive(0, dag_.n, k, decoder == Decoder::kShortest);
    each_path(last, out,
              [&](uint32_t r, std::vector<uint32_t>& path) { collect(decoder, last, r, 0, path); });
  }

  // The decoder's own path over dag(), into path().
  void decode(const NgramModel& model, Decoder decoder, bool at_end) {
    path_.clear();
    switch (decoder) {
      case Decoder::kForwardMax:
        dag_.index_starts();
        return Matching::forward(dag_, 0, dag_.n, path_);
      case Decoder::kBackwardMax:
        return Matching::backward(dag_, 0, dag_.n, path_);
      case Decoder::kShortest:
        dag_.index_starts();
        return matching_.shortest(dag_, path_);
      case Decoder::kBidirectionalMax:
      case Decoder::kNShortest:
        dag_.index_starts();
        return stretches(dag_, [&](uint32_t a, uint32_t b) {
          if (decoder == Decoder::kBidirectionalMax) matching_.bidirectional(dag_, a, b, path_);
          else if (rough(a, b))
            path_.insert(path_.end(), rough_[0].edges.begin(), rough_[0].edges.end());
        });
      case Decoder::kUnigram:
        return collect(decoder, run_additive(0, dag_.n, 1, false), 0, 0, path_);
      case Decoder::kBigram:
      case Decoder::kTrigram:
        return collect(decoder, run_ngrams(model, decoder, 1, at_end), 0, 0, path_);
    }
  }
  const std::vector<uint32_t>& path() const { return path_; }
  void set_history(uint32_t token_id) { ngrams_.set_history(token_id); }

 private:
  Lattice lattice_;
  Blocks blocks_;  // where a window may end
  Dag dag_;
  BestPaths best_;
  Matching matching_;
  NgramPaths ngrams_;
  BigramDecoder bigram_;
  uint64_t steps_ = 0;
  std::vector<uint32_t> path_;
  std::vector<Path> rough_;

  // Of an edge, with the mark of its spelling.
  uint32_t what(uint32_t edge) const {
    const Edge& e = dag_.edges[edge];
    return e.what == kInSpan ? kInSpan : e.what | lattice_.window.not_canonical_bit(e.start, e.end);
  }

  // Where the window may end: where no edge crosses, and n-gram decoders know their history.
  uint32_t cut(Decoder decoder) {
    if (!lattice_.window.at_end()) steps_ += blocks_.look(lattice_.window);
    return blocks_.meeting(lattice_.window, [&](uint32_t k) {
      if (!needs_ngrams(decoder)) return true;
      const uint32_t start = blocks_.only_start(lattice_.window, k);
      if (start == Blocks::kSeveral) return false;
      return decoder == Decoder::kBigram || start == 0 ||
             blocks_.only_start(lattice_.window, start) != Blocks::kSeveral;
    });
  }

  uint32_t run_ngrams(const NgramModel& model, Decoder decoder, uint32_t k, bool at_end) {
    NgramPaths::close_lines(model, dag_);
    if (decoder == Decoder::kBigram) return ngrams_.bigram(dag_, model, best_, k, at_end);
    return ngrams_.trigram(dag_, model, best_, k, at_end);
  }

  // States are the nodes a..b.
  uint32_t run_additive(uint32_t a, uint32_t b, uint32_t k, bool unit) {
    best_.run(b - a + 1, k, [&](uint32_t s, auto&& add) {
      for (uint32_t i = dag_.into[a + s]; i < dag_.into[a + s + 1]; ++i) {
        const Edge& e = dag_.edges[i];
        if (e.start >= a) add(e.start - a, unit ? 1 : int64_t(e.cost));
      }
    });
    return b - a;
  }

  // The k best paths where of equal ones the first word decides that is longer: states are the nodes from
  // the end on.
  void paths_from_left(uint32_t k, std::vector<Path>& out) {
    dag_.index_starts();
    const uint32_t n = dag_.n;
    best_.run(n + 1, k, [&](uint32_t s, auto&& add) {
      for (uint32_t i = dag_.out_first[n - s + 1]; i-- > dag_.out_first[n - s];) {
        const Edge& e = dag_.edges[dag_.out[i]];
        add(n - e.end, e.cost);
      }
    });
    each_path(n, out, [&](uint32_t r, std::vector<uint32_t>& path) {
      best_.trace(n, r, [&](uint32_t s, uint32_t after) {
        path.push_back(dag_.between(n - s, n - after));
      });
    });
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
    std::vector<Path> all(1);         // by state, those of meetings empty
    std::vector<uint32_t> met(1, 0);  // by state: the meeting before it
    uint32_t from = 0;
    dag_.index_starts();
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
    each_path(last, out, [&](uint32_t r, std::vector<uint32_t>& path) {
      best_.trace(last, r, [&](uint32_t s, uint32_t) {
        path.insert(path.end(), all[s].edges.rbegin(), all[s].edges.rend());
      });
      std::reverse(path.begin(), path.end());
    });
  }

  // Appends the best paths to state `last`; find(rank, edges) tells one's edges.
  template <class Find>
  void each_path(uint32_t last, std::vector<Path>& out, Find&& find) {
    for (uint32_t r = 0; r < best_.count(last); ++r) {
      out.push_back(Path{best_.cost(last, r), {}});
      find(r, out.back().edges);
    }
  }

  // Edges of the rank-th best path to state `last`, appended from left to right.
  void collect(Decoder decoder, uint32_t last, uint32_t rank, uint32_t a,
               std::vector<uint32_t>& path) {
    const size_t first = path.size();
    path.resize(first + std::min(last, dag_.n));
    uint32_t* at = path.data() + path.size();
    best_.trace(last, rank, [&](uint32_t s, uint32_t from) {
      if (!needs_ngrams(decoder)) *--at = dag_.between(a + from, a + s);
      else if (s != last)
        *--at = decoder == Decoder::kBigram ? NgramPaths::bigram_edge(s) : ngrams_.trigram_edge(s);
    });
    path.erase(path.begin() + std::ptrdiff_t(first), path.begin() + (at - path.data()));
  }
};

}  // namespace segmenter
