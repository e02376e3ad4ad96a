// Compiles the tables of a layer of a user dictionary; see user/tables.hpp.
#pragma once
#include <cstdint>
#include <vector>

#include "user/tables.hpp"

namespace segmenter {

struct UserTables {  // of one field
  std::vector<uint32_t> filter, entries, skips;
  std::vector<uint64_t> nodes;
};

// Builds the tables of the entries of field f. Of entries that fold to the same text the last one
// is kept.
void compile_field(const UserLayer& layer, uint32_t f, const FoldTable& fold, UserTables& tables);

}  // namespace segmenter
