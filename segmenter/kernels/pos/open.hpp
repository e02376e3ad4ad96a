// A part-of-speech tagger from the sections of a file, checked.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>

#include "files/sections.hpp"
#include "pos/pos.hpp"

namespace segmenter {

// `n_tags`, `margin`: of the metadata (`sure` there).
inline void open_pos(const Sections& held, const Lexicon& lex, int64_t n_tags, int64_t margin,
                     PosModel& m) {
  using std::to_string;
  auto refuse = [](const std::string& why) { throw std::invalid_argument(why); };
  const Cells<uint64_t> masks = held.of<uint64_t>("pos.masks");
  const Cells<uint16_t> table = held.of<uint16_t>("pos.table");
  const Cells<uint8_t> blocks = held.of<uint8_t>("pos.blocks");
  const Cells<int8_t> rows = held.of<int8_t>("pos.rows");
  const std::ptrdiff_t n_blocks = blocks.n / 8;
  if (n_tags <= 0 || n_tags >= 64 || masks.n < kShapes || masks.n > 0xFFFF || margin < 0 ||
      margin > 0x7FFF || table.n < 16 || table.n & 15 || blocks.n & 7)
    held.refuse();
  m.affixes = held.exactly<uint8_t>("pos.affixes", masks.n);
  m.n_tags = uint32_t(n_tags);
  m.margin = int32_t(margin);
  const std::ptrdiff_t lanes = m.lanes();
  if (rows.n % lanes) refuse("rows of weights are cut short");
  uint32_t number;
  for (std::ptrdiff_t i = 0; i < table.n / 16; ++i) {
    std::memcpy(&number, &table[16 * i + 14], 4);
    if (std::ptrdiff_t(number) + 14 > n_blocks)
      refuse("bucket " + to_string(i) + " has features beyond their weights");
  }
  for (std::ptrdiff_t i = 0; i < n_blocks; ++i) {
    if (blocks[8 * i] == PosModel::kHasRow) {
      std::memcpy(&number, &blocks[8 * i + 4], 4);
      if (std::ptrdiff_t(number) >= rows.n / lanes)
        refuse("feature " + to_string(i) + " has weights beyond the table");
    } else {
      for (int k = 0; k < 4; ++k)
        if (blocks[8 * i + k] >= n_tags)
          refuse("feature " + to_string(i) + " has weights of a tag that does not exist");
    }
  }
  for (std::ptrdiff_t i = 0; i < masks.n; ++i)
    if (!masks[i] || masks[i] >> n_tags)
      refuse("class " + to_string(i) + " has tags that do not exist");
  for (int i = 0; i < 2; ++i)
    if (masks[i] & (masks[i] - 1)) refuse("blanks and line ends have one tag");
  m.lex = &lex;
  m.n_classes = uint32_t(masks.n);
  m.masks = masks.data;
  m.table = table.data;
  m.n_buckets = uint32_t(table.n / 16);
  m.blocks = blocks.data;
  m.rows = rows.n ? rows.data : nullptr;
  m.n_blocks = uint32_t(n_blocks);
  m.n_rows = uint32_t(rows.n / lanes);
}

}  // namespace segmenter
