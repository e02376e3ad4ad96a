// One standard of a BiLSTM-CRF from the sections of a file, checked, over its linear tagger.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "bilstm/model.hpp"
#include "files/sections.hpp"
#include "lexicon/words.hpp"
#include "tagging/open.hpp"

namespace segmenter {

// What the metadata of a file say of a standard: the numbers of the standard and of its linear
// tagger in the sections, the factor of that tagger's scores, units per score, the marks between
// clauses, the margin of the linear tagger's cut that spares a clause (tagging/network.hpp).
struct NetworkSettings {
  int standard = 0, words = 0;
  double weight = 0, scale = 0, margin = 0;
  std::u32string marks;
};

// `b` has its instruction set; `m` becomes the tagger that runs it.
inline void open_network(const Sections& held, const NetworkSettings& of, const TaggerModel& linear,
                         bilstm::Model& b, TaggerModel& m) {
  using std::ptrdiff_t;
  using std::to_string;
  auto refuse = [](const std::string& why) { throw std::invalid_argument(why); };
  if (linear.tags != 4) refuse("the linear tagger must have four tags");
  m = linear;
  const Lexicon& lex = *m.lex;
  const Cells<int32_t> params = held.of<int32_t>("bilstm.params");
  if (params.n < 7) refuse("bilstm.params is too short");
  const ptrdiff_t hidden = params[0], layers = params[1], n_chars = params[5], tables = params[4],
                  n_keys = params[6];
  auto is_size = [](ptrdiff_t n) { return n > 0 && n <= 4096; };
  if (!is_size(hidden) || layers <= 0 || layers > 8 || !is_size(params[2]) || !is_size(params[3]) ||
      (tables != 0 && tables != bilstm::kLexiconSlots) || params.n != 7 + 2 * tables + 4 * layers)
    refuse("bilstm.params do not fit together");
  b.beyond = uint32_t(held.of<uint8_t>("charmap.classes").n);
  b.n_chars = uint32_t(n_chars);
  b.char_size = uint32_t(params[2]);
  b.pair_size = uint32_t(params[3]);
  b.tables = uint32_t(tables);
  const size_t n_blocks = open_map(held, b.map);
  b.rows = held.exactly<uint16_t>("bilstm.rows", ptrdiff_t(b.beyond) + 1);
  b.chars = held.exactly<int8_t>("bilstm.chars", n_chars * params[2]);
  const Cells<uint16_t> pilots = held.of<uint16_t>("bilstm.pilots");
  if (n_chars < 2 || n_keys < 1 || !are_pilots(pilots)) held.refuse();
  b.pairs.attach(pilots.data, size_t(pilots.n), uint32_t(n_keys));
  b.keys = held.exactly<uint32_t>("bilstm.keys", n_keys);
  b.bigrams = held.exactly<int8_t>("bilstm.bigrams", (n_keys + 1) * params[3]);
  const std::string of_words = "lexicon." + to_string(of.words),
                    of_standard = "standard." + to_string(of.standard);
  b.word_class = held.exactly<uint8_t>(of_words + ".words", lex.n_words);
  b.pair_class = held.exactly<uint8_t>(of_words + ".pairs", m.n_pairs);
  const int16_t* const curve = held.exactly<int16_t>("bilstm.sigmoid", 64);
  const int16_t* const bias = held.exactly<int16_t>(of_standard + ".bias", layers * 8 * hidden);
  const int16_t* const out = held.exactly<int16_t>(of_standard + ".out", 6 * hidden);
  const int32_t* const own = held.exactly<int32_t>(of_standard + ".params", 25);
  for (uint32_t i = 0; i <= b.beyond; ++i)
    if (b.rows[i] >= n_chars) refuse("bilstm.rows names a row that does not exist");
  check(map_fault(b.map, n_blocks, b.beyond));
  const std::vector<uint32_t> spelt = letters(lex);
  b.from_linear.assign(lex.trie.n_ids, bilstm::kNoId);
  for (size_t i = 0; i < std::min(spelt.size(), b.from_linear.size()); ++i)
    if (spelt[i]) b.from_linear[i] = b.map(spelt[i]) & kIdBits;
  if (!of.marks.empty()) {
    b.is_mark.assign(lex.trie.n_ids, 0);
    for (const char32_t mark : of.marks)
      if (const uint32_t id = lex.map(uint32_t(mark)) & kIdBits) b.is_mark[id] = 1;
  }
  int most = 0;
  for (uint32_t i = 0; i < lex.n_words; ++i) most = std::max<int>(most, b.word_class[i]);
  for (uint32_t i = 0; i < m.n_pairs; ++i) most = std::max<int>(most, b.pair_class[i]);
  const Cells<int8_t> lexicon = held.of<int8_t>("bilstm.lexicon");
  ptrdiff_t at = 0;
  for (ptrdiff_t i = 0; i < tables; ++i) {
    const int32_t rows = params[7 + 2 * i], size = params[8 + 2 * i];
    if (rows <= most || !is_size(size)) refuse("bilstm.lexicon: a table is too small");
    b.table_rows[i] = uint32_t(rows);
    b.table_size[i] = uint32_t(size);
    if (ptrdiff_t(rows) * size > lexicon.n - at) refuse("bilstm.lexicon is too short");
    b.lexicon[i] = lexicon.data + at;
    at += ptrdiff_t(rows) * size;
  }
  if (at != lexicon.n) refuse("bilstm.lexicon is too long");
  b.set_curve(curve, curve + 32);
  b.set_shape(uint32_t(hidden), uint32_t(layers));
  ptrdiff_t inputs = b.inputs;
  const int32_t* shift = params.data + 7 + 2 * tables;
  for (uint32_t i = 0; i < uint32_t(layers); ++i, inputs = 2 * hidden)
    for (int d = 0; d < 2; ++d) {
      for (const bool recurrent : {false, true}) {
        const std::string place = to_string(i) + to_string(d), name = recurrent ? "hh." : "ih.";
        const Cells<int8_t> weights = held.of<int8_t>("bilstm." + name + place);
        const Cells<int16_t> gains = held.of<int16_t>("bilstm.gain." + name + place);
        if (weights.n != 4 * hidden * (recurrent ? hidden : inputs) || gains.n != 4 * hidden ||
            *shift < 0 || *shift > 31)
          refuse("bilstm." + name + place + " has the wrong size");
        b.set_gates(i, d, recurrent, weights.data, gains.data, *shift++);
      }
      b.set_bias(i, d, bias + (2 * ptrdiff_t(i) + d) * 4 * hidden);
    }
  b.set_out(out);
  // scores, in units of 1/scale; transitions and ends come from the BiLSTM only
  b.unit = own[0];
  for (int i = 0; i < 3; ++i) {
    int64_t size = 0;
    for (ptrdiff_t n = 0; n < 2 * hidden; ++n) size += std::abs(int(out[i * 2 * hidden + n]));
    if (size > 65535)  // times states of 15 bits: sums fit 32 bits
      refuse(of_standard + ".out: the weights are too large in sum");
  }
  const double factor = std::nearbyint(of.weight * of.scale / linear.scale * 4294967296.0);
  if (!(of.scale > 0 && factor >= 0 && factor < 70368744177664.0))  // 2**46: sums fit 64 bits
    refuse("the weight of the linear tagger is out of range");
  for (int i = 1; i < 25; ++i)
    if (own[i] < -kMostScore || own[i] > kMostScore)
      refuse(of_standard + ".params: scores out of range");
  b.linear = int64_t(factor);
  if (!(of.margin * of.scale >= 0 && of.margin * of.scale <= kMostScore))
    refuse("`margin` is out of range");
  b.margin = int32_t(std::nearbyint(of.margin * of.scale));
  std::memcpy(b.bias, own + 1, sizeof b.bias);
  std::memcpy(m.start, own + 4, 4 * sizeof *own);
  b.last = own[8];
  std::memcpy(m.trans, own + 9, 16 * sizeof *own);
  m.bilstm = &b;
  m.scale = of.scale;
}

}  // namespace segmenter
