// One decoder over one lexicon, with the scratch it needs.  A Worker belongs to one call at a time.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "plan.hpp"
#include "settle.hpp"

namespace segmenter {

class Worker : public Settler {
 public:
  Ends column;  // instead of `pieces` where Want::kBare was asked for and nothing needs pieces
  const uint8_t* marks = nullptr;  // of a tagger: forced and forbidden boundaries, a byte a character
  bool want_margins = false;       // of a tagger: fill `margins`, one a piece
  Want want = Want::kWords;        // of the unigram lattice and of taggers; the others tell everything
  DagDecoder dag;
  bool by_lines = false;  // the user's words take in no line end
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
};

}  // namespace segmenter
