// Results of a text other than its words: word graph, n best segmentations, scores of tags, atoms.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "request.hpp"
#include "text.hpp"
#include "token.hpp"
#include "worker.hpp"

namespace segmenter {

struct AtomFound;

// The atoms that take effect in the text.
std::vector<AtomFound>& atoms_of(Worker& worker, const Plan& plan, const Text& text);

// The edges of the DAG of the whole text, by start, then by end. `decided`: as decoding sees it, the
// user's spans and atoms as one edge each; else for display, with every word of the user that stands
// in the text as an edge, spans at no cost.
void whole_dag(Worker& worker, const Plan& plan, const Text& text, Request request, bool decided,
               std::vector<Edge>& edges);
// The edges of the DAG of a word that stands alone, by start and then by end: without the words that
// the user splits, and with those inside a word of the user, which the DAG of a text hides.
void word_edges(Worker& worker, const Plan& plan, const Text& word, const Request& request,
                std::vector<Edge>& edges);

// One of the n best cuts: the spans of its words, and the cost that ranks it.
struct BestCut {
  int64_t cost;
  std::vector<uint32_t> starts, ends;
};

// The `count` best cuts; the first is that of Worker::run, and the others are edited as there.
void nbest(Worker& worker, const Plan& plan, const Text& text, Request request, size_t count,
           std::vector<BestCut>& cuts);
// What Tagger::scores gives, with the user's words in it.
void tag_scores(Worker& worker, const Plan& plan, const Text& text, const Request& request,
                std::vector<int32_t>& scores);

// How many units of BestCut::cost are 1 of a score: a tagger's own unit, a nat, or a word of `shortest`.
double cost_unit(const Plan& plan);

// Units of a tagger's score per nat: nat_of() of tagging/user_tagger.hpp.
double score_unit(const TaggerModel& m);
// The network's scores of a text's characters, for tests: Tagger::emissions.
void network_emissions(const TaggerModel& m, const Text& text, std::vector<int16_t>& emissions);

}  // namespace segmenter
