// Runs the network over the stretches of a text, up to twelve in lockstep.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "bilstm/model.hpp"
#include "interrupt.hpp"

namespace segmenter {
namespace bilstm {

// A stretch of text that is read separately.
struct Stretch {
  uint32_t start, end;
};

// A text as the network reads it.
struct Inputs {
  std::vector<uint16_t> ids;      // [n] in the model's map
  std::vector<uint16_t> numbers;  // [n][kLexiconSlots]; only the low byte counts

  // Adds a word of the lexicon that begins at j (SLOTS in segmenter/train/tagging/bilstm_crf); of
  // several in one slot the longest is kept.
  void add_word(uint32_t j, uint32_t len, uint8_t cls) {
    if (!cls) return;
    const uint32_t kind = std::min(len, 5u) - 2;
    const uint16_t value = uint16_t(std::min(len, 7u) << 8 | cls);
    auto set = [&](uint32_t position, uint32_t slot) {
      uint16_t& v = numbers[size_t(position) * kLexiconSlots + slot];
      v = std::max(v, value);
    };
    set(j, kind);
    set(j + len - 1, 4 + kind);
    for (uint32_t k = 1; k + 1 < len; ++k) set(j + k, len == 3 ? 8 : 9);
  }
};

// Reads the stretches of one text. A Reader serves one call at a time.
class Reader {
 public:
  std::vector<int32_t> scores;               // [n][4]: sums of the output layer for B, M, E
  uint64_t steps() const { return steps_; }  // states computed in the last run

  void run(const Model& m, const Inputs& inputs, std::vector<Stretch> stretches) {
    const size_t n = inputs.ids.size();
    m_ = &m;
    inputs_ = &inputs;
    steps_ = 0;
    scores.assign(n * 4, 0);
    if (stretches.empty()) return;
    // longest first, so that the last slots become empty at about the same time
    std::stable_sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) {
      return a.end - a.start > b.end - b.start;
    });
    const size_t stride = m.stride + kRoom, bytes = input_bytes() * (m.stride + kRoom);
    c_.assign(kSlots * stride, 0);
    h_.assign(kSlots * stride, 0);
    for (auto& r : recurrent_) r.assign(kSlots * bytes, 0);
    z_.resize(size_t(kBlock) * m.stride * 4 + kRoom);
    if (m.instructions->rows) start_.resize(size_t(kBlock) * m.stride * 4 + kRoom);
    find_pairs(stretches);
    for (uint32_t k = 0; k < m.layers; ++k) {
      const bool last = k + 1 == m.layers;
      below_.swap(above_);
      if (!last) above_.assign(n * 2 * m.hidden, 0);
      for (int d = 0; d < 2; ++d) read(k, d, last, stretches);
    }
  }

 private:
  const Model* m_ = nullptr;  // of the run
  const Inputs* inputs_ = nullptr;
  uint64_t steps_ = 0;
  std::vector<int16_t> c_, h_, z_;
  std::vector<int32_t> start_;          // initial sums of a block's positions to which words add
  std::vector<const int32_t*> starts_;  // pointers to initial sums
  // rows of the pairs before each position and after a stretch's last
  std::vector<uint32_t> pairs_;
  std::vector<uint8_t> recurrent_[2], x_;
  std::vector<int8_t> below_, above_;  // states of a layer below another, [n][2 * hidden]
  struct Slot {
    uint32_t position = 0, n_left = 0;  // next position; positions left
    uint32_t start = 0, end = 0;
  };
  struct Place {
    uint32_t position;
    bool begins;
  };
  std::vector<Place> places_;
  static constexpr uint32_t kNowhere = ~uint32_t(0);

  size_t input_bytes() const { return m_->instructions->bytes ? 1 : 2; }

