// The parts of a worker.
#pragma once
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
  Tagger tagger;  // the decoder of character taggers, and the tagger of unknown words of `edit`
  UserTagger user_tagger;
  PostEdit edit;
  Decision made;
};

// How much of the tokens the decoder must tell.
Want needed(const Plan& plan, Want want, const UserEdits* edits);

}  // namespace segmenter
