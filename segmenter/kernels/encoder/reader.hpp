// Runs the encoder over the pieces of a text, many at a time.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "encoder/model.hpp"
#include "interrupt.hpp"

namespace segmenter {
namespace encoder {

// A part of a text that is read separately.
struct Piece {
  uint32_t start, end;
};

// Characters that are read together, [start, end), and those whose scores are used, [scored_begin,
// scored_end).
struct Window {
  uint32_t start, end, scored_begin, scored_end;
};

// Calls visit(window) for the windows of a piece. They begin at multiples of window - overlap; of
// the characters that two windows share, each scores half.
template <class Put>
void windows(const Model& m, const Piece& piece, const Put& visit) {
  const uint32_t step = m.window - m.overlap;
  for (uint32_t start = piece.start;; start += step) {
    const bool last = piece.end - start <= m.window;
    const uint32_t end = last ? piece.end : start + m.window;
    visit(Window{start, end, start == piece.start ? start : start + m.overlap / 2,
                 last ? end : start + step + m.overlap / 2});
    if (last) return;
  }
}

// Reads the pieces of one text. A Reader serves one call at a time.
class Reader {
 public:
  std::vector<int32_t> scores;               // [n][4]: sums of the output layer for B, M, E
  uint64_t steps() const { return steps_; }  // rows of the last run

  // `tokens`: for every character of the text its row in Model::tokens.
  void run(const Model& m, const std::vector<uint16_t>& tokens, const std::vector<Piece>& pieces) {
    scores.assign(tokens.size() * 4, 0);
    steps_ = 0;
    if (pieces.empty()) return;
    reserve(m);
    const size_t capacity = std::max(kBatch, size_t(m.window) + 1);
    batch_.clear();
    size_t n = 0;
    for (const Piece& piece : pieces)
      windows(m, piece, [&](const Window& window) {
        const size_t n_rows = window.end - window.start + 1;
        if (n + n_rows > capacity) {
          read_batch(m, tokens, n);
          n = 0;
        }
        batch_.push_back(window);
        n += n_rows;
      });
    read_batch(m, tokens, n);
  }

 private:
  uint64_t steps_ = 0;
  std::vector<Window> batch_;
  std::vector<uint64_t> memory_;
  Rows rows_;
  int16_t* scratch_ = nullptr;

  void reserve(const Model& m) {
    const size_t n = std::max(kBatch, size_t(m.window) + 1) + kRoom, width = m.width;
    size_t wide = width;
    for (const Layer& layer : m.layers) wide = std::max<size_t>(wide, layer.wide.out);
    const size_t sizes[] = {n * width * m.instructions->input,
                            n * wide * m.instructions->input,
                            n * width * 2,
                            n * width * 6,
                            n * width * 4,
                            scratch_of(n) * 2};
    size_t n_bytes = 64;
    for (const size_t size : sizes) n_bytes += (size + 127) / 64 * 64;
    if (memory_.size() < n_bytes / 8) memory_.assign(n_bytes / 8, 0);
    uintptr_t address = (reinterpret_cast<uintptr_t>(memory_.data()) + 63) / 64 * 64;
    void* columns[6];
    for (size_t i = 0; i < 6; ++i) {
      columns[i] = reinterpret_cast<void*>(address);
      address += (sizes[i] + 63) / 64 * 64;
    }
    rows_.x = columns[0];
    rows_.wide = columns[1];
    rows_.stream = static_cast<int16_t*>(columns[2]);
    rows_.heads = static_cast<int16_t*>(columns[3]);
    rows_.sums = static_cast<int32_t*>(columns[4]);
    scratch_ = static_cast<int16_t*>(columns[5]);
  }

  void read_batch(const Model& m, const std::vector<uint16_t>& tokens, size_t n) {
    if (!n) return;
    const InstructionSet& kernels = *m.instructions;
    const size_t width = m.width;
    rows_.n = n;
    steps_ += n;
    size_t row = 0;
    for (const Window& window : batch_) {
      embed(m, m.first, 0, row);
      int32_t* const front = rows_.sums + row * width;
      for (size_t i = 0; i < width; ++i) front[i] += m.beside[i];
      ++row;
      for (uint32_t j = window.start; j < window.end; ++j, ++row)
        embed(m, tokens[j], j - window.start + 1, row);
    }
    kernels.normalise(m.embedded, width, rows_, false);
    for (size_t k = 0; k < m.layers.size(); ++k) {
      const Layer& layer = m.layers[k];
      kernels.project(layer.heads, rows_);
      size_t begin = 0;
      for (const Window& window : batch_) {
        const size_t end = begin + (window.end - window.start) + 1;
        kernels.attend(width, layer.shifts, rows_, begin, end, scratch_);
        begin = end;
      }
      kernels.add(layer.attended, rows_);
      kernels.normalise(layer.first, width, rows_, false);
      kernels.widen(layer.wide, layer.gelu, rows_);
      kernels.narrow(layer.narrow, rows_);
      kernels.normalise(layer.last, width, rows_, k + 1 == m.layers.size());
      Interrupt::poll(n);
    }
    row = 0;
    for (const Window& window : batch_) {
      for (uint32_t j = window.scored_begin; j < window.scored_end; ++j)
        kernels.score(m.out, rows_, row + 1 + (j - window.start), width,
                      scores.data() + size_t(j) * 4);
      row += window.end - window.start + 1;
    }
    batch_.clear();
  }

  // Writes the embedding of a token at a place of its window.
  void embed(const Model& m, uint32_t token, size_t place, size_t row) {
    const size_t width = m.width;
    const int8_t* const token_row = m.tokens + size_t(token) * width;
    const int16_t* const place_row = m.places + place * width;
    const int32_t gain = m.token_gain[token];
    int32_t* const out = rows_.sums + row * width;
    for (size_t i = 0; i < width; ++i) out[i] = ((token_row[i] * gain + 32) >> 6) + place_row[i];
  }
};

}  // namespace encoder
}  // namespace segmenter
