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

// The edges of the DAG of the whole text, by start, then by end. `decided`: as the decoder reads
// it, with the spans of user words and atoms as one edge each. Else for display, with an edge for
// every user word in the text, and spans at no cost.
void whole_dag(Worker& worker, const Plan& plan, const Text& text, Request request, bool decided,
               std::vector<Edge>& edges);
// The edges of the DAG of a word alone, by start, then by end: without the words that the user
// splits, and with words inside a user word, which the DAG of a text hides.
void word_edges(Worker& worker, const Plan& plan, const Text& word, const Request& request,
                std::vector<Edge>& edges);

// One of the n best cuts: the spans of its words, and the cost by which it is ranked.
struct BestCut {
  int64_t cost;
  std::vector<uint32_t> starts, ends;
};

// The `count` best cuts. The first is that of Worker::run; the others are edited in the same way.
void nbest(Worker& worker, const Plan& plan, const Text& text, Request request, size_t count,
           std::vector<BestCut>& cuts);
// Tagger::scores with the effects of user words.
void tag_scores(Worker& worker, const Plan& plan, const Text& text, const Request& request,
                std::vector<int32_t>& scores);

// The units of BestCut::cost per score of 1: a unit of the tagger, a nat, or a word of `shortest`.
double cost_unit(const Plan& plan);

// The units of a tagger's score per nat: nat_of() of tagging/user_tagger.hpp.
double score_unit(const TaggerModel& m);
// The scores of the network for the characters of a text, for tests: Tagger::emissions.
void network_emissions(const TaggerModel& m, const Text& text, std::vector<int16_t>& emissions);

}  // namespace segmenter