  void read(uint32_t k, int direction, bool last, const std::vector<Stretch>& stretches) {
    const Model& m = *m_;
    const InstructionSet& kernels = *m.instructions;
    const Model::Layer& layer = m.layer[k];
    const size_t x_bytes = input_bytes(), x_stride = layer.stride, z_stride = size_t(m.stride) * 4;
    x_.resize(kBlock * x_stride * x_bytes + kRoom);
    const Gates& recurrent = layer.recurrent[direction];
    const std::vector<const int32_t*> recurrent_starts(kSlots, recurrent.start);
    starts_.assign(kBlock, layer.in[direction].start);
    Slot slots[kSlots];
    uint32_t active = 0;
    size_t next_stretch = 0;
    auto fill = [&](Slot& s) {
      if (next_stretch == stretches.size()) return false;
      const Stretch& stretch = stretches[next_stretch++];
      s.start = stretch.start;
      s.end = stretch.end;
      s.n_left = stretch.end - stretch.start;
      s.position = direction ? stretch.end - 1 : stretch.start;
      return true;
    };
    while (active < kSlots && fill(slots[active])) ++active;
    const int step = direction ? -1 : 1;
    int current = 0;
    while (active) {
      // the positions of a block: [step][slot]
      uint32_t longest = 0;
      for (uint32_t s = 0; s < active; ++s) longest = std::max(longest, slots[s].n_left);
      uint32_t n = kBlock / active;
      if (next_stretch == stretches.size()) n = std::min(n, longest);
      places_.assign(size_t(n) * active, Place{kNowhere, false});
      for (uint32_t step_index = 0; step_index < n; ++step_index)
        for (uint32_t s = 0; s < active; ++s) {
          Slot& slot = slots[s];
          if (!slot.n_left && !fill(slot)) continue;
          const bool begins = slot.position == (direction ? slot.end - 1 : slot.start);
          places_[size_t(step_index) * active + s] = Place{slot.position, begins};
          if (!k) prefetch(slot.position);
          slot.position += uint32_t(step);
          --slot.n_left;
        }
      for (size_t column = 0; column < places_.size(); ++column) {
        const uint32_t position = places_[column].position;
        if (position == kNowhere) continue;
        write_inputs(k, position, x_.data() + column * x_stride * x_bytes);
        if (!k && kernels.rows) starts_[column] = initial_sums(position, direction, column);
      }
      Interrupt::poll();
      kernels.products(layer.in[direction],
                       Product{starts_.data(), x_.data(), x_stride, layer.bias[direction].data(), 0,
                               n * active, z_.data(), z_stride});
      for (uint32_t step_index = 0; step_index < n; ++step_index) {
        const Place* places = places_.data() + size_t(step_index) * active;
        for (uint32_t s = 0; s < active; ++s)
          if (places[s].begins) clear(s, current);
        int16_t* const z = z_.data() + size_t(step_index) * active * z_stride;
        kernels.products(recurrent, Product{recurrent_starts.data(), recurrent_[current].data(),
                                            m.stride, z, z_stride, active, z, z_stride});
        kernels.states(m.curve,
                       State{c_.data(), h_.data(), recurrent_[current ^ 1].data(), m.stride},
                       active, z);
        current ^= 1;
        for (uint32_t s = 0; s < active; ++s) {
          if (places[s].position == kNowhere) continue;
          const int16_t* h = h_.data() + size_t(s) * m.stride;
          if (last) {
            kernels.scores(m.out[direction].data(), h, m.stride,
                           scores.data() + size_t(places[s].position) * 4);
          } else {
            int8_t* states =
                above_.data() + (size_t(places[s].position) * 2 + size_t(direction)) * m.hidden;
            for (uint32_t i = 0; i < m.hidden; ++i)
              states[i] = int8_t(std::min(h[i] + 128, 32767) >> 8);
          }
          ++steps_;
        }
      }
      // empty slots take the next stretch
      for (uint32_t s = 0; s < active;) {
        if (slots[s].n_left || fill(slots[s])) {
          ++s;
          continue;
        }
        slots[s] = slots[--active];
        move_slot(active, s, current);
      }
    }
  }

  void clear(uint32_t s, int current) {
    const size_t n = m_->stride;
    std::fill_n(c_.data() + s * n, n, int16_t(0));
    std::memset(recurrent_[current].data() + s * n * input_bytes(), m_->instructions->flip,
                n * input_bytes());
  }

  void move_slot(uint32_t source, uint32_t target, int current) {
    if (source == target) return;
    const size_t n = m_->stride;
    std::copy_n(c_.data() + source * n, n, c_.data() + target * n);
    std::memcpy(recurrent_[current].data() + target * n * input_bytes(),
                recurrent_[current].data() + source * n * input_bytes(), n * input_bytes());
  }

