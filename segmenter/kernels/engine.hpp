// One decoder over one lexicon, with the scratch it needs: what a call of the face runs.
// The lexicon and the model are shared and never written; a Worker belongs to one call at a time.
#pragma once
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "lattice/dag.hpp"
#include "lattice/jieba_runs.hpp"
#include "subword/model.hpp"
#include "tagging/tagger.hpp"
#include "lattice/unigram.hpp"
#include "user/user.hpp"
#include "utf8_text.hpp"

namespace segmenter {

enum Skip : uint32_t { kSkipSpace = 1, kSkipPunct = 2 };

constexpr int kTagged = 8;  // as a decoder: the tagger of the plan, after those of lattice/dag.hpp

// What a call runs.  Everything pointed to is shared and outlives the call.
struct Plan {
  const Lexicon* lex = nullptr;
  const NgramModel* model = nullptr;
  const TaggerModel* tagger = nullptr;   // the decoder, if decoder is kTagged
  const TaggerModel* guesser = nullptr;  // what cuts spans that the lexicon leaves; null: nothing
  const SubwordModel* subwords = nullptr;  // what cuts what lexicon or tagger leave; null: nothing
  int decoder = 0;                       // Decoder, or kTagged
  bool keep_unknown = false;             // neighbouring unknown Han characters stay one token
  uint32_t skip = 0;
  const UserDictionary* user = nullptr;  // null: the user has no words
  const AtomRules* atoms = nullptr;      // null: no atoms are looked for
  const MarkedMap* marked = nullptr;     // of the lexicon's map and these rules; null: none
};

// Units of a tagger's score that stand for a nat, where weights of words are to compete.  Scores of an
// HMM are logarithms of probabilities, those of a perceptron have no scale: the spread of the
// transitions, half a nat in HMMs of this language, gives one.
template <int T>
double nat_of(const TaggerModel& m) {
  double n = 0, sum = 0, squares = 0;
  for (int a = 0; a < T; ++a)
    for (int b = 0; b < T; ++b)
      if (Tags<T>::follows(a, b)) {
        double w = m.trans[T * a + b];
        n += 1;
        sum += w;
        squares += w * w;
      }
  return 2 * std::sqrt(squares / n - sum / n * (sum / n));
}
inline double nat_of(const TaggerModel& m) {
  if (m.bilstm) return m.scale;  // a CRF's scores are logarithms
  return m.tags == 4 ? nat_of<4>(m) : nat_of<6>(m);
}

// Whether the plan reads many stretches of text faster together than one after another.
inline bool reads_many(const Plan& plan) { return plan.decoder == kTagged && plan.tagger->bilstm; }

inline bool is_punct(CharClass c) { return c == kPunct || (c >= kPoint && c <= kMinus); }

// One of the n best cuts: the spans of its words, and what the decoder ranks it by.
struct BestCut {
  int64_t cost;
  std::vector<uint32_t> starts, ends;
};

class Worker {
 public:
  std::vector<Piece> pieces;
  Ends column;  // instead of `pieces` where Want::kBare was asked for and nothing needs pieces
  std::vector<Match> matches;  // of a matcher outside the kernels, by start, then by end
  size_t dropped = 0;
  const uint8_t* marks = nullptr;  // of a tagger: forced and forbidden boundaries, a byte a character
  bool want_margins = false;       // of a tagger: fill `margins`, one a piece
  Want want = Want::kWords;        // of the unigram lattice and of taggers; the others tell everything
  std::vector<float> margins;
  DagDecoder dag;
  Tagger tagger;
  bool by_lines = false;  // the user's words take in no line end
  UserFinder user;
  AtomFinder atoms;

  void run(const Plan& plan, const void* text, int width, size_t n, bool external = false) {
    pieces.clear();
    margins.clear();
    dropped = 0;
    column = Ends{};
    user.steps = atoms.steps = 0;
    if (n == 0) return;
    const Lexicon& lex = *plan.lex;
    const std::vector<Match>* found = external ? &matches : nullptr;
    const bool unigram = plan.decoder == int(Decoder::kUnigram);
    const bool bare = unigram && want == Want::kBare && lex.numbers && !plan.guesser && !plan.subwords &&
                      !plan.keep_unknown && !plan.skip;
    const Want least = bare ? Want::kBare : plan.keep_unknown ? Want::kKinds : std::max(want, Want::kEnds);
    // where mapping a text tells that no atom can be in it, nobody looks for one
    const bool begun = unigram && plan.marked && Lattice::can_watch(width, n);
    bool typed = true;
    if (begun) {
      unigram_.begin(lex, text, width, n, found, least);
      typed = unigram_.lattice().any_marked(plan.marked->bmp());
    }
    if (find_user(plan, text, width, n, typed)) {
      run_with_user(plan, text, width, n, found, begun);
      return;
    }
    if (unigram && !begun) unigram_.begin(lex, text, width, n, found, least);
    if (bare) {
      column = unigram_.ends();
      return;
    }
    if (plan.decoder == kTagged && want_margins)
      tagger.run_margins(*plan.tagger, text, width, n, pieces, margins, marks);
    else if (plan.decoder == kTagged)
      tagger.run(*plan.tagger, text, width, n, pieces, marks,
                 plan.keep_unknown || plan.subwords || plan.skip ? Want::kKinds : want);
    else if (unigram)
      unigram_.run(pieces);
    else
      dag.run(lex, *plan.model, Decoder(plan.decoder), text, width, n, pieces, found);
    settle(plan, text, width, !lex.numbers && (!unigram || unigram_.any_alnum()), nullptr);
  }
  uint64_t steps() const { return unigram_.steps() + dag.steps() + tagger.steps() + user.steps + atoms.steps; }

