// A layer of a user dictionary from the sections of a file, checked; or from entries, compiled.
#pragma once
#include <cstdint>
#include <string>

#include "files/sections.hpp"
#include "user/tables.hpp"

namespace segmenter {

// Points a layer at its columns; tables are attached or built afterwards.
inline void open_user(const Sections& held, int width, bool line_ends, UserLayer& layer) {
  const Cells<uint8_t> flags = held.of<uint8_t>("flags");
  layer.n = uint32_t(flags.n);
  layer.width = width;
  layer.line_ends = line_ends;
  if (!layer.n || flags.n > std::ptrdiff_t(kMaxEntries) || (width != 2 && width != 4))
    held.refuse();
  layer.flags = flags.data;
  layer.offsets = held.exactly<uint32_t>("offsets", flags.n + 1);
  layer.text = held.exactly<uint8_t>("text", std::ptrdiff_t(layer.offsets[layer.n]) * width);
  if (held.has("weights")) {
    layer.weights = held.exactly<double>("weights", flags.n);
    layer.logs = held.exactly<int32_t>("logs", flags.n);
  } else {
    for (uint32_t id = 0; id < layer.n; ++id)
      if (user_level(flags.data[id]) == kWeighted) held.refuse();
  }
  if (!held.has("partids")) return;
  const Cells<uint32_t> ids = held.of<uint32_t>("partids");
  if (!ids.n) held.refuse();
  layer.n_parts = size_t(ids.n);
  layer.part_ids = ids.data;
  layer.part_first = held.exactly<uint32_t>("partfirst", ids.n + 1);
  layer.parts = held.exactly<uint32_t>("parts", layer.part_first[ids.n]);
}

constexpr const char* kUserTables[] = {"filter", "threes", "heads",  "words",
                                       "stems",  "stemof", "lengths"};
inline std::string user_section(uint32_t f, const char* table) {
  return "f" + std::to_string(f) + "." + table;
}

// Attaches the tables of field f, if they are there.
inline void attach_user_field(const Sections& held, uint32_t f, bool singles, UserLayer& layer) {
  auto of = [&](int k) { return user_section(f, kUserTables[k]); };
  if (!held.has(of(3))) return;
  if (!layer.field[f].attach(held.of<uint32_t>(of(0)), held.of<uint32_t>(of(1)),
                             held.of<uint64_t>(of(2)), held.of<uint32_t>(of(3)),
                             held.of<uint64_t>(of(4)), held.of<uint32_t>(of(5)),
                             held.of<uint32_t>(of(6))))
    held.refuse();
  layer.field[f].singles = singles;
}

// Compiles the tables of every field that has entries, attaches them, and calls
// put(name, column) for each. `folds[f]`: the folding of field f.
template <class Put>
void compile_user(const FoldTable* folds, UserTables* tables, UserLayer& layer, Put&& put) {
  for (uint32_t f = 0; f < kUserFields; ++f) {
    UserTables& t = tables[f];
    build_user_field(layer, f, folds[f], t);
    if (t.words.empty()) continue;
    Sections held;
    auto give = [&](int k, const auto& column) {
      const std::string name = user_section(f, kUserTables[k]);
      held.put(name, column.data(), column.size() * sizeof column[0]);
      put(name, column);
    };
    give(0, t.filter);
    give(1, t.threes);
    give(2, t.heads);
    give(3, t.words);
    give(4, t.stems);
    give(5, t.stem_of);
    give(6, t.lengths);
    attach_user_field(held, f, t.singles, layer);
  }
}

// What the entries do to boundaries, as 32 hexadecimal digits, whatever their order; "" of none.
inline std::string user_digest(const UserLayer& layer) {
  uint64_t sums[2] = {0, 0}, one[2];
  bool any = false;
  for (uint32_t id = 0; id < layer.n; ++id) {
    if (user_level(layer.flags[id]) == kNoEntry) continue;
    any = true;
    layer.identity(id, one);
    for (int k = 0; k < 2; ++k) sums[k] += one[k];
  }
  std::string out;
  if (any)
    for (const uint64_t sum : sums)
      for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[sum >> shift & 15];
  return out;
}

}  // namespace segmenter
