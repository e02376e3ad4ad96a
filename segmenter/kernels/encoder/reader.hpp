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

// What is read at once, [start, end), and whose scores count, [from, to).
struct Window {
  uint32_t start, end, from, to;
};

// Calls put(window) for the windows of a piece: they begin at multiples of window - overlap, and half
// of what two of them share belongs to either.
template <class Put>
void windows(const Model& m, const Piece& piece, const Put& put) {
  const uint32_t step = m.window - m.overlap;
  for (uint32_t start = piece.start;; start += step) {
    const bool last = piece.end - start <= m.window;
    const uint32_t end = last ? piece.end : start + m.window;
    put(Window{start, end, start == piece.start ? start : start + m.overlap / 2,
               last ? end : start + step + m.overlap / 2});
    if (last) return;
  }
}

// Reads the pieces of one text. A Reader serves one call at a time.
class Reader {
 public:
  std::vector<int32_t> scores;               // [n][4]: sums of the output layer for B, M, E
  uint64_t steps() const { return steps_; }  // rows of the last run

  // `tokens`: of every character of the text, rows of the model.
  void run(const Model& m, const std::vector<uint16_t>& tokens, const std::vector<Piece>& pieces) {
    scores.assign(tokens.size() * 4, 0);
    steps_ = 0;
    if (pieces.empty()) return;
    reserve(m);
    const size_t most = std::max(kBatch, size_t(m.window) + 1);
    batch_.clear();
    size_t n = 0;
    for (const Piece& piece : pieces)
      windows(m, piece, [&](const Window& window) {
        const size_t more = window.end - window.start + 1;
        if (n + more > most) {
          read(m, tokens, n);
          n = 0;
        }
        batch_.push_back(window);
        n += more;
      });
    read(m, tokens, n);
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
    size_t all = 64;
    for (const size_t size : sizes) all += (size + 127) / 64 * 64;
    if (memory_.size() < all / 8) memory_.assign(all / 8, 0);
    uintptr_t at = (reinterpret_cast<uintptr_t>(memory_.data()) + 63) / 64 * 64;
    void* found[6];
    for (size_t i = 0; i < 6; ++i) {
      found[i] = reinterpret_cast<void*>(at);
      at += (sizes[i] + 63) / 64 * 64;
    }
    rows_.x = found[0];
    rows_.wide = found[1];
    rows_.stream = static_cast<int16_t*>(found[2]);
    rows_.heads = static_cast<int16_t*>(found[3]);
    rows_.sums = static_cast<int32_t*>(found[4]);
    scratch_ = static_cast<int16_t*>(found[5]);
  }

  void read(const Model& m, const std::vector<uint16_t>& tokens, size_t n) {
    if (!n) return;
    const InstructionSet& does = *m.instructions;
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
    does.normalise(m.embedded, width, rows_, false);
    for (size_t k = 0; k < m.layers.size(); ++k) {
      const Layer& layer = m.layers[k];
      does.project(layer.heads, rows_);
      size_t from = 0;
      for (const Window& window : batch_) {
        const size_t to = from + (window.end - window.start) + 1;
        does.attend(width, layer.shifts, rows_, from, to, scratch_);
        from = to;
      }
      does.add(layer.attended, rows_);
      does.normalise(layer.first, width, rows_, false);
      does.widen(layer.wide, layer.gelu, rows_);
      does.narrow(layer.narrow, rows_);
      does.normalise(layer.last, width, rows_, k + 1 == m.layers.size());
      Interrupt::look(n);
    }
    row = 0;
    for (const Window& window : batch_) {
      for (uint32_t j = window.from; j < window.to; ++j)
        does.score(m.out, rows_, row + 1 + (j - window.start), width,
                   scores.data() + size_t(j) * 4);
      row += window.end - window.start + 1;
    }
    batch_.clear();
  }

  // Writes the embedding of a token at a place of its window.
  void embed(const Model& m, uint32_t token, size_t place, size_t row) {
    const size_t width = m.width;
    const int8_t* const from = m.tokens + size_t(token) * width;
    const int16_t* const at = m.places + place * width;
    const int32_t gain = m.token_gain[token];
    int32_t* const to = rows_.sums + row * width;
    for (size_t i = 0; i < width; ++i) to[i] = ((from[i] * gain + 32) >> 6) + at[i];
  }
};

}  // namespace encoder
}  // namespace segmenter