  // Whether words of the user or atoms stand in the text; what they do is in user.edits then.  Words
  // that are forced or preferred go before atoms, atoms before words with a weight.  typed: false where
  // no atom can be.
  bool find_user(const Plan& plan, const void* text, int width, size_t n, bool typed = true) {
    return edited_ = look_for_user(plan, text, width, n, typed);
  }

  bool look_for_user(const Plan& plan, const void* text, int width, size_t n, bool typed) {
    typed = typed && plan.atoms && plan.lex->numbers && atoms.find(*plan.atoms, *plan.lex, text, width, n);
    if (typed && marks) typed = keep_marked(n);
    user.atoms = typed ? &atoms.found : nullptr;
    const bool any =
        plan.user && user.find(*plan.user, *plan.lex, text, width, n, by_lines, plan.decoder == kTagged);
    user.atoms = nullptr;
    if (!typed) {
      atoms.found.clear();
      return any;
    }
    if (!any) user.forget();
    user.add_atoms(atoms, spans_);
    return any || !atoms.found.empty();
  }

  // Drops the atoms that the caller's marks cut or join to something; whether any are left.
  bool keep_marked(size_t n) {
    std::vector<AtomFound>& all = atoms.found;
    all.erase(std::remove_if(all.begin(), all.end(), [&](const AtomFound& a) {
      for (uint32_t k = a.start + 1; k < a.end; ++k)
        if (marks[k] & kMarkCut) return true;
      return marks[a.start] & kMarkJoin || (a.end < n && marks[a.end] & kMarkJoin);
    }), all.end());
    return !all.empty();
  }

