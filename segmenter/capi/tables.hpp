// Tables of characters, which tables.py writes from segmenter/text.
#pragma once
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "lexicon/variants.hpp"
#include "user/tables.hpp"

namespace segmenter {

// The variants of Han characters: segmenter/text/variants.py.
const VariantTable& variant_table();

// How each field of the user's words folds: width and case, script, both; of the first nothing.
const FoldTable* fold_tables();

// Makes them of the characters that fold, ascending, and what each becomes.
class FoldTables {
 public:
  FoldTable of[kUserFields];

  using Pair = FoldTable::Pair;
  FoldTables(const Pair* fold, size_t n_fold, const Pair* same, size_t n_same) {
    for (uint32_t f = 1; f < kUserFields; ++f) {
      std::vector<uint16_t>& bmp = bmp_[f];
      bmp.resize(0x10000);
      std::iota(bmp.begin(), bmp.end(), uint16_t(0));
      of[f].bmp = bmp.data();
    }
    for (size_t i = 0; i < n_same; ++i) bmp_[2][same[i].from] = uint16_t(same[i].to);
    bmp_[3] = bmp_[2];
    of[3].bmp = bmp_[3].data();
    for (size_t i = 0; i < n_fold; ++i) {
      const Pair& p = fold[i];
      if (p.from > 0xFFFF) {
        for (const int f : {1, 3}) astral_[f].push_back({p.from, f == 3 ? of[2](p.to) : p.to});
      } else {
        bmp_[1][p.from] = uint16_t(p.to);
        bmp_[3][p.from] = bmp_[2][p.to];
      }
    }
    for (const int f : {1, 3}) {
      of[f].astral = astral_[f].data();
      of[f].n_astral = astral_[f].size();
    }
  }

 private:
  std::vector<uint16_t> bmp_[kUserFields];
  std::vector<Pair> astral_[kUserFields];
};

}  // namespace segmenter
