// Characters that decide boundaries around them, in rare kinds of text: Cantonese, classical Chinese,
// names from other languages. docs/en/numbers.md describes the rules.
#pragma once
#include <cstdint>
#include <vector>

#include "lexicon/double_array.hpp"

namespace segmenter {

// What the tables of clauses.cpp say of characters, by their ids in a lexicon.
struct Watched {
  enum : uint16_t {
    kIsCantonese = 1,
    kIsVerb = 2,
    kIsAspect = 4,
    kIsLast = 8,
    kIsOld = 16,
    kIsOften = 32,
    kIsModern = 64,
    kIsRare = 128,
    kIsName = 256,
    kIsWatched = 512,
    kIsSurname = 1024,
    kIsBefore = 2048,  // what kIsWatched wants beside it
    kIsBeside = 4096,  // what stands beside names
    kTriggers = kIsCantonese | kIsLast | kIsOld | kIsRare | kIsWatched,
  };
  std::vector<uint16_t> bits;  // by id

  // Of a lexicon with n_ids characters; in clauses.cpp, beside the tables.
  void prepare(const CharMap& map, uint32_t n_ids);
};

}  // namespace segmenter