  // The DAG of the whole text.  `decided`: for decoding, with the user's spans masked; else for show,
  // where every word of the user's that stands in the text is an edge, spans at no cost.  join_spans() is for
  // showing the former.
  void whole(const Plan& plan, const void* text, int width, size_t n, bool external, bool decided) {
    const Released released{*this};
    UserEdits shown;
    if (find_user(plan, text, width, n)) {
      if (!decided) {
        shown.edges = user.edits.edges;
        shown.cuts = user.edits.cuts;
        shown.reach = user.edits.reach;
      }
      dag.lattice().edits = decided ? &user.edits : &shown;
    }
    dag.whole(*plan.lex, text, width, n, external ? &matches : nullptr);
    if (!dag.lattice().edits || decided) return;
    // of two over one span the user's, then the atom
    std::vector<Edge>& edges = dag.dag().edges;
    std::vector<Edge> all;
    for (const UserMatch& m : user.fixed()) all.push_back(Edge{m.start, m.end, 0, plan.lex->n_words, m.what});
    for (const UserMatch& m : user.edits.spans)
      if (uint32_t(piece_kind(m.what)) < kUserWord) all.push_back(edge_of(*plan.lex, m, text, width, external));
    all.insert(all.end(), edges.begin(), edges.end());
    edges.swap(all);
    std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
      return a.start != b.start ? a.start < b.start : a.end < b.end;
    });
    edges.erase(std::unique(edges.begin(), edges.end(),
                            [](const Edge& a, const Edge& b) { return a.start == b.start && a.end == b.end; }),
                edges.end());
    dag.dag().index();
  }

  // After whole(decided): the tokens of the spans instead of their masked characters.
  void join_spans(const Plan& plan, const void* text, int width, bool external) {
    if (!edited_) return;
    std::vector<Edge>& edges = dag.dag().edges;
    edges.erase(std::remove_if(edges.begin(), edges.end(), [](const Edge& e) { return e.what == kInSpan; }), edges.end());
    for (const UserMatch& m : user.edits.spans) {
      uint32_t start = m.start;
      each_part(plan.user, m, [&](uint32_t end) {
        const UserMatch part{start, end, m.what, m.level};
        edges.push_back(edge_of(*plan.lex, part, text, width, external));
        start = end;
      });
    }
  }

  // The `count` best cuts, the first of them that of run(); what the decoder's paths become is as there.
  void nbest(const Plan& plan, const void* text, int width, size_t n, bool external, size_t count,
             std::vector<BestCut>& out) {
    out.clear();
    if (plan.decoder == kTagged) return best_tags(plan, text, width, n, count, out);
    std::vector<Path> paths;
    whole(plan, text, width, n, external, true);
    dag.set_history(plan.model->boundary());
    const bool from_left = !plan.lex->numbers && plan.decoder == int(Decoder::kUnigram);
    dag.paths(*plan.model, Decoder(plan.decoder), uint32_t(count), true, paths, from_left);
    for (const Path& path : paths) {
      set_pieces();
      for (uint32_t e : path.edges) pieces.push_back(Piece{dag.dag().edges[e].end, dag.dag().edges[e].what});
      if (edited_) settle_spans(plan.user, user.edits);
      const bool counts = plan.decoder == int(Decoder::kShortest);  // words, and a span is one
      add_cut(plan, text, width, counts ? int64_t(pieces.size()) : path.cost, out);
    }
  }

  // What Tagger::scores gives, with the user's words in it.
  void tag_scores(const Plan& plan, const void* text, int width, size_t n, std::vector<int32_t>& out) {
    const Released released{*this};
    if (!find_user(plan, text, width, n)) {
      tagger.scores(*plan.tagger, text, width, n, out);
      return;
    }
    pieces.clear();
    tag_with_user(plan, text, width, n);  // the marks that keep deleted words out
    tagger.scores(*plan.tagger, text, width, n, out,
                  user.edits.cuts.empty() ? user_marks(n) : user_marks_.data());
  }

  // The marks of a tagger that keep the user's spans; `marks` of the caller's are in them.  `writable`:
  // a column of its own in any case, user_marks_.
  const uint8_t* user_marks(size_t n, bool writable = false) {
    if (user.edits.spans.empty() && !writable) return marks;
    if (marks) user_marks_.assign(marks, marks + n);
    else user_marks_.assign(n, 0);
    for (const UserMatch& m : user.edits.spans) {
      user_marks_[m.start] = kMarkCut;
      for (uint32_t k = m.start + 1; k < m.end; ++k) user_marks_[k] = kMarkJoin;
      if (m.end < n) user_marks_[m.end] = kMarkCut;
    }
    return user_marks_.data();
  }

 private:
  UnigramDecoder unigram_;
  std::vector<Piece> guessed_, kept_;
  std::vector<float> kept_margins_;
  SubwordScratch subword_;
  std::vector<uint8_t> user_marks_;
  std::vector<UserMatch> spans_;
  std::vector<int32_t> boundaries_;
  bool edited_ = false;  // whether user.edits is of this text

  void best_tags(const Plan& plan, const void* text, int width, size_t n, size_t count, std::vector<BestCut>& out) {
    const Released released{*this};
    const uint8_t* kept = marks;
    if (find_user(plan, text, width, n)) {
      pieces.clear();
      tag_with_user(plan, text, width, n);  // the marks that keep deleted words out
      kept = user.edits.cuts.empty() ? user_marks(n) : user_marks_.data();
    }
    std::vector<TagPath> paths;
    tagger.nbest(*plan.tagger, text, width, n, count, paths, kept);
    for (const TagPath& path : paths) {
      set_pieces();
      uint32_t start = 0;
      for (uint32_t end : path.ends) {
        pieces.push_back(Piece{end, tagger.what(start, end)});
        start = end;
      }
      if (edited_ && !out.empty() && holds_deleted()) continue;
      if (edited_) settle_spans(plan.user, user.edits);
      add_cut(plan, text, width, -path.score, out);
    }
  }

  void set_pieces() {
    pieces.clear();
    margins.clear();
    dropped = 0;
  }

  // What the settled path in `pieces` is cut to, unless another path was cut to the same.
  void add_cut(const Plan& plan, const void* text, int width, int64_t cost, std::vector<BestCut>& out) {
    settle(plan, text, width, !plan.lex->numbers, edited_ ? &user.edits : nullptr);
    BestCut cut{cost, {}, {}};
    uint32_t start = 0;
    for (const Piece& p : pieces) {
      if (!(p.what & kDropped)) {
        cut.starts.push_back(start);
        cut.ends.push_back(p.end);
      }
      start = p.end;
    }
    if (plan.guesser || plan.subwords || plan.keep_unknown || plan.skip || !plan.lex->numbers)
      for (const BestCut& other : out)
        if (other.ends == cut.ends && other.starts == cut.starts) return;
    out.push_back(std::move(cut));
  }

  // What becomes of a path with its spans settled: unknown words cut again, some dropped.
  void settle(const Plan& plan, const void* text, int width, bool joins, const UserEdits* edits) {
    if (joins && !plan.guesser) join_alnum(*plan.lex, text, width);
    if (plan.guesser || plan.subwords) guess(plan, text, width);
    if (plan.keep_unknown || plan.skip) finish(plan, text, width);
    if (edits && !edits->cuts.empty()) part_deleted(*plan.lex, text, width);
  }

  // A span of an atom as an edge of its own.  A mark that stands alone is the lexicon's word, where it has one.
  Edge edge_of(const Lexicon& lex, const UserMatch& m, const void* text, int width, bool external) {
    Edge edge{m.start, m.end, 0, lex.n_words, m.what};
    if (piece_kind(m.what) != kWord) return edge;
    if (external) {
      auto it = std::partition_point(matches.begin(), matches.end(), [&](const Match& x) {
        return x.start != m.start ? x.start < m.start : x.end < m.end;
      });
      if (it != matches.end() && it->start == m.start && it->end == m.end) edge.token = it->slot - 1;
    } else {
      const uint32_t id = lex.map(code_point(text, width, m.start)) & 0x7FFF;
      if (lex.is_word(id)) edge.token = lex.word_id(id);
    }
    if (edge.token == lex.n_words) edge.what |= uint32_t(kUnknown) << 24;
    return edge;
  }

  struct Released {  // whatever is thrown: the next text has other words in it
    Worker& worker;
    ~Released() {
      worker.unigram_.lattice().edits = worker.dag.lattice().edits = nullptr;
      worker.tagger.bonuses = nullptr;
      worker.tagger.boundaries = nullptr;
      worker.tagger.again = false;
    }
  };

  void run_with_user(const Plan& plan, const void* text, int width, size_t n, const std::vector<Match>* found,
                     bool begun) {
    const Lexicon& lex = *plan.lex;
    const UserEdits& edits = user.edits;
    bool joins = !lex.numbers;
    const Released released{*this};
    if (plan.decoder == kTagged) {
      tag_with_user(plan, text, width, n);
    } else if (plan.decoder == int(Decoder::kUnigram)) {
      Want least = std::max(want, edits.edges.empty() ? Want::kEnds : Want::kWords);  // to know its words
      if (plan.keep_unknown) least = Want::kKinds;
      if (begun) {
        unigram_.edit(edits, least);
      } else {
        unigram_.lattice().edits = &edits;
        unigram_.begin(lex, text, width, n, found, least);
      }
      unigram_.run(pieces);
      joins &= unigram_.any_alnum();
    } else {
      dag.lattice().edits = &edits;
      dag.run(lex, *plan.model, Decoder(plan.decoder), text, width, n, pieces, found);
    }
    settle_spans(plan.user, edits);
    settle(plan, text, width, joins, &edits);
  }

  // A tagger has no list of words to take one from.  Where its path holds a deleted word the boundary
  // that is cheapest to change (one inside it set, or one at its ends taken away) is changed, and it
  // decodes again: that is the best path without the word.  What it still holds then is cut apart.
  void tag_with_user(const Plan& plan, const void* text, int width, size_t n) {
    constexpr int kRounds = 4;
    const UserEdits& edits = user.edits;
    const uint8_t* kept = user_marks(n, !edits.cuts.empty());
    tagger.bonuses = edits.edges.empty() ? nullptr : &edits.edges;
    // kinds tell a deleted word from a run, and what follows asks for them
    const bool kinds = !edits.cuts.empty() || plan.keep_unknown || plan.subwords || plan.skip;
    auto run = [&]() {
      pieces.clear();
      margins.clear();
      if (want_margins || tagger.boundaries)
        tagger.run_margins(*plan.tagger, text, width, n, pieces, margins, kept);
      else
        tagger.run(*plan.tagger, text, width, n, pieces, kept, kinds ? Want::kKinds : want);
    };
    run();
    tagger.again = true;
    for (int round = 0; round < kRounds && !edits.cuts.empty() && holds_deleted(); ++round) {
      boundaries_.clear();
      tagger.boundaries = &boundaries_;
      run();
      boundaries_.resize(n, -kTagNever);
      each_deleted([&](size_t, uint32_t s, uint32_t e) {
        uint32_t at = s + 1;  // the character before which the boundary changes
        for (uint32_t k = s + 2; k < e; ++k)
          if (boundaries_[k - 1] < boundaries_[at - 1]) at = k;
        if (s > 0 && boundaries_[s - 1] < boundaries_[at - 1]) at = s;
        if (e < n && boundaries_[e - 1] < boundaries_[at - 1]) at = e;
        user_marks_[at] = at == s || at == e ? kMarkJoin : kMarkCut;
      });
      tagger.boundaries = nullptr;
      run();
    }
    if (!want_margins) margins.clear();
  }

  // Calls each(piece, start, end) for every piece of several characters that is a deleted word.
  template <class Each>
  void each_deleted(Each&& each) {
    const std::vector<UserEdge>& cuts = user.edits.cuts;
    size_t at = 0;
    uint32_t start = 0;
    for (size_t i = 0; i < pieces.size(); ++i) {
      uint32_t end = pieces[i].end;
      while (at < cuts.size() && cuts[at].start < start) ++at;
      if (end - start > 1 && piece_kind(pieces[i].what) <= kUnknown)
        for (size_t c = at; c < cuts.size() && cuts[c].start == start; ++c)
          if (cuts[c].end == end) each(i, start, end);
      start = end;
    }
  }
  bool holds_deleted() {
    bool any = false;
    each_deleted([&](size_t, uint32_t, uint32_t) { any = true; });
    return any;
  }
  void part_deleted(const Lexicon& lex, const void* text, int width) {
    kept_.clear();
    kept_margins_.clear();
    size_t next = 0;
    auto keep = [&](size_t to) {
      kept_.insert(kept_.end(), pieces.begin() + std::ptrdiff_t(next), pieces.begin() + std::ptrdiff_t(to));
      if (!margins.empty())
        kept_margins_.insert(kept_margins_.end(), margins.begin() + std::ptrdiff_t(next),
                             margins.begin() + std::ptrdiff_t(to));
      next = to;
    };
    each_deleted([&](size_t i, uint32_t s, uint32_t e) {
      keep(i);
      for (uint32_t k = s; k < e; ++k) {
        uint32_t entry = lex.map(code_point(text, width, k)), id = entry & 0x7FFF;
        uint32_t kind = lex.is_word(id) ? kWord : kUnknown;
        kept_.push_back(Piece{k + 1, id | kind << 24 | (entry & 0x8000 ? kNotCanonical : 0)});
        if (!margins.empty()) kept_margins_.push_back(margins[i]);
      }
      next = i + 1;
    });
    if (kept_.empty()) return;
    keep(pieces.size());
    pieces.swap(kept_);
    if (!margins.empty()) margins.swap(kept_margins_);
  }

  // Gives the spans of the user their pieces; whatever the decoder made of them ends where they end.
  void settle_spans(const UserDictionary* dict, const UserEdits& edits) {
    if (!edits.edges.empty())
      for (Piece& p : pieces)
        if (uint32_t(piece_kind(p.what)) >= kUserWord) p.what |= kNotCanonical;
    if (edits.spans.empty()) return;
    const bool with_margins = !margins.empty();
    kept_.clear();
    kept_margins_.clear();
    size_t i = 0;
    for (const UserMatch& m : edits.spans) {
      size_t first = i;
      while (i < pieces.size() && pieces[i].end <= m.start) ++i;
      kept_.insert(kept_.end(), pieces.begin() + std::ptrdiff_t(first), pieces.begin() + std::ptrdiff_t(i));
      if (with_margins)
        kept_margins_.insert(kept_margins_.end(), margins.begin() + std::ptrdiff_t(first),
                             margins.begin() + std::ptrdiff_t(i));
      while (i < pieces.size() && pieces[i].end <= m.end) ++i;
      each_part(dict, m, [&](uint32_t end) { kept_.push_back(Piece{end, m.what}); });
      if (with_margins) kept_margins_.resize(kept_.size(), 0.0f);
    }
    kept_.insert(kept_.end(), pieces.begin() + std::ptrdiff_t(i), pieces.end());
    if (with_margins)
      kept_margins_.insert(kept_margins_.end(), margins.begin() + std::ptrdiff_t(i), margins.end());
    pieces.swap(kept_);
    if (with_margins) margins.swap(kept_margins_);
  }

  // Calls each(end) for the tokens of a span: one, unless an entry of the user's has parts.
  template <class Each>
  static void each_part(const UserDictionary* dict, const UserMatch& m, Each&& each) {
    if (uint32_t(piece_kind(m.what)) >= kUserWord) {
      auto inner = dict->layers[uint32_t(piece_kind(m.what)) - kUserWord].cuts(piece_slot(m.what));
      for (const uint32_t* p = inner.first; p != inner.second; ++p) each(m.start + *p);
    }
    each(m.end);
  }

  static uint32_t code_point(const void* text, int width, uint32_t k) {
    return width == 1   ? static_cast<const uint8_t*>(text)[k]
           : width == 2 ? static_cast<const uint16_t*>(text)[k]
                        : static_cast<const uint32_t*>(text)[k];
  }

  // What is unknown is cut again.  A lattice leaves runs of single Han characters (that is where words
  // are that its lexicon does not know): a tagger finds words in them, as jieba's HMM does, or a
  // subword model its pieces.  A tagger leaves words that its lexicon does not know: a subword model
  // cuts those.
  void guess(const Plan& plan, const void* text, int width) {
    const Lexicon& lex = *plan.lex;
    if (!lex.numbers && plan.guesser) {
      guess_as_jieba(plan, text, width);
      return;
    }
    const bool tagged = plan.decoder == kTagged;
    kept_.clear();
    kept_margins_.clear();
    size_t n = pieces.size();
    auto start_of = [&](size_t i) { return i ? pieces[i - 1].end : 0; };
    auto han = [&](size_t i) {
      if (!lex.numbers) return jieba::is_han(code_point(text, width, start_of(i)));
      CharClass c = class_of(lex, text, width, start_of(i));
      return c == kHan || c == kHanNum;
    };
    auto single = [&](size_t i) {
      return piece_kind(pieces[i].what) <= kUnknown && pieces[i].end - start_of(i) == 1 && han(i);
    };
    auto unknown = [&](size_t i) {
      return piece_kind(pieces[i].what) == kUnknown && pieces[i].end - start_of(i) > 1 && han(i);
    };
    for (size_t i = 0; i < n;) {
      size_t j = i;  // pieces [i, j) are to be cut again
      if (tagged) {
        j += unknown(i);
      } else {
        while (j < n && single(j)) ++j;
        if (j < i + 2) j = i;
      }
      if (j == i) {
        kept_.push_back(pieces[i]);
        if (!margins.empty()) kept_margins_.push_back(margins[i]);
        ++i;
        continue;
      }
      uint32_t a = start_of(i), b = pieces[j - 1].end, at = a;
      const char* span = static_cast<const char*>(text) + size_t(a) * size_t(width);
      guessed_.clear();
      if (plan.guesser) tagger.run(*plan.guesser, span, width, b - a, guessed_);
      else split(*plan.subwords, span, width, b - a);
      for (const Piece& p : guessed_) {
        uint32_t end = a + p.end;
        if (!tagged && end == at + 1) kept_.push_back(pieces[i + (at - a)]);
        else kept_.push_back(Piece{end, uint32_t(kUnknown) << 24 | kNotCanonical});
        if (!margins.empty()) kept_margins_.push_back(margins[i]);  // its own edges were weighed alone
        at = end;
      }
      i = j;
    }
    pieces.swap(kept_);
    if (!margins.empty()) margins.swap(kept_margins_);
  }

  // The same for a lexicon of jieba's kind: its own rules, see lattice/jieba_runs.hpp.
  void guess_as_jieba(const Plan& plan, const void* text, int width) {
    const Lexicon& lex = *plan.lex;
    const size_t n = pieces.size();
    auto at = [&](uint32_t k) { return code_point(text, width, k); };
    auto start_of = [&](size_t i) { return i ? pieces[i - 1].end : 0; };
    auto single = [&](size_t i) {
      return piece_kind(pieces[i].what) <= kUnknown && pieces[i].end - start_of(i) == 1 && jieba::in_block(at(start_of(i)));
    };
    kept_.clear();
    for (size_t i = 0; i < n;) {
      size_t j = i;  // pieces [i, j) are a run
      while (j < n && single(j)) ++j;
      const uint32_t a = start_of(i), b = j > i ? pieces[j - 1].end : a;
      if (j < i + 2 || is_a_word(lex, text, width, a, b)) {
        j = std::max(j, i + 1);
        kept_.insert(kept_.end(), pieces.begin() + std::ptrdiff_t(i), pieces.begin() + std::ptrdiff_t(j));
        i = j;
        continue;
      }
      auto keep = [&](uint32_t from, uint32_t to, EdgeKind kind) {
        if (to == from + 1) kept_.push_back(pieces[i + (from - a)]);
        else kept_.push_back(Piece{to, uint32_t(kind) << 24 | kNotCanonical});
      };
      for (uint32_t k = a; k < b;) {
        uint32_t end = k;
        while (end < b && jieba::is_han(at(end))) ++end;
        if (end == k) {
          end = jieba::end_of_token(at, k, b);
          keep(k, end, jieba::is_alnum(at(k)) ? kLatinRun : kUnknown);
        } else {
          guessed_.clear();
          const char* span = static_cast<const char*>(text) + size_t(k) * size_t(width);
          tagger.run(*plan.guesser, span, width, end - k, guessed_);
          uint32_t from = k;
          for (const Piece& p : guessed_) keep(std::exchange(from, k + p.end), k + p.end, kUnknown);
        }
        k = end;
      }
      i = j;
    }
    pieces.swap(kept_);
  }

  // Whether a stretch is a word of the lexicon that occurs at all.
  static bool is_a_word(const Lexicon& lex, const void* text, int width, uint32_t a, uint32_t b) {
    uint32_t slot = 0;
    for (uint32_t k = a; k < b; ++k) {
      const uint32_t id = lex.map(code_point(text, width, k)) & 0x7FFF;
      slot = k == a ? id : lex.trie.child(slot, id);
      if (!slot) return false;
    }
    return lex.is_word(slot) && unit_cost(lex.trie.units[slot]) < kMaxCost;
  }

  // Ends of subwords into guessed_; no end inside a character that several pieces spell in bytes, and
  // one after every character that has no piece.
  void split(const SubwordModel& model, const void* span, int width, size_t n) {
    subword_.widen(span, width, n);
    subword_.pieces.clear();
    model.encode(subword_.text.data(), n, 0, subword_);
    const std::vector<SubwordPiece>& found = subword_.pieces;
    uint32_t at = 0;
    auto singles_to = [&](uint32_t end) {
      while (at < end) guessed_.push_back(Piece{++at, 0});
    };
    for (size_t i = 0; i < found.size(); ++i) {
      if (i + 1 < found.size() && found[i + 1].start < found[i].end) continue;
      if (found[i].end <= at) continue;
      singles_to(std::max(at, found[i].start));
      guessed_.push_back(Piece{at = found[i].end, 0});
    }
    singles_to(uint32_t(n));
  }

  static CharClass class_of(const Lexicon& lex, const void* text, int width, uint32_t k) {
    return lex.char_class(lex.map(code_point(text, width, k)) & 0x7FFF);
  }

  // Neighbouring words of one ASCII letter or digit become one, as in jieba's __cut_DAG_NO_HMM.
  void join_alnum(const Lexicon& lex, const void* text, int width) {
    size_t m = 0;
    uint32_t start = 0;
    bool open = false;  // the last piece is a letter, or several
    for (Piece p : pieces) {
      bool one = p.end - start == 1 && uint32_t(piece_kind(p.what)) < kEdgeKinds;
      CharClass c = one ? class_of(lex, text, width, start) : kOther;
      bool letter = c == kLatin || c == kDigit;
      start = p.end;
      if (open && letter) pieces[m - 1] = Piece{p.end, uint32_t(kLatinRun) << 24};
      else pieces[m++] = p;
      open = letter;
    }
    pieces.resize(m);
  }

  void finish(const Plan& plan, const void* text, int width) {
    const Lexicon& lex = *plan.lex;
    auto class_at = [&](uint32_t k) { return class_of(lex, text, width, k); };
    size_t m = 0;
    uint32_t start = 0;
    bool open = false;  // the last piece is an unknown Han span
    for (Piece p : pieces) {
      EdgeKind kind = piece_kind(p.what);
      if (plan.keep_unknown && kind == kUnknown && class_at(start) == kHan) {
        if (open) {
          pieces[m - 1].end = start = p.end;
          continue;
        }
        p.what = uint32_t(kUnknown) << 24 | kNotCanonical;
        open = true;
      } else {
        open = false;
      }
      bool drop = false;
      if (plan.skip & kSkipSpace) drop = kind == kBlankRun || kind == kLineEnd;
      if (!drop && (plan.skip & kSkipPunct) && kind <= kUnknown) {
        drop = true;
        for (uint32_t k = start; k < p.end && drop; ++k) drop = is_punct(class_at(k));
      }
      if (drop) {
        p.what |= kDropped;
        ++dropped;
      }
      pieces[m++] = p;
      start = p.end;
    }
    pieces.resize(m);
  }
};

