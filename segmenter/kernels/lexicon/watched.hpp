// Characters that decide boundaries around them in rare kinds of text: Cantonese, classical
// Chinese, names from other languages. docs/en/numbers.md describes the rules.
#pragma once
#include <cstdint>
#include <vector>

#include "lexicon/double_array.hpp"

namespace segmenter {

// What the tables of clauses.cpp say about characters, by their ids in a lexicon.
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
    kLooksBack = 512,  // adds marks after one of kIsBefore
    kIsBefore = 1024,
    kLooksOn = 2048,  // adds marks before one of kIsAfter
    kIsAfter = 4096,
    kIsSurname = 8192,
    kIsBeside = 16384,  // stands beside names
    kTriggers = kIsCantonese | kIsLast | kIsOld | kIsRare | kLooksBack | kLooksOn,
  };
  std::vector<uint16_t> bits;  // by id

  // For a lexicon with n_ids characters; defined in clauses.cpp, beside the tables.
  void prepare(const CharMap& map, uint32_t n_ids);
};

}  // namespace segmenter
