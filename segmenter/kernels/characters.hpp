// Tables of characters; segmenter/text/tables.py generates them when the extension is built.
#pragma once
#include <algorithm>
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

// The class of a character as it is folded, a CharClass; and the common characters of tables.py,
// ascending: what the FTS5 extension asks.
uint8_t class_of(uint32_t cp);
const char16_t* common_characters();

struct ClassTable {
  // Characters from `first` to that of the next row.
  struct Row {
    uint32_t first;
    uint8_t code;
  };
  std::vector<uint8_t> of = std::vector<uint8_t>(0x110000);

  ClassTable(const Row* rows, size_t n) {
    for (size_t i = 0; i < n; ++i)
      std::fill(of.begin() + rows[i].first, i + 1 < n ? of.begin() + rows[i + 1].first : of.end(),
                rows[i].code);
  }
};

// Makes them of the characters that fold in width and case, ascending, and what each becomes; and
// of the variants.
class FoldTables {
 public:
  FoldTable of[kUserFields];

  // Characters from `first` to `last`, `step` apart, which fold to those `by` away.
  struct Row {
    uint32_t first, last, step;
    int32_t by;
  };
  FoldTables(const Row* fold, size_t n_fold, const VariantTable& variants) {
    for (uint32_t f = 1; f < kUserFields; ++f) {
      std::vector<uint16_t>& bmp = bmp_[f];
      bmp.resize(0x10000);
      std::iota(bmp.begin(), bmp.end(), uint16_t(0));
      of[f].bmp = bmp.data();
    }
    // as variants.same: a character with several readings folds like the first of them
    for (const auto& [from, to] : variants.plain) bmp_[2][from] = uint16_t(to);
    std::vector<uint16_t> first;
    for (const auto& entry : variants.several) first.push_back(bmp_[2][entry.readings[0]]);
    for (size_t i = 0; i < first.size(); ++i) bmp_[2][variants.several[i].cp] = first[i];
    bmp_[3] = bmp_[2];
    of[3].bmp = bmp_[3].data();
    for (size_t i = 0; i < n_fold; ++i) {
      for (uint32_t from = fold[i].first; from <= fold[i].last; from += fold[i].step) {
        const uint32_t to = from + uint32_t(fold[i].by);
        if (from > 0xFFFF) {
          for (const int f : {1, 3}) astral_[f].push_back({from, f == 3 ? of[2](to) : to});
        } else {
          bmp_[1][from] = uint16_t(to);
          bmp_[3][from] = bmp_[2][to];
        }
      }
    }
    for (const int f : {1, 3}) {
      of[f].astral = astral_[f].data();
      of[f].n_astral = astral_[f].size();
    }
  }

 private:
  std::vector<uint16_t> bmp_[kUserFields];
  std::vector<FoldTable::Pair> astral_[kUserFields];
};

}  // namespace segmenter
