// Results of a text other than its words: the word graph, the n best segmentations, scores of tags,
// atoms. All apply the same spans as segmentation.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "atoms/rules.hpp"
#include "analysis.hpp"
#include "lexicon/lexicon.hpp"
#include "parts.hpp"
#include "user/columns.hpp"
#include "user/tables.hpp"

namespace segmenter {

std::vector<AtomFound>& atoms_of(Worker& worker, const Plan& plan, const Text& text) {
  SpanFinder& spans = worker.parts().spans;
  spans.find(plan, text, Request());
  return spans.atoms();
}

// --- the DAG -------------------------------------------------------------------------------------

namespace {

bool by_span(const Edge& a, const Edge& b) {
  return a.start != b.start ? a.start < b.start : a.end < b.end;
}

// An atom as an edge. A sign that is an atom becomes the word of the lexicon, if there is one.
Edge edge_of(const Lexicon& lex, const UserMatch& span, const Text& text, const Request& request) {
  Edge edge{span.start, span.end, 0, lex.n_words, span.label};
  if (token_kind(span.label) != kWord) return edge;
  if (request.matches) {
    const std::vector<Match>& words = *request.matches;
    auto word = std::partition_point(words.begin(), words.end(), [&](const Match& match) {
      return match.start != span.start ? match.start < span.start : match.end < span.end;
    });
    if (word != words.end() && word->start == span.start && word->end == span.end)
      edge.token_id = word->slot - 1;
  } else {
    const uint32_t id = lex.map.id(text[span.start]);
    if (lex.is_word(id)) edge.token_id = lex.word_id(id);
  }
  if (edge.token_id == lex.n_words) edge.label |= kind_bits(kUnknown);
  return edge;
}

// Adds edges in front of others and sorts all by span; of several over one span the first stays.
void prepend_edges(std::vector<Edge>& added, std::vector<Edge>& edges) {
  added.insert(added.end(), edges.begin(), edges.end());
  edges.swap(added);
  std::stable_sort(edges.begin(), edges.end(), by_span);
  edges.erase(std::unique(edges.begin(), edges.end(),
                          [](const Edge& a, const Edge& b) {
                            return a.start == b.start && a.end == b.end;
                          }),
              edges.end());
}

// Adds every user word and every atom to the edges. Of several edges over one span the user word
// stays, else the atom.
void show_spans(const Plan& plan, const Text& text, const Request& request,
                const std::vector<UserMatch>& words, const UserEdits& edits,
                std::vector<Edge>& edges) {
  std::vector<Edge> added;
  for (const UserMatch& word : words)
    added.push_back(Edge{word.start, word.end, 0, plan.lex->n_words, word.label});
  for (const UserMatch& word : edits.spans)
    if (uint32_t(token_kind(word.label)) < kUserWord)
      added.push_back(edge_of(*plan.lex, word, text, request));
  prepend_edges(added, edges);
}

// Replaces the masked characters of the spans by the tokens of the spans.
void join_spans(const Plan& plan, const Text& text, const Request& request, const UserEdits& edits,
                std::vector<Edge>& edges) {
  edges.erase(std::remove_if(edges.begin(), edges.end(),
                             [](const Edge& edge) { return edge.label == kInSpan; }),
              edges.end());
  const auto n = std::ptrdiff_t(edges.size());
  for (const UserMatch& span : edits.spans) {
    uint32_t start = span.start;
    each_part(plan.user, span, [&](uint32_t end) {
      edges.push_back(
          edge_of(*plan.lex, UserMatch{start, end, span.label, span.level}, text, request));
      start = end;
    });
  }
  std::inplace_merge(edges.begin(), edges.begin() + n, edges.end(), by_span);
}

}  // namespace

void whole_dag(Worker& worker, const Plan& plan, const Text& text, Request request, bool decided,
               std::vector<Edge>& edges) {
  Worker::Parts& parts = worker.parts();
  request.measures = plan.measures;
  parts.match(plan, text, request);
  const UserEdits* const edits = parts.spans.find(plan, text, request);
  UserEdits without_spans;
  if (edits && !decided) {
    without_spans.edges = edits->edges;
    without_spans.cuts = edits->cuts;
    without_spans.reach = edits->reach;
  }
  request.edits = edits && !decided ? &without_spans : edits;
  parts.lattice.edges(*plan.lex, text, request, edges);
  if (edits && decided) join_spans(plan, text, request, *edits, edges);
  else if (edits) show_spans(plan, text, request, parts.spans.user_words(), *edits, edges);
}

namespace {

// The entry of the user for a text, as the kind and slot of a token; 0: there is none, or it is
// deleted.
uint32_t user_entry(const UserDictionary& dict, const Text& text) {
  for (size_t k = dict.layers.size(); k-- > 0;)
    for (uint32_t f = 0; f < kUserFields; ++f) {
      const UserLayer& layer = dict.layers[k];
      const uint32_t id = layer.find(f, dict.fold[f], text);
      if (id == kNoWord || layer.is_dead(id)) continue;
      if (user_level(layer.flags[id]) == kDelete) return 0;
      return kind_bits(kUserWord + uint32_t(k)) | id;
    }
  return 0;
}

}  // namespace

void word_edges(Worker& worker, const Plan& plan, const Text& word, const Request& request,
                std::vector<Edge>& edges) {
  constexpr uint32_t kLongest = 64;
  whole_dag(worker, plan, word, request, false, edges);
  if (!plan.user) return;
  const UserDictionary& dict = *plan.user;
  const auto is_user_edge = [](const Edge& edge) {
    return uint32_t(token_kind(edge.label)) >= kUserWord;
  };
  const auto whole_word = std::find_if(edges.begin(), edges.end(), [&](const Edge& edge) {
    return edge.start == 0 && edge.end == word.n && is_user_edge(edge);
  });
  if (whole_word != edges.end()) {
    std::vector<uint32_t> nodes;
    for (const Edge& edge : edges) nodes.insert(nodes.end(), {edge.start, edge.end});
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    std::vector<Edge> inner;
    for (size_t first = 0; first < nodes.size(); ++first)
      for (size_t last = first + 1; last < nodes.size() && nodes[last] - nodes[first] <= kLongest;
           ++last) {
        const uint32_t start = nodes[first], end = nodes[last];
        if (end - start < 2 || end - start == word.n) continue;
        const uint32_t entry = user_entry(dict, word.part(start, end));
        if (entry) inner.push_back(Edge{start, end, 0, plan.lex->n_words, entry});
      }
    prepend_edges(inner, edges);
  }
  edges.erase(std::remove_if(edges.begin(), edges.end(),
                             [&](const Edge& edge) {
                               if (!is_user_edge(edge)) return false;
                               const uint32_t entry =
                                   user_entry(dict, word.part(edge.start, edge.end));
                               if (!entry) return false;
                               const UserLayer& layer =
                                   dict.layers[uint32_t(token_kind(entry)) - kUserWord];
                               return (layer.flags[token_slot(entry)] & kUserParts) != 0;
                             }),
              edges.end());
}

// --- the n best ----------------------------------------------------------------------------------

namespace {

// Finishes the path in parts.decision, whose spans are inserted, and appends its words, unless an
// earlier path has the same words.
void add_cut(Worker::Parts& parts, const Plan& plan, const Text& text, const UserEdits* edits,
             int64_t cost, std::vector<BestCut>& cuts) {
  parts.post_edit.run(plan, text, edits, !plan.lex->numbers, parts.tagger, parts.decision);
  BestCut cut{cost, {}, {}};
  uint32_t start = 0;
  for (const Token& token : parts.decision.tokens) {
    if (!(token.label & kDropped)) {
      cut.starts.push_back(start);
      cut.ends.push_back(token.end);
    }
    start = token.end;
  }
  if (plan.unknown_tagger || plan.subwords || plan.keep_unknown || plan.skip || !plan.lex->numbers)
    for (const BestCut& earlier : cuts)
      if (earlier.ends == cut.ends && earlier.starts == cut.starts) return;
  cuts.push_back(std::move(cut));
}

// The request to a tagger for more than a path: marks keep deleted words out.
Request marked_request(Worker::Parts& parts, const Plan& plan, const Text& text, Request request) {
  request.measures = plan.measures;
  request.edits = parts.spans.find(plan, text, request);
  request.want = needed_fields(plan, request.want, request.edits);
  if (request.edits)
    parts.user_tagger.run(parts.tagger, *plan.tagger, text, request, parts.decision);
  return request;
}

void best_tags(Worker::Parts& parts, const Plan& plan, const Text& text, const Request& request,
               size_t count, std::vector<BestCut>& cuts) {
  const Request marked = marked_request(parts, plan, text, request);
  Decision& decision = parts.decision;
  Tagger& tagger = parts.tagger;
  std::vector<TagPath> paths;
  tagger.nbest(*plan.tagger, text, marked, count, paths);
  for (const TagPath& path : paths) {
    decision.clear();
    uint32_t start = 0;
    for (uint32_t end : path.ends) {
      decision.tokens.push_back(Token{end, tagger.label_of(*plan.tagger, start, end)});
      start = end;
    }
    if (marked.edits && !cuts.empty() && holds_deleted(*marked.edits, decision.tokens)) continue;
    if (marked.edits) parts.post_edit.insert_spans(plan, text, *marked.edits, false, decision);
    add_cut(parts, plan, text, marked.edits, -path.score, cuts);
  }
}

}  // namespace

void nbest(Worker& worker, const Plan& plan, const Text& text, Request request, size_t count,
           std::vector<BestCut>& cuts) {
  cuts.clear();
  Worker::Parts& parts = worker.parts();
  if (plan.tagger) return best_tags(parts, plan, text, request, count, cuts);
  parts.match(plan, text, request);
  const UserEdits* const edits = parts.spans.find(plan, text, request);
  request.edits = edits;
  request.measures = plan.measures;
  std::vector<LatticeDecoder::BestPath> paths;
  parts.lattice.best(plan, text, request, count, paths);
  Decision& decision = parts.decision;
  for (LatticeDecoder::BestPath& path : paths) {
    decision.clear();
    decision.tokens.swap(path.tokens);
    if (edits) parts.post_edit.insert_spans(plan, text, *edits, false, decision);
    // `shortest` counts words, and a span is one
    const bool counts_words = plan.decoder == Decoder::kShortest;
    add_cut(parts, plan, text, edits, counts_words ? int64_t(decision.tokens.size()) : path.cost,
            cuts);
  }
}

// --- scores --------------------------------------------------------------------------------------

void tag_scores(Worker& worker, const Plan& plan, const Text& text, const Request& request,
                std::vector<int32_t>& scores) {
  Worker::Parts& parts = worker.parts();
  const Request marked = marked_request(parts, plan, text, request);
  parts.tagger.scores(*plan.tagger, text, marked, scores);
}

double cost_unit(const Plan& plan) {
  if (plan.tagger) return plan.tagger->scale;
  return plan.decoder == Decoder::kShortest ? 1 : kUnitsPerNat;
}

double score_unit(const TaggerModel& m) { return nat_of(m); }

void network_emissions(const TaggerModel& m, const Text& text, std::vector<int16_t>& emissions) {
  Tagger().emissions(m, text, emissions);
}

}  // namespace segmenter
