// The parts of a worker.
#pragma once
#include <vector>

#include "lattice/decoder.hpp"
#include "post_edit.hpp"
#include "result.hpp"
#include "spans/spans.hpp"
#include "tagging/tagger.hpp"
#include "tagging/user_tagger.hpp"
#include "worker.hpp"

namespace segmenter {

struct Worker::Parts {
  SpanFinder spans;
  LatticeDecoder lattice;
  Tagger tagger;  // the plan's own, and the one by which post_edit cuts unknown words
  UserTagger user_tagger;
  PostEdit post_edit;
  Decision decision;
  std::vector<Match> matches;

  // Asks the matcher of the plan for the words of a text, if there is one.
  void match(const Plan& plan, const Text& text, Request& request) {
    if (!plan.matcher) return;
    plan.matcher->find(text, matches);
    request.matches = &matches;
  }
};

// How much of the tokens the decoder must tell.
Want needed_fields(const Plan& plan, Want want, const UserEdits* edits);

}  // namespace segmenter
