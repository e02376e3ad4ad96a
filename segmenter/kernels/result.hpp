// The result of a call.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "token.hpp"

namespace segmenter {

// A column of exclusive ends; `first` is null if there is none.
struct Ends {
  const uint32_t* first = nullptr;
  size_t n = 0;
};

// The decision of a call.
struct Decision {
  std::vector<Token> tokens;
  Ends column;                 // instead of tokens, for Want::kEndsOnly if nothing needs tokens
  size_t dropped = 0;          // number of tokens that are kDropped
  std::vector<float> margins;  // one per token, if asked for
  std::vector<int32_t> boundaries;  // margins of the boundary after each character, if asked for

  void clear() {
    tokens.clear();
    margins.clear();
    boundaries.clear();
    dropped = 0;
    column = Ends{};
  }
};

}  // namespace segmenter
