// A bidirectional LSTM over characters as a predictor, in integers.
//
// What the numbers mean (segmenter/train/tagging/bilstm_crf writes them, tests/reference/bilstm.py
// is the readable form), q(b) being a fixed-point number of b fraction bits:
//
//   input x        int8: embeddings of the character, of the pairs before and after it, of ten
//                  numbers from the lexicon; in a further layer the states of the layer below
//   weights        int8; sums of products int32, exact
//   gate input z   int16, q(10): sat(round(sat(sum_x >> shift_x) * gain_x >> 15) + bias), and to it
//                  the same of the recurrent sum, saturating; rows of the gate g are twice as large
//   sigmoid        u(z) = sigmoid(z) - 1/2, odd, int16 q(15), 32 straight pieces from 0 to 8
//   i, f, o        u(z) + 1/2; g = 2 u(z), the hyperbolic tangent of half of z
//   cell c         int16, q(11): sat(round(f * c) + (round(i * g) + 8 >> 4))
//   state h        int16, q(15): round(o * 2 u(c)), c read as q(10), which is twice the cell
//   recurrent h    int8: sat(h + 128) >> 8
//   score          int32: sums of h * out, both directions
//
// round(a * b) is (a * b + 2^14) >> 15. Sums are exact integers and everything else is elementwise,
// so vector width, threads, and which clauses are read together do not change the result.
//
// Up to kSlots clauses are read in lockstep: a recurrent step is then a product of two matrices,
// which uses each weight it fetches for all of them. A clause that ends frees its slot for the
// next; the longest begin first. Inputs of kBlock positions are multiplied in advance, so memory
// does not grow with the text, except for the scores (and for the states of a layer below another).
//
// AVX-512 VNNI multiplies all inputs. The other sets multiply only the pairs: the contribution of a
// character, or of a value of one of the ten numbers, is a row of sums that is computed when it is first
// needed and then kept (RowSums). The rows of all characters take 42 MB.
//
// All instruction sets give the same sums: by pairs of int16 (SSE2's pmaddwd and wider), one int16
// (NEON), or four int8 at a time (SDOT; vpdpbusd of AVX-VNNI and AVX-512 VNNI, whose inputs are
// unsigned, 128 more, and whose sums begin 128 times the sum of the weights lower).
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "bilstm/instruction_set.hpp"
#include "lexicon/double_array.hpp"
#include "pair_hash.hpp"

namespace segmenter {
namespace bilstm {

constexpr uint16_t kNoId = 0xFFFF;
constexpr uint32_t kLexiconSlots = 10;
constexpr uint32_t kSlots = 12;                    // clauses read in lockstep
constexpr uint32_t kBlock = 48;                    // positions whose inputs are multiplied together
constexpr uint32_t kMostRows = 1 + kLexiconSlots;  // rows that one position's sums begin with
constexpr size_t kRoom = 64;  // bytes that vectors may read and write past the last value

// What the rows of an embedding add to the gates of layer 0: products with the weights, computed
// when a row is first needed, and kept. Sums are exact, so it does not matter where they are
// computed. If two threads compute the same row at once, one copy is kept.
class RowSums {
 public:
  RowSums() = default;
  RowSums(const RowSums&) = delete;
  RowSums& operator=(const RowSums&) = delete;
  ~RowSums() {
    for (auto& row : rows_) delete[] row.load();
  }
  void set_size(size_t rows, size_t width) {
    rows_ = std::vector<std::atomic<int32_t*>>(rows);
    width_ = width;
  }
  // `weights`: [size][width]. Sums begin with `start` (null: 0); values count from `zero` (null:
  // 0).
  const int32_t* operator()(size_t row, const int8_t* values, const int8_t* zero, size_t size,
                            const int16_t* weights, const int32_t* const start[2]) const {
    std::atomic<int32_t*>& slot = rows_[row];
    int32_t* existing = slot.load(std::memory_order_acquire);
    if (existing) return aligned(existing);
    std::unique_ptr<int32_t[]> memory(new int32_t[width_ + kRoom / 4]());
    int32_t* const sums = aligned(memory.get());
    if (start)
      for (size_t d = 0; d < 2; ++d) std::copy_n(start[d], width_ / 2, sums + d * (width_ / 2));
    for (size_t i = 0; i < size; ++i) {
      const int32_t x = int32_t(values[i]) - (zero ? zero[i] : 0);
      const int16_t* const w = weights + i * width_;
      for (size_t k = 0; k < width_; ++k) sums[k] += x * w[k];
    }
    if (!slot.compare_exchange_strong(existing, memory.get(), std::memory_order_acq_rel))
      return aligned(existing);
    memory.release();
    return sums;
  }