// A byte buffer that grows without being zeroed.  It may begin in memory of the caller's, which
// saves a copy of the result (and the first touch of its pages) where the guess of its size holds.
class Bytes {
 public:
  Bytes() = default;
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() {
    if (own_) std::free(data_);
  }
  void lend(char* memory, size_t n) {  // before anything is written
    data_ = memory;
    capacity_ = n;
  }
  bool lent() const { return !own_ && data_; }  // whether all of it is still in that memory
  char* reserve(size_t more) {                  // room for `more` bytes after the end
    if (size_ + more > capacity_) {
      size_t cap = size_ + more + capacity_ / 2;
      void* p = own_ ? std::realloc(data_, cap) : std::malloc(cap);
      if (!p) throw std::bad_alloc();
      if (!own_ && size_) std::memcpy(p, data_, size_);
      own_ = true;
      data_ = static_cast<char*>(p);
      capacity_ = cap;
    }
    return data_ + size_;
  }
  void grew(const char* end) { size_ = size_t(end - data_); }
  const char* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  char* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
  bool own_ = false;
};

// UTF-8 in, UTF-8 out: the words of every line joined by `sep`, line ends kept byte for byte.
class ByteWorker {
 public:
  Bytes out;
  int64_t bad = -1;  // offset of the first byte that is not UTF-8

