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

  // Characters from `first` to `last`, `step` apart, which fold to those `offset` away.
  struct Row {
    uint32_t first, last, step;
    int32_t offset;
  };
  FoldTables(const Row* fold, size_t n_fold, const VariantTable& variants) {
    for (uint32_t field = 1; field < kUserFields; ++field) {
      std::vector<uint16_t>& bmp = bmp_[field];
      bmp.resize(0x10000);
      std::iota(bmp.begin(), bmp.end(), uint16_t(0));
      of[field].bmp = bmp.data();
    }
    // as variants.same: a character with several readings folds like the first of them
    for (const auto& [source, target] : variants.plain) bmp_[2][source] = uint16_t(target);
    std::vector<uint16_t> folded;
    for (const auto& entry : variants.several) folded.push_back(bmp_[2][entry.readings[0]]);
    for (size_t i = 0; i < folded.size(); ++i) bmp_[2][variants.several[i].cp] = folded[i];
    bmp_[3] = bmp_[2];
    of[3].bmp = bmp_[3].data();
    for (size_t i = 0; i < n_fold; ++i) {
      for (uint32_t source = fold[i].first; source <= fold[i].last; source += fold[i].step) {
        const uint32_t target = source + uint32_t(fold[i].offset);
        if (source > 0xFFFF) {
          for (const int field : {1, 3})
            astral_[field].push_back({source, field == 3 ? of[2](target) : target});
        } else {
          bmp_[1][source] = uint16_t(target);
          bmp_[3][source] = bmp_[2][target];
        }
      }
    }
    for (const int field : {1, 3}) {
      of[field].astral = astral_[field].data();
      of[field].n_astral = astral_[field].size();
    }
  }

 private:
  std::vector<uint16_t> bmp_[kUserFields];
  std::vector<FoldTable::Pair> astral_[kUserFields];
};

}  // namespace segmenter