 private:
  static int32_t* aligned(int32_t* p) {
    return reinterpret_cast<int32_t*>((reinterpret_cast<uintptr_t>(p) + kRoom - 1) / kRoom * kRoom);
  }
  mutable std::vector<std::atomic<int32_t*>> rows_;
  size_t width_ = 0;
};

// A compiled model: the contents of the artifact, with the weights packed for some instructions.
struct Model {
  const InstructionSet* instructions = nullptr;
  CharMap map;
  std::vector<uint16_t> from_linear;  // of the linear tagger's characters; kNoId for ids of a class
  std::vector<uint8_t> is_mark;  // marks between clauses, by ids of the linear tagger; may be empty
  int32_t margin = 0;  // of the linear tagger, from which a clause is not read; 0: read all
  const uint16_t* rows = nullptr;  // [n_ids + 1]; the last: outside the text
  const int8_t* chars = nullptr;   // [n_chars][char_size]
  PairHash pairs;
  const uint32_t* keys = nullptr;   // [pairs.n] first << 16 | second
  const int8_t* bigrams = nullptr;  // [pairs.n + 1][pair_size]; the last: unknown
  const int8_t* lexicon[kLexiconSlots] = {};
  uint32_t table_rows[kLexiconSlots] = {}, table_size[kLexiconSlots] = {};
  // by number of the linear tagger's words: 1 + class, 0: none
  const uint8_t* word_class = nullptr;
  const uint8_t* pair_class = nullptr;  // by place of its pairs
  std::vector<uint8_t> made[2];         // storage of both if they are converted
  uint32_t beyond = 0, n_chars = 0, char_size = 0, pair_size = 0, tables = 0, hidden = 0,
           layers = 0, inputs = 0;
  uint32_t stride = 0;  // hidden units, padded to whole blocks
  Curve curve;
  // Where adding rows is faster than multiplying, only the pairs of layer 0's inputs are multiplied
  // for each text: characters and the lexicon's numbers are few enough for their products to be kept.
  struct Layer {
    Gates in[2], recurrent[2];     // of the inputs, of the states; forward, backward
    std::vector<int16_t> bias[2];  // packed like the gains
    uint32_t inputs = 0;           // inputs that are multiplied; the same padded
    size_t stride = 0;
  };
  RowSums row_sums;  // of characters, begun with the layer's start; then of the lexicon's
                     // tables, less what their rows 0 add; [2][4 * stride], a direction each
  // [size][2][4 * stride]: their weights, in the order of the sums
  std::vector<int16_t> row_weights[kLexiconSlots + 1];
  uint32_t first_row[kLexiconSlots + 1] = {};
  std::vector<Layer> layer;
  std::vector<int16_t> out[2];     // [3][stride]: relative to tag S
  int64_t unit = 0;                // a sum of the output layer times this >> 40 is a score
  int64_t linear = 0;              // a sum of the linear tagger times this >> 32 is a score
  int32_t bias[3] = {}, last = 0;  // scores of B, M, E relative to S, and of E at the end

  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  void set_shape(uint32_t hidden_, uint32_t layers_) {
    hidden = hidden_;
    layers = layers_;
    stride = (hidden + instructions->units - 1) / instructions->units * instructions->units;
    inputs = char_size + 2 * pair_size;
    for (uint32_t j = 0; j < tables; ++j) inputs += table_size[j];
    if (instructions->rows) set_row_sums();
    layer.resize(layers);
    for (uint32_t k = 0; k < layers; ++k) {
      layer[k].inputs = k ? 2 * hidden : instructions->rows ? 2 * pair_size : inputs;
      layer[k].stride =
          (layer[k].inputs + instructions->depth - 1) / instructions->depth * instructions->depth;
    }
  }

