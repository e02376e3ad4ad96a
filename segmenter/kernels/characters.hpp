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

// The folding of each field of user words: none, width and case, script, both.
const FoldTable* fold_tables();

// class_of(): the CharClass of the folded character. common_characters(): those of tables.py,
// ascending. Both serve the FTS5 extension.
uint8_t class_of(uint32_t cp);
const char16_t* common_characters();

struct ClassTable {
  // The characters from `first` up to the next row have the class `code`.
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

// Builds the tables from the characters that fold in width and case, ascending, and from the
// variants.
class FoldTables {
 public:
  FoldTable of[kUserFields];

  // Characters from `first` to `last`, `step` apart; each folds to the character `offset` after it.
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
    // a character with several readings folds like the first of them, as in variants.same
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