  void run(Worker& worker, const Plan& plan, const char* data, size_t n, const char* sep, size_t sep_n) {
    const uint8_t* text = reinterpret_cast<const uint8_t*>(data);
    if (!out.lent()) out.reserve(n + n / 2 + 64);
    const ByLines lines(worker);
    const size_t chunk = reads_many(plan) ? 4 * kChunk : kChunk;
    for (size_t at = 0; at < n;) {
      // whole lines, about kChunk bytes of them: results do not depend on where chunks end, since
      // every line end is a boundary that no rule looks across
      size_t end = at + chunk;
      if (end < n) {
        const void* line = std::memchr(text + end, '\n', n - end);
        end = line ? size_t(static_cast<const uint8_t*>(line) - text) + 1 : n;
      } else {
        end = n;
      }
      text_.start(text, at, n, end - at);
      bad = text_.append(at, end);
      if (bad >= 0) return;
      worker.want = Want::kEnds;
      worker.run(plan, text_.chars(), text_.width(), text_.length());
      worker.want = Want::kWords;
      emit(worker, text + at, n - at, sep, sep_n);
      at = end;
    }
  }

 private:
  struct ByLines {
    Worker& worker;
    explicit ByLines(Worker& w) : worker(w) { worker.by_lines = true; }
    ~ByLines() { worker.by_lines = false; }
  };
  static constexpr size_t kChunk = 1 << 14;
  Utf8Text text_;