  // Packs weights of the artifact, [4 * hidden][inputs], gates one after another. `recurrent`:
  // those of the states, otherwise those of the inputs.
  void set_gates(uint32_t k, int direction, bool recurrent, const int8_t* weights,
                 const int16_t* gains, int32_t shift) {
    Layer& layer_k = layer[k];
    Gates& g = recurrent ? layer_k.recurrent[direction] : layer_k.in[direction];
    const uint32_t n_inputs = recurrent ? hidden
                              : k       ? layer_k.inputs
                                        : inputs,
                   depth = instructions->depth, units = instructions->units;
    // the inputs that are multiplied for each text
    const bool splits_rows = instructions->rows && !recurrent && !k;
    const uint32_t first = splits_rows ? char_size : 0, count = recurrent ? hidden : layer_k.inputs;
    // states are stored padded to whole blocks
    g.depth = uint32_t(recurrent ? (hidden + depth - 1) / depth * depth : layer_k.stride);
    g.blocks = stride / units;
    g.shift = uint32_t(shift);
    const size_t n_rows = size_t(stride) * 4, n = n_rows * g.depth, tile = instructions->tile;
    int8_t* bytes = instructions->bytes ? allocate<int8_t>(n) : nullptr;
    int16_t* shorts = instructions->bytes ? nullptr : allocate<int16_t>(n);
    int32_t* start = allocate<int32_t>(n_rows);
    int16_t* gain = allocate<int16_t>(n_rows);
    for (uint32_t unit = 0; unit < hidden; ++unit)
      for (uint32_t gate = 0; gate < 4; ++gate) {
        const int8_t* const w = weights + size_t(gate * hidden + unit) * n_inputs;
        const size_t group = (size_t(unit / units) * 4 + gate) * units,
                     row = group + instructions->place(unit % units);
        gain[group + unit % units] = gains[gate * hidden + unit];
        int32_t sum = 0;
        for (uint32_t i = 0; i < count; ++i) {
          const size_t index =
              row / tile * tile * g.depth + (i / depth * tile + row % tile) * depth + i % depth;
          if (bytes) bytes[index] = w[first + i];
          else shorts[index] = w[first + i];
          sum += w[first + i];
        }
        start[row] = -int32_t(instructions->flip) * sum;
        if (!splits_rows) continue;
        for (uint32_t i = 0; i < char_size; ++i)
          row_weights[0][(i * 2 + size_t(direction)) * n_rows + row] = w[i];
        const int8_t* table_weights = w + char_size + layer_k.inputs;
        for (uint32_t j = 0; j < tables; ++j)
          for (uint32_t i = 0; i < table_size[j]; ++i, ++table_weights) {
            row_weights[j + 1][(i * 2 + size_t(direction)) * n_rows + row] = *table_weights;
            start[row] += *table_weights * lexicon[j][i];
          }
      }
    g.packed = bytes ? static_cast<const void*>(bytes) : shorts;
    g.start = start;
    g.gain = gain;
  }

  // Biases of one direction, [4 * hidden].
  void set_bias(uint32_t k, int direction, const int16_t* values) {
    std::vector<int16_t>& packed = layer[k].bias[direction];
    packed.assign(size_t(stride) * 4 + kRoom / 2, 0);
    const uint32_t units = instructions->units;
    for (uint32_t unit = 0; unit < hidden; ++unit)
      for (uint32_t gate = 0; gate < 4; ++gate)
        packed[(size_t(unit / units) * 4 + gate) * units + unit % units] =
            values[gate * hidden + unit];
  }

  void set_out(const int16_t* values) {  // [3][2 * hidden]
    for (int d = 0; d < 2; ++d) {
      out[d].assign(size_t(stride) * 3 + kRoom / 2, 0);
      for (uint32_t t = 0; t < 3; ++t)
        std::copy_n(values + (2 * t + uint32_t(d)) * hidden, hidden,
                    out[d].data() + size_t(t) * stride);
    }
  }

  void set_curve(const int16_t* height, const int16_t* slope) {
    const int16_t* columns[2] = {height, slope};
    std::copy_n(height, 32, curve.height);
    std::copy_n(slope, 32, curve.slope);
    for (int column = 0; column < 2; ++column)
      for (int k = 0; k < 32; ++k) {
        curve.bytes[column][0][k / 16][k % 16] = uint8_t(columns[column][k]);
        curve.bytes[column][1][k / 16][k % 16] = uint8_t(uint16_t(columns[column][k]) >> 8);
      }
  }

  // What the character of a row, or value v of the lexicon's number j, adds to the gates.
  const int32_t* sums_of_char(uint32_t row) const {
    const int32_t* const start[2] = {layer[0].in[0].start, layer[0].in[1].start};
    return row_sums(row, chars + size_t(row) * char_size, nullptr, char_size, row_weights[0].data(),
                    start);
  }
  const int32_t* sums_of_number(uint32_t j, uint32_t v) const {
    return row_sums(first_row[j + 1] + v, lexicon[j] + size_t(v) * table_size[j], lexicon[j],
                    table_size[j], row_weights[j + 1].data(), nullptr);
  }

  // The row of a pair in bigrams.
  uint32_t pair_row(uint32_t first, uint32_t second) const {
    const uint32_t row = pairs(first, second);
    return keys[row] == (first << 16 | second) ? row : pairs.n;
  }

 private:
  void set_row_sums() {
    row_weights[0].assign(size_t(char_size) * 8 * stride, 0);
    uint32_t n_rows = n_chars;
    for (uint32_t j = 0; j < tables; ++j) {
      row_weights[j + 1].assign(size_t(table_size[j]) * 8 * stride, 0);
      first_row[j + 1] = n_rows;
      n_rows += table_rows[j];
    }
    row_sums.set_size(n_rows, size_t(stride) * 8);
  }

  std::vector<std::vector<uint64_t>> buffers_;
  template <class T>
  T* allocate(size_t n) {  // zeros, aligned to 64 bytes
    buffers_.emplace_back((n * sizeof(T) + 2 * kRoom) / 8);
    const uintptr_t address = reinterpret_cast<uintptr_t>(buffers_.back().data());
    return reinterpret_cast<T*>((address + 63) / 64 * 64);
  }
};

}  // namespace bilstm
}  // namespace segmenter
