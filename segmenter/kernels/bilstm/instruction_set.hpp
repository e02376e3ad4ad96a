// The interface between the network and a set of instructions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace segmenter {
namespace bilstm {

// Weights of the four gates, packed for a set of instructions: rows are [block][gate][unit], in
// tiles of InstructionSet::tile rows; weights are [tile][Gates::depth /
// InstructionSet::depth][row][InstructionSet::depth].
struct Gates {
  const void* packed = nullptr;
  // [row]: initial sums, in the order of the sums (InstructionSet::place)
  const int32_t* start = nullptr;
  const int16_t* gain = nullptr;  // [row]
  uint32_t blocks = 0, depth = 0, shift = 0;
};

// A product of weights with columns of inputs; a stride is the distance between columns, 0 if all
// columns share one.
struct Product {
  const int32_t* const* start;  // initial sums of each column
  const void* x;
  size_t x_stride;
  const int16_t* add;  // added to the narrowed sums; may be z
  size_t add_stride;
  uint32_t columns;
  int16_t* z;
  size_t z_stride;
};

struct Curve {
  // read by unaligned loads: Python objects are aligned to 16 bytes, on some machines to 8
  int16_t height[32];
  int16_t slope[32];
  uint8_t bytes[2][2][2][16];  // for byte shuffles: height or slope, low or high byte, half
};

// States of the clauses read together; [column][stride].
struct State {
  int16_t* c;
  int16_t* h;
  void* inputs;  // recurrent inputs of the next step
  size_t stride;
};

struct InstructionSet {
  const char* name;
  uint32_t units;  // hidden units per block
  uint32_t depth;  // inputs are padded to a multiple of this
  uint32_t tile;   // rows per tile
  bool bytes;      // inputs are bytes; else int16
  uint8_t flip;    // xor-ed with input bytes: 128 where they are unsigned (128 more)
  bool rows;       // adding rows of products is faster than multiplying characters and numbers
  void (*products)(const Gates&, const Product&);
  void (*sums)(const int32_t* const* rows, uint32_t n, size_t width, int32_t* out);
  void (*states)(const Curve&, const State&, uint32_t columns, const int16_t* z);
  void (*scores)(const int16_t* out, const int16_t* h, size_t hidden, int32_t* scores);
  uint32_t (*place)(uint32_t unit);  // its place among the sums of a block's gate
};

// The sets of instructions that this processor has, slowest first (instruction_sets.cpp).
std::vector<const InstructionSet*> instruction_sets();

}  // namespace bilstm
}  // namespace segmenter
