// The interface between the encoder and a set of instructions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace segmenter {
namespace encoder {

constexpr size_t kPanel = 64;      // outputs whose weights lie side by side
constexpr size_t kHead = 64;       // values of a head of attention
constexpr size_t kMostRows = 512;  // characters of a window, with the token in front
constexpr size_t kRoom = 16;       // rows that may be read past the last one

// A matrix and what follows it: [out / 64][in / 4][64][4] weights of 8 bits; see model.hpp.
struct Matrix {
  const int8_t* weights = nullptr;
  std::vector<int32_t> start;                      // [out]: of the sums
  const int16_t* gain = nullptr;                   // [out]
  const int32_t* bias = nullptr;                   // [out]
  uint32_t in = 0, out = 0, shift = 0, down = 15;  // of the sums, of their products with gains
};

// A vector of the normalised values as one of other units: (value * gain + bias) >> shift.
struct Scaled {
  const int16_t* gain = nullptr;
  const int32_t* bias = nullptr;
  uint32_t shift = 0;
};

// A normalisation; its values go to the residual stream and to the next matrix.
struct Norm {
  Scaled stream, input;
  int64_t least = 0;  // added to the variance
};

// Working memory, [row][...] each, with kRoom rows past the last one.
struct Rows {
  size_t n = 0;
  void* x = nullptr;          // inputs of a matrix, InstructionSet::input bytes each
  void* wide = nullptr;       // inputs of the matrix that narrows
  int16_t* stream = nullptr;  // the residual stream
  int16_t* heads = nullptr;   // queries, keys, values
  int32_t* sums = nullptr;    // values to be normalised
};

struct InstructionSet {
  const char* name;
  size_t input;  // bytes of a matrix's input
  int32_t flip;  // added to inputs: 128 where they are unsigned
  void (*normalise)(const Norm&, size_t width, const Rows&, bool last);
  void (*project)(const Matrix&, const Rows&);  // x to heads
  // heads to x, for the rows [from, to) of one window
  void (*attend)(size_t width, const uint8_t* shifts, const Rows&, size_t begin, size_t end,
                 int16_t* scratch);
  void (*add)(const Matrix&, const Rows&);                   // x to sums, plus the stream
  void (*widen)(const Matrix&, const Scaled&, const Rows&);  // x to wide, by GELU
  void (*narrow)(const Matrix&, const Rows&);                // wide to sums, plus the stream
  void (*score)(const int16_t* out, const Rows&, size_t row, size_t width, int32_t* scores);
};

// The sets of instructions that this processor has, slowest first (instruction_sets.cpp).
std::vector<const InstructionSet*> instruction_sets();

// Values of 16 bits that attend() needs for a window of so many rows.
constexpr size_t scratch_of(size_t rows) {
  return (rows + kPanel) * kHead * 2 + 8 * 3 * (rows + kPanel) + 8 * kPanel * 2 + 64;
}

}  // namespace encoder
}  // namespace segmenter
