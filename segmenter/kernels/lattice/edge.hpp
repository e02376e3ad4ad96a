// An edge of the word DAG.
#pragma once
#include <cstdint>

namespace segmenter {

struct Edge {
  uint32_t start, end, cost, token_id, what;
};

}  // namespace segmenter