  // Finds the rows of all pairs; the loads of one loop are independent.
  void find_pairs(const std::vector<Stretch>& stretches) {
    const std::vector<uint16_t>& ids = inputs_->ids;
    pairs_.resize(ids.size() + 1);
    for (const Stretch& stretch : stretches) {
      uint32_t previous = m_->beyond;
      Interrupt::for_each(stretch.end - stretch.start, [&](size_t k) {
        const uint32_t position = stretch.start + uint32_t(k);
        pairs_[position] = m_->pair_row(previous, ids[position]);
        previous = ids[position];
      });
      Interrupt::poll(stretch.end - stretch.start);
      // at a character of no stretch, or at the end
      pairs_[stretch.end] = m_->pair_row(previous, m_->beyond);
    }
  }

  // Prefetches a position's inputs, most of which lie outside the L2 cache.
  void prefetch(size_t position) const {
    if (!m_->instructions->rows)
      __builtin_prefetch(m_->chars + size_t(m_->rows[inputs_->ids[position]]) * m_->char_size);
    __builtin_prefetch(m_->bigrams + size_t(pairs_[position]) * m_->pair_size);
    __builtin_prefetch(m_->bigrams + size_t(pairs_[position + 1]) * m_->pair_size);
  }

  // The initial sums of a position: what its character and the lexicon's words add to the gates.
  const int32_t* initial_sums(size_t position, int direction, size_t column) {
    const Model& m = *m_;
    const size_t width = size_t(m.stride) * 4, offset = size_t(direction) * width;
    const int32_t* rows[kMostRows] = {m.sums_of_char(m.rows[inputs_->ids[position]]) + offset};
    uint32_t n = 1;
    const uint16_t* numbers = inputs_->numbers.data() + position * kLexiconSlots;
    for (uint32_t j = 0; j < m.tables; ++j)
      if (numbers[j] & 255) rows[n++] = m.sums_of_number(j, numbers[j] & 255) + offset;
    if (n == 1) return rows[0];
    int32_t* const out = start_.data() + column * width;
    m.instructions->sums(rows, n, width, out);
    return out;
  }

  // Writes those inputs of a position that are multiplied.
  void write_inputs(uint32_t k, size_t position, uint8_t* __restrict out) const {
    const Model& m = *m_;
    const bool multiplies_all = !m.instructions->rows;
    const uint8_t flip = m.instructions->flip;
    size_t n = 0;
    auto append = [&](const int8_t* values, size_t count) {
      if (m.instructions->bytes) {
        size_t i = 0;
        for (; i + 4 <= count; i += 4) {
          uint32_t four;
          std::memcpy(&four, values + i, 4);
          four ^= flip * 0x01010101u;
          std::memcpy(out + n + i, &four, 4);
        }
        for (; i < count; ++i) out[n + i] = uint8_t(values[i]) ^ flip;
      } else {
        int16_t* wide = reinterpret_cast<int16_t*>(out) + n;
        for (size_t i = 0; i < count; ++i) wide[i] = values[i];
      }
      n += count;
    };
    if (k) {
      append(below_.data() + position * 2 * m.hidden, 2 * m.hidden);
    } else {
      if (multiplies_all)
        append(m.chars + size_t(m.rows[inputs_->ids[position]]) * m.char_size, m.char_size);
      append(m.bigrams + size_t(pairs_[position]) * m.pair_size, m.pair_size);
      append(m.bigrams + size_t(pairs_[position + 1]) * m.pair_size, m.pair_size);
      const uint16_t* const numbers = inputs_->numbers.data() + position * kLexiconSlots;
      for (uint32_t j = 0; multiplies_all && j < m.tables; ++j)
        append(m.lexicon[j] + size_t(numbers[j] & 255) * m.table_size[j], m.table_size[j]);
    }
    while (n < m.layer[k].stride) {  // weights are 0 there
      if (m.instructions->bytes) out[n] = flip;
      else reinterpret_cast<int16_t*>(out)[n] = 0;
      ++n;
    }
  }
};

}  // namespace bilstm
}  // namespace segmenter