  // `n` bytes from `text` on may be read.
  void emit(const Worker& worker, const uint8_t* text, size_t n, const char* sep, size_t sep_n) {
    const uint32_t* const offsets = text_.offsets();
    size_t total = offsets[text_.length()];
    char* to = out.reserve(total + worker.pieces.size() * sep_n + 32);
    uint32_t start = 0;
    bool first = true;
    char one = sep_n == 1 ? *sep : 0;
    for (const Piece& p : worker.pieces) {
      uint32_t a = offsets[start], b = offsets[p.end];
      start = p.end;
      if (p.what & kDropped) {
        if (piece_kind(p.what) != kLineEnd) continue;  // lines stay lines
      }
      if (piece_kind(p.what) == kLineEnd) {
        first = true;
      } else if (first) {
        first = false;
      } else if (sep_n == 1) {
        *to++ = one;
      } else {
        std::memcpy(to, sep, sep_n);
        to += sep_n;
      }
      size_t len = b - a;
      const uint8_t* from = text + a;
      if (len <= 16 && size_t(a) + 16 <= n) std::memcpy(to, from, 16);  // one unconditional move
      else std::memcpy(to, from, len);
      to += len;
    }
    out.grew(to);
  }
};

// Runs work(i) for i in [0, n) on n threads, the caller's among them; the first exception wins.  All of them end
// with the caller's Interrupt, which is asked also while the others have work left.
template <class Work>
void in_threads(int n, Work&& work) {
  std::vector<std::exception_ptr> failed(static_cast<size_t>(n));
  Interrupt* const call = Interrupt::of_this_thread();
  std::mutex mutex;
  std::condition_variable ended;
  int left = 0;
  auto guarded = [&](int i) {
    try {
      work(i);
    } catch (...) {
      failed[size_t(i)] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  int started = 1;
  try {
    for (; started < n; ++started) {
      threads.emplace_back([&, i = started] {
        const Interrupt::Helper helper(call);
        guarded(i);
        const std::lock_guard<std::mutex> lock(mutex);
        --left;
        ended.notify_one();
      });
      const std::lock_guard<std::mutex> lock(mutex);
      ++left;
    }
  } catch (const std::system_error&) {  // no more threads to be had: the caller does the rest
  }
  guarded(0);
  for (int i = started; i < n; ++i) guarded(i);
  if (call) {
    std::unique_lock<std::mutex> lock(mutex);
    while (left > 0) {
      ended.wait_for(lock, std::chrono::milliseconds(50));
      lock.unlock();  // whoever is asked may take long
      try {
        if (!failed[0]) call->check();
      } catch (...) {
        failed[0] = std::current_exception();
      }
      lock.lock();
    }
  }
  for (std::thread& t : threads) t.join();
  for (const std::exception_ptr& e : failed)
    if (e) std::rethrow_exception(e);
}

class BytesResult {
 public:
  int64_t bad = -1;
  std::vector<std::unique_ptr<ByteWorker>> parts;

  size_t size() const {
    size_t n = 0;
    for (const auto& p : parts) n += p->out.size();
    return n;
  }
  // Memory for the result of the one part of one thread.
  void lend(char* memory, size_t n) {
    lent_ = memory;
    lent_size_ = n;
  }
  char* lent_ = nullptr;
  size_t lent_size_ = 0;
  bool in_place() const { return lent_ && parts.size() == 1 && parts[0]->out.lent(); }
  void copy(char* to) const {
    for (const auto& p : parts) {
      if (p->out.size()) std::memcpy(to, p->out.data(), p->out.size());
      to += p->out.size();
    }
  }
};

inline void segment_bytes(const Plan& plan, const char* data, size_t n, const char* sep, size_t sep_n, int threads,
                          std::vector<Worker*>& workers, BytesResult& result) {
  // one part a thread, cut after a line end
  std::vector<size_t> cuts{0};
  for (int i = 1; i < threads; ++i) {
    size_t at = std::max(cuts.back(), n / size_t(threads) * size_t(i));
    const void* line = at < n ? std::memchr(data + at, '\n', n - at) : nullptr;
    cuts.push_back(line ? size_t(static_cast<const char*>(line) - data) + 1 : n);
  }
  cuts.push_back(n);
  for (int i = 0; i < threads; ++i) result.parts.emplace_back(new ByteWorker());
  if (threads == 1 && result.lent_) result.parts[0]->out.lend(result.lent_, result.lent_size_);
  in_threads(threads, [&](int i) {
    size_t a = cuts[size_t(i)], b = cuts[size_t(i) + 1];
    if (a < b)
      result.parts[size_t(i)]->run(*workers[size_t(i)], plan, data + a, b - a, sep, sep_n);
  });
  for (int i = 0; i < threads; ++i)
    if (result.parts[size_t(i)]->bad >= 0) {
      result.bad = int64_t(cuts[size_t(i)]) + result.parts[size_t(i)]->bad;
      return;
    }
}

struct BatchText {
  const void* data = nullptr;
  int width = 1;
  size_t length = 0;
  size_t first = 0, count = 0, dropped = 0;  // its pieces within its worker's
  int worker = 0;
};

struct BatchResult {
  std::vector<std::vector<Piece>> pieces;  // a worker
};

// Texts that are cut as one, a line each: what a plan that reads many stretches together asks for.  A line
// end is a boundary that no rule looks across, so the pieces of each are what they are alone.
class JoinedTexts {
 public:
  static constexpr size_t kMost = 1 << 14;  // characters together

  // How many texts from `texts` on can be joined; one always.
  static size_t count(const Plan& plan, const BatchText* texts, size_t n) {
    if (!reads_many(plan) || takes_line_ends(plan)) return 1;
    size_t sum = 0, i = 0;
    for (; i < n && sum <= kMost; ++i) {
      const BatchText& t = texts[i];
      // a carriage return would become one with the line end behind it
      if (t.length && code_point(t, t.length - 1) == 13) break;
      sum += t.length + 1;
    }
    return std::max<size_t>(i, 1);
  }

  void run(const Plan& plan, Worker& worker, BatchText* texts, size_t n, std::vector<Piece>& out) {
    text_.clear();
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < texts[i].length; ++k) text_.push_back(code_point(texts[i], k));
      text_.push_back('\n');
    }
    worker.run(plan, text_.data(), 4, text_.size());
    const std::vector<Piece>& pieces = worker.pieces;
    size_t at = 0, begin = 0;
    for (size_t i = 0; i < n; ++i) {
      BatchText& t = texts[i];
      const size_t end = begin + t.length;
      t.first = out.size();
      t.dropped = 0;
      for (; at < pieces.size() && pieces[at].end <= end; ++at) {
        Piece p = pieces[at];
        p.end -= uint32_t(begin);
        t.dropped += (p.what & kDropped) != 0;
        out.push_back(p);
      }
      t.count = out.size() - t.first;
      ++at;  // the line end
      begin = end + 1;
    }
  }

 private:
  std::vector<uint32_t> text_;

  static uint32_t code_point(const BatchText& t, size_t k) {
    return t.width == 1   ? static_cast<const uint8_t*>(t.data)[k]
           : t.width == 2 ? static_cast<const uint16_t*>(t.data)[k]
                          : static_cast<const uint32_t*>(t.data)[k];
  }
  static bool takes_line_ends(const Plan& plan) {
    if (plan.user)
      for (const UserLayer& layer : plan.user->layers)
        if (layer.line_ends) return true;
    return false;
  }
};

