// One call: spans of the user and atoms, then the decoder, then what the request asks for; and the
// working memory for all of it. A Worker serves one call at a time.
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
  std::vector<Match> matches;  // for the caller to fill; keeps its memory between calls

  // Cuts a text. The result is valid until the next call.
  const Decision* run(const Plan& plan, const Text& text, const Request& request) {
    made_.clear();
    user_.steps = atoms_.steps = 0;
    if (text.n == 0) return &made_;
    const Lexicon& lex = *plan.lex;
    const bool unigram = plan.decoder == Decoder::kUnigram;
    const bool bare = unigram && request.want == Want::kBare && lex.numbers && !plan.guesser &&
                      !plan.subwords && !plan.keep_unknown && !plan.skip;
    Request ask = request;
    ask.portable = plan.portable;
    ask.want = bare ? Want::kBare : needed(plan, request.want, nullptr);
    // if mapping the text shows that it can hold no atom, nothing looks for one
    const bool begun = unigram && plan.marked && Lattice::can_watch(text);
    bool typed = true;
    if (begun) {
      unigram_.begin(lex, text, ask);
      typed = unigram_.lattice().any_marked(plan.marked->bmp());
    }
    const UserEdits* const edits = find_user(plan, text, request, typed);
    if (edits) {
      ask.edits = edits;
      ask.want = needed(plan, request.want, edits);
    }
    bool joins = !lex.numbers;
    if (plan.decoder == Decoder::kTagged) {
      tag(plan, text, ask);
    } else if (unigram) {
      if (!begun) unigram_.begin(lex, text, ask);
      else if (edits) unigram_.edit(ask);
      if (bare && !edits) {
        made_.column = unigram_.ends();
        return &made_;
      }
      unigram_.run(made_.tokens);
      joins &= unigram_.any_alnum();
    } else {
      dag_.run(lex, *plan.model, plan.decoder, text, ask, made_.tokens);
    }
    if (edits) settle_spans(plan.user, *edits);
    settle(plan, text, joins, edits);
    return &made_;
  }

  uint64_t steps() const {
    return unigram_.steps() + dag_.steps() + tagger_.steps() + user_.steps + atoms_.steps;
  }

  // The atoms that take effect in the text.
  std::vector<AtomFound>* atoms(const Plan& plan, const Text& text) {
    find_user(plan, text, Request());
    return &atoms_.found;
  }

  // The edges of the DAG of the whole text. `decided`: as decoding sees it, the user's spans and
  // atoms as one edge each; else for display, with every word of the user that stands in the text
  // as an edge, spans at no cost.
  std::vector<Edge>* whole(const Plan& plan, const Text& text, const Request& request,
                           bool decided) {
    const UserEdits* const edits = find_user(plan, text, request);
    UserEdits shown;
    if (edits && !decided) {
      shown.edges = edits->edges;
      shown.cuts = edits->cuts;
      shown.reach = edits->reach;
    }
    build_whole(plan, text, request, edits && !decided ? &shown : edits);
    dag_.dag().by_start(edges_);
    if (edits && decided) join_spans(plan, text, request, *edits);
    else if (edits) show_spans(plan, text, request, *edits);
    return &edges_;
  }

  // The `count` best cuts; the first is that of run(), and the others are settled as there.
  void nbest(const Plan& plan, const Text& text, const Request& request, size_t count,
             std::vector<BestCut>& out) {
    out.clear();
    if (plan.decoder == Decoder::kTagged) return best_tags(plan, text, request, count, out);
    std::vector<Path> paths;
    const UserEdits* const edits = find_user(plan, text, request);
    build_whole(plan, text, request, edits);
    dag_.set_history(plan.model->boundary());
    const bool from_left = !plan.lex->numbers && plan.decoder == Decoder::kUnigram;
    dag_.paths(*plan.model, plan.decoder, uint32_t(count), true, paths, from_left);
    for (const Path& path : paths) {
      made_.clear();
      for (uint32_t e : path.edges)
        made_.tokens.push_back(Token{dag_.dag().edges[e].end, dag_.dag().edges[e].what});
      if (edits) settle_spans(plan.user, *edits);
      // they count words, and a span is one
      const bool counts = plan.decoder == Decoder::kShortest;
      add_cut(plan, text, edits, counts ? int64_t(made_.tokens.size()) : path.cost, out);
    }
  }

  // What Tagger::scores gives, with the user's words in it.
  void tag_scores(const Plan& plan, const Text& text, const Request& request,
                  std::vector<int32_t>& out) {
    const Request ask = tag_for_more(plan, text, request);
    tagger_.scores(*plan.tagger, text, ask, out);
  }

 private:
  UserFinder user_;
  AtomFinder atoms_;
  UnigramDecoder unigram_;
  DagDecoder dag_;
  std::vector<Edge> edges_;  // of whole()
  std::vector<uint8_t> user_marks_;
  std::vector<UserMatch> spans_;

  // How much of the tokens the decoder must tell.
  static Want needed(const Plan& plan, Want want, const UserEdits* edits) {
    const bool tagged = plan.decoder == Decoder::kTagged;
    if (plan.keep_unknown || (tagged && (plan.subwords || plan.skip))) return Want::kKinds;
    // to tell a deleted word from a run
    if (edits && tagged && !edits->cuts.empty()) return Want::kKinds;
    if (edits && !tagged && !edits->edges.empty()) return std::max(want, Want::kWords);
    return std::max(want, Want::kEnds);
  }

  // What the words of the user and atoms in the text do to it; null: nothing. Words that are forced
  // or preferred take precedence over atoms, atoms over words with a weight. typed: false if no
  // atom is possible.
  const UserEdits* find_user(const Plan& plan, const Text& text, const Request& request,
                             bool typed = true) {
    typed = typed && plan.atoms && plan.lex->numbers && atoms_.find(*plan.atoms, *plan.lex, text);
    if (typed && request.marks) typed = keep_marked(request.marks, text.n);
    const bool any =
        plan.user && user_.find(*plan.user, *plan.lex, text, request.by_lines,
                                plan.decoder == Decoder::kTagged, typed ? &atoms_.found : nullptr);
    if (!typed) {
      atoms_.found.clear();
      return any ? &user_.edits : nullptr;
    }
    if (!any) user_.forget();
    user_.add_atoms(atoms_, spans_);
    return any || !atoms_.found.empty() ? &user_.edits : nullptr;
  }

  // Drops the atoms that the caller's marks cut or join; returns whether any are left.
  bool keep_marked(const uint8_t* marks, size_t n) {
    std::vector<AtomFound>& all = atoms_.found;
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](const AtomFound& a) {
                               for (uint32_t k = a.start + 1; k < a.end; ++k)
                                 if (marks[k] & kMarkCut) return true;
                               return marks[a.start] & kMarkJoin ||
                                      (a.end < n && marks[a.end] & kMarkJoin);
                             }),
              all.end());
    return !all.empty();
  }

  // --- the DAG for callers -----------------------------------------------------------------------

  void build_whole(const Plan& plan, const Text& text, Request request, const UserEdits* edits) {
    request.edits = edits;
    dag_.whole(*plan.lex, text, request);
  }

  static bool by_span(const Edge& a, const Edge& b) {
    return a.start != b.start ? a.start < b.start : a.end < b.end;
  }

  // Adds every word of the user and every atom to the edges; of several over one span the user's
  // stays, then the atom.
  void show_spans(const Plan& plan, const Text& text, const Request& request,
                  const UserEdits& edits) {
    std::vector<Edge> all;
    for (const UserMatch& m : user_.fixed())
      all.push_back(Edge{m.start, m.end, 0, plan.lex->n_words, m.what});
    for (const UserMatch& m : edits.spans)
      if (uint32_t(token_kind(m.what)) < kUserWord)
        all.push_back(edge_of(*plan.lex, m, text, request));
    all.insert(all.end(), edges_.begin(), edges_.end());
    edges_.swap(all);
    std::stable_sort(edges_.begin(), edges_.end(), by_span);
    edges_.erase(std::unique(edges_.begin(), edges_.end(),
                             [](const Edge& a, const Edge& b) {
                               return a.start == b.start && a.end == b.end;
                             }),
                 edges_.end());
  }

  // Replaces the masked characters of the spans by the spans' tokens.
  void join_spans(const Plan& plan, const Text& text, const Request& request,
                  const UserEdits& edits) {
    edges_.erase(std::remove_if(edges_.begin(), edges_.end(),
                                [](const Edge& e) { return e.what == kInSpan; }),
                 edges_.end());
    const auto n = std::ptrdiff_t(edges_.size());
    for (const UserMatch& m : edits.spans) {
      uint32_t start = m.start;
      each_part(plan.user, m, [&](uint32_t end) {
        edges_.push_back(edge_of(*plan.lex, UserMatch{start, end, m.what, m.level}, text, request));
        start = end;
      });
    }
    std::inplace_merge(edges_.begin(), edges_.begin() + n, edges_.end(), by_span);
  }

  // A span of an atom as an edge. A mark that stands alone is the lexicon's word, if it has one.
  Edge edge_of(const Lexicon& lex, const UserMatch& m, const Text& text, const Request& request) {
    Edge edge{m.start, m.end, 0, lex.n_words, m.what};
    if (token_kind(m.what) != kWord) return edge;
    if (request.found) {
      const std::vector<Match>& all = *request.found;
      auto it = std::partition_point(all.begin(), all.end(), [&](const Match& x) {
        return x.start != m.start ? x.start < m.start : x.end < m.end;
      });
      if (it != all.end() && it->start == m.start && it->end == m.end) edge.token_id = it->slot - 1;
    } else {
      const uint32_t id = lex.map.id(text[m.start]);
      if (lex.is_word(id)) edge.token_id = lex.word_id(id);
    }
    if (edge.token_id == lex.n_words) edge.what |= kind_bits(kUnknown);
    return edge;
  }

  // --- the n best --------------------------------------------------------------------------------

  void best_tags(const Plan& plan, const Text& text, const Request& request, size_t count,
                 std::vector<BestCut>& out) {
    const Request ask = tag_for_more(plan, text, request);
    std::vector<TagPath> paths;
    tagger_.nbest(*plan.tagger, text, ask, count, paths);
    for (const TagPath& path : paths) {
      made_.clear();
      uint32_t start = 0;
      for (uint32_t end : path.ends) {
        made_.tokens.push_back(Token{end, tagger_.what(*plan.tagger, start, end)});
        start = end;
      }
      if (ask.edits && !out.empty() && holds_deleted(*ask.edits)) continue;
      if (ask.edits) settle_spans(plan.user, *ask.edits);
      add_cut(plan, text, ask.edits, -path.score, out);
    }
  }

  // Appends what the settled path is cut to, unless an earlier path was cut to the same.
  void add_cut(const Plan& plan, const Text& text, const UserEdits* edits, int64_t cost,
               std::vector<BestCut>& out) {
    settle(plan, text, !plan.lex->numbers, edits);
    BestCut cut{cost, {}, {}};
    uint32_t start = 0;
    for (const Token& p : made_.tokens) {
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

  // --- taggers -----------------------------------------------------------------------------------

  // Marks that keep the user's spans, together with the caller's (or null).
  void mark_spans(const UserEdits& edits, const uint8_t* marks, size_t n) {
    if (marks) user_marks_.assign(marks, marks + n);
    else user_marks_.assign(n, 0);
    for (const UserMatch& m : edits.spans) {
      user_marks_[m.start] = kMarkCut;
      for (uint32_t k = m.start + 1; k < m.end; ++k) user_marks_[k] = kMarkJoin;
      if (m.end < n) user_marks_[m.end] = kMarkCut;
    }
  }

  // Prepares to ask more of the same text than its path: the marks keep deleted words out.
  Request tag_for_more(const Plan& plan, const Text& text, Request ask) {
    ask.portable = plan.portable;
    ask.edits = find_user(plan, text, ask);
    ask.want = needed(plan, ask.want, ask.edits);
    if (ask.edits) tag(plan, text, ask);
    return ask;
  }

  // Decodes by the plan's tagger; adds the marks of the user's words to `ask`.
  //
  // A tagger has no list of words to delete from. If its path holds a deleted word, the boundary
  // that is cheapest to change (set one inside it, or remove one at its ends) is changed and the
  // text decoded again, which gives the best path without the word. What remains after kRounds is
  // cut apart.
  void tag(const Plan& plan, const Text& text, Request& ask) {
    constexpr int kRounds = 4;
    if (!ask.edits) return tagger_.run(*plan.tagger, text, ask, made_);
    const UserEdits& edits = *ask.edits;
    const uint32_t n = uint32_t(text.n);
    if (!edits.spans.empty() || !edits.cuts.empty()) {
      mark_spans(edits, ask.marks, n);
      ask.marks = user_marks_.data();
    }
    auto run = [&](bool boundaries) {
      made_.clear();
      ask.boundaries = boundaries;
      tagger_.run(*plan.tagger, text, ask, made_);
      ask.again = true;
    };
    run(false);
    for (int round = 0; round < kRounds && !edits.cuts.empty() && holds_deleted(edits); ++round) {
      run(true);
      std::vector<int32_t>& gaps = made_.boundaries;
      gaps.resize(n, -kTagNever);
      each_deleted(edits, [&](size_t, uint32_t s, uint32_t e) {
        uint32_t at = s + 1;  // the character before which the boundary changes
        for (uint32_t k = s + 2; k < e; ++k)
          if (gaps[k - 1] < gaps[at - 1]) at = k;
        if (s > 0 && gaps[s - 1] < gaps[at - 1]) at = s;
        if (e < n && gaps[e - 1] < gaps[at - 1]) at = e;
        user_marks_[at] = at == s || at == e ? kMarkJoin : kMarkCut;
      });
      run(false);
    }
  }
};

}  // namespace segmenter
