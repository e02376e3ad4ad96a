// An encoder (Vaswani et al. 2017; a BERT, Devlin et al. 2019) as a predictor, in integers, after I-BERT
// (Kim et al. 2021).
//
// What the numbers mean (recipes/compiled_encoder.py writes them, tests/reference/encoder.py is the
// readable form), q(b) being a fixed-point number of b fraction bits:
//
//   embedding z    int32: (token * its gain + 32 >> 6) + place; any unit, since it is normalised
//   normalised y   int16, q(10): z less its mean, divided by its standard deviation
//   stream h       int16: y * gain + bias >> shift; units of the file
//   input x        int8: the same with other gains: every input of a matrix has its own scale,
//                  for which the weights of the matrix compensate (Xiao et al. 2023)
//   weights        int8, a scale for every output; sums of products int32, exact
//   output         (sat(sum >> shift) * gain >> down, rounded) + bias
//   q, k, v        outputs of the first matrix, int16; q and k at most 4095
//   chance         2^(score - best score) in q(15), a cubic; divided by their sum, which is a shift
//                  before the product with v and a factor after it
//   GELU           a quintic times u^4; q(11)
//   score          int32: sums of h * out for B, M, E, relative to S
//
// Sums are exact and everything else is elementwise, so vector width, threads, and which texts are
// read together do not change the result.
//
// Texts are read in pieces, the clauses between marks; a piece longer than a window is read in
// overlapping windows that depend on this piece alone. Pieces up to kBatch characters are
// multiplied together, so that a row of weights is fetched once for all of them. Memory does not
// grow with the text, except for the scores.
//
// All sets of instructions read one layout, [64 outputs][4 inputs][64][4], as it lies in the file:
// AMX takes 16 outputs of 16 rows at once, AVX-512 VNNI 16 outputs, AVX-VNNI 8, SDOT 4; the others
// widen 8 bits to 16. Where inputs are unsigned, 128 more, sums begin 128 times the sum of the
// weights lower.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "encoder/instruction_set.hpp"
#include "lexicon/double_array.hpp"

namespace segmenter {
namespace encoder {

constexpr size_t kBatch = 128;  // rows that are multiplied together, if a window is not longer

struct Layer {
  Matrix heads, attended, wide, narrow;
  const uint8_t* shifts = nullptr;  // of the heads' scores
  Norm first, last;
  Scaled gelu;
};

// A compiled model: the contents of the artifact.
struct Model {
  const InstructionSet* instructions = nullptr;
  CharMap map;                          // rows of `tokens`
  const int8_t* tokens = nullptr;       // [n_tokens][width]
  const int16_t* token_gain = nullptr;  // [n_tokens]
  const int16_t* places = nullptr;      // [window + 1][width]
  const int16_t* beside = nullptr;      // [width]: of the standard, added to the token in front
  uint32_t n_tokens = 0, first = 0;     // `first`: the token in front
  uint32_t width = 0, window = 0, overlap = 0;  // window: characters, without the token in front
  Norm embedded;
  std::vector<Layer> layers;
  const int16_t* out = nullptr;  // [3][width]: relative to tag S
  std::vector<uint8_t> is_mark;  // between clauses, by ids of the linear tagger
  int32_t margin = 0;  // of the linear tagger, from which a piece is not read; 0: read all
  // by which a tag's score by the linear tagger is at most below the best one; 0: no bound
  int32_t floor = 0;
  int64_t unit = 0;                // a sum of the output layer times this >> 40 is a score
  int64_t linear = 0;              // a sum of the linear tagger times this >> 32 is a score
  int32_t bias[3] = {}, last = 0;  // scores of B, M, E relative to S, and of E at the end

  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // Sets Matrix::start; `flip`: InstructionSet::flip.
  static void begin(Matrix& m, int32_t flip) {
    m.start.assign(m.out, 0);
    if (!flip) return;
    const int8_t* w = m.weights;
    for (size_t panel = 0; panel < m.out; panel += kPanel)
      for (size_t k = 0; k < m.in; k += 4)
        for (size_t i = 0; i < kPanel; ++i, w += 4)
          m.start[panel + i] -= flip * (w[0] + w[1] + w[2] + w[3]);
  }
};

}  // namespace encoder
}  // namespace segmenter