inline void segment_batch(const Plan& plan, std::vector<BatchText>& texts, int threads,
                          std::vector<Worker*>& workers, BatchResult& result) {
  result.pieces.resize(size_t(threads));
  size_t total = 0, sum = 0;
  for (const BatchText& t : texts) total += t.length + 16;
  std::vector<size_t> first(size_t(threads) + 1, texts.size());
  first[0] = 0;
  int part = 1;
  for (size_t i = 0; i < texts.size(); ++i) {  // parts of equal length, order kept
    sum += texts[i].length + 16;
    while (part < threads && sum >= total / size_t(threads) * size_t(part)) first[size_t(part++)] = i + 1;
  }
  in_threads(threads, [&](int w) {
    Worker& worker = *workers[size_t(w)];
    std::vector<Piece>& all = result.pieces[size_t(w)];
    JoinedTexts joined;
    for (size_t i = first[size_t(w)], n; i < first[size_t(w) + 1]; i += n) {
      n = JoinedTexts::count(plan, &texts[i], first[size_t(w) + 1] - i);
      BatchText& t = texts[i];
      if (n > 1) {
        joined.run(plan, worker, &t, n, all);
        for (size_t k = 0; k < n; ++k) texts[i + k].worker = w;
        continue;
      }
      worker.run(plan, t.data, t.width, t.length);
      t.worker = w;
      t.first = all.size();
      t.count = worker.pieces.size();
      t.dropped = worker.dropped;
      all.insert(all.end(), worker.pieces.begin(), worker.pieces.end());
    }
  });
}

}  // namespace segmenter
