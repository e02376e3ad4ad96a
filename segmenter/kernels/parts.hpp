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
  Tagger tagger;  // runs the tagger of the plan, and the one that cuts unknown words in post_edit
  UserTagger user_tagger;
  PostEdit post_edit;
  Decision decision;
  std::vector<Match> matches;

  // Finds the words of a text by the matcher of the plan, if it has one.
  void match(const Plan& plan, const Text& text, Request& request) {
    if (!plan.matcher) return;
    plan.matcher->find(text, matches);
    request.matches = &matches;
  }
};

// Which fields of tokens the decoder must set.
Want needed_fields(const Plan& plan, Want want, const UserEdits* edits);

}  // namespace segmenter
