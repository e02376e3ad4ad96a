// Tags the words of a text; see pos/pos.hpp.
#pragma once
#include "pos/known.hpp"

namespace segmenter {

// Decides the tags of the words in `scratch`, all of which `cache` has looked up.
//
// First by what each word and its neighbours say alone; then, from left to right, the few tags
// that this leaves in doubt, each after the tags before it.
void pos_tags(const PosModel& m, const PosKnown& cache, PosScratch& scratch);

}  // namespace segmenter
