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

  // Notes a word of the lexicon that begins at j (SLOTS in segmenter/train/tagging/bilstm_crf); of
  // several in one slot the longest counts.
  void note(uint32_t j, uint32_t len, uint8_t cls) {
    if (!cls) return;
    const uint32_t kind = std::min(len, 5u) - 2;
    const uint16_t value = uint16_t(std::min(len, 7u) << 8 | cls);
    auto put = [&](uint32_t at, uint32_t slot) {
      uint16_t& v = numbers[size_t(at) * kLexiconSlots + slot];
      v = std::max(v, value);
    };
    put(j, kind);
    put(j + len - 1, 4 + kind);
    for (uint32_t k = 1; k + 1 < len; ++k) put(j + k, len == 3 ? 8 : 9);
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
    // longest first, so that the last slots run dry together
    std::stable_sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) {
      return a.end - a.start > b.end - b.start;
    });
    const size_t stride = m.stride + kRoom, bytes = element() * (m.stride + kRoom);
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
  std::vector<int32_t> start_;  // initial sums of a block's positions, where words add to them
  std::vector<const int32_t*> starts_;  // pointers to initial sums
  // rows of the pairs before each position and after a stretch's last
  std::vector<uint32_t> pairs_;
  std::vector<uint8_t> recurrent_[2], x_;
  std::vector<int8_t> below_, above_;  // states of a layer below another, [n][2 * hidden]
  struct Slot {
    uint32_t at = 0, left = 0;  // next position; positions left
    uint32_t start = 0, end = 0;
  };
  struct Place {
    uint32_t at;
    bool begins;
  };
  std::vector<Place> places_;
  static constexpr uint32_t kNowhere = ~uint32_t(0);

  size_t element() const { return m_->instructions->bytes ? 1 : 2; }

  void read(uint32_t k, int direction, bool last, const std::vector<Stretch>& stretches) {
    const Model& m = *m_;
    const InstructionSet& does = *m.instructions;
    const Model::Layer& l = m.layer[k];
    const size_t element_ = element(), x_stride = l.stride, z_stride = size_t(m.stride) * 4;
    x_.resize(kBlock * x_stride * element_ + kRoom);
    const Gates& own = l.own[direction];
    const std::vector<const int32_t*> own_starts(kSlots, own.start);
    starts_.assign(kBlock, l.in[direction].start);
    Slot slots[kSlots];
    uint32_t active = 0;
    size_t next = 0;
    auto fill = [&](Slot& s) {
      if (next == stretches.size()) return false;
      const Stretch& t = stretches[next++];
      s.start = t.start;
      s.end = t.end;
      s.left = t.end - t.start;
      s.at = direction ? t.end - 1 : t.start;
      return true;
    };
    while (active < kSlots && fill(slots[active])) ++active;
    const int forward = direction ? -1 : 1;
    int now = 0;
    while (active) {
      // the positions of a block: [step][slot]
      uint32_t longest = 0;
      for (uint32_t s = 0; s < active; ++s) longest = std::max(longest, slots[s].left);
      uint32_t n = kBlock / active;
      if (next == stretches.size()) n = std::min(n, longest);
      places_.assign(size_t(n) * active, Place{kNowhere, false});
      for (uint32_t t = 0; t < n; ++t)
        for (uint32_t s = 0; s < active; ++s) {
          Slot& slot = slots[s];
          if (!slot.left && !fill(slot)) continue;
          const bool begins = slot.at == (direction ? slot.end - 1 : slot.start);
          places_[size_t(t) * active + s] = Place{slot.at, begins};
          if (!k) fetch(slot.at);
          slot.at += uint32_t(forward);
          --slot.left;
        }
      for (size_t column = 0; column < places_.size(); ++column) {
        const uint32_t at = places_[column].at;
        if (at == kNowhere) continue;
        look_up(k, at, x_.data() + column * x_stride * element_);
        if (!k && does.rows) starts_[column] = look_up_sums(at, direction, column);
      }
      Interrupt::look();
      does.products(l.in[direction],
                    Product{starts_.data(), x_.data(), x_stride, l.bias[direction].data(), 0,
                            n * active, z_.data(), z_stride});
      for (uint32_t t = 0; t < n; ++t) {
        const Place* places = places_.data() + size_t(t) * active;
        for (uint32_t s = 0; s < active; ++s)
          if (places[s].begins) clear(s, now);
        int16_t* const z = z_.data() + size_t(t) * active * z_stride;
        does.products(own, Product{own_starts.data(), recurrent_[now].data(), m.stride, z, z_stride,
                                   active, z, z_stride});
        does.states(m.curve, State{c_.data(), h_.data(), recurrent_[now ^ 1].data(), m.stride},
                    active, z);
        now ^= 1;
        for (uint32_t s = 0; s < active; ++s) {
          if (places[s].at == kNowhere) continue;
          const int16_t* h = h_.data() + size_t(s) * m.stride;
          if (last) {
            does.scores(m.out[direction].data(), h, m.stride,
                        scores.data() + size_t(places[s].at) * 4);
          } else {
            int8_t* to = above_.data() + (size_t(places[s].at) * 2 + size_t(direction)) * m.hidden;
            for (uint32_t i = 0; i < m.hidden; ++i)
              to[i] = int8_t(std::min(h[i] + 128, 32767) >> 8);
          }
          ++steps_;
        }
      }
      // slots that ran dry take the next stretch
      for (uint32_t s = 0; s < active;) {
        if (slots[s].left || fill(slots[s])) {
          ++s;
          continue;
        }
        slots[s] = slots[--active];
        move(active, s, now);
      }
    }
  }

  void clear(uint32_t s, int now) {
    const size_t n = m_->stride;
    std::fill_n(c_.data() + s * n, n, int16_t(0));
    std::memset(recurrent_[now].data() + s * n * element(), m_->instructions->flip, n * element());
  }

  void move(uint32_t from, uint32_t to, int now) {
    if (from == to) return;
    const size_t n = m_->stride;
    std::copy_n(c_.data() + from * n, n, c_.data() + to * n);
    std::memcpy(recurrent_[now].data() + to * n * element(),
                recurrent_[now].data() + from * n * element(), n * element());
  }

  // Rows of all pairs: the loads of one loop are independent.
  void find_pairs(const std::vector<Stretch>& stretches) {
    const std::vector<uint16_t>& ids = inputs_->ids;
    pairs_.resize(ids.size() + 1);
    for (const Stretch& t : stretches) {
      uint32_t before = m_->beyond;
      Interrupt::each(t.end - t.start, [&](size_t k) {
        const uint32_t at = t.start + uint32_t(k);
        pairs_[at] = m_->pair_row(before, ids[at]);
        before = ids[at];
      });
      Interrupt::look(t.end - t.start);
      pairs_[t.end] = m_->pair_row(before, m_->beyond);  // a character of no stretch, or the end
    }
  }

  // Asks for the memory of a position's inputs, most of which lie beyond the L2 cache.
  void fetch(size_t at) const {
    if (!m_->instructions->rows)
      __builtin_prefetch(m_->chars + size_t(m_->rows[inputs_->ids[at]]) * m_->char_size);
    __builtin_prefetch(m_->bigrams + size_t(pairs_[at]) * m_->pair_size);
    __builtin_prefetch(m_->bigrams + size_t(pairs_[at + 1]) * m_->pair_size);
  }

  // The initial sums of a position: what its character and its words add to the gates.
  const int32_t* look_up_sums(size_t at, int direction, size_t column) {
    const Model& m = *m_;
    const size_t width = size_t(m.stride) * 4, from = size_t(direction) * width;
    const int32_t* rows[kMostRows] = {m.sums_of_char(m.rows[inputs_->ids[at]]) + from};
    uint32_t n = 1;
    const uint16_t* numbers = inputs_->numbers.data() + at * kLexiconSlots;
    for (uint32_t j = 0; j < m.tables; ++j)
      if (numbers[j] & 255) rows[n++] = m.sums_of_number(j, numbers[j] & 255) + from;
    if (n == 1) return rows[0];
    int32_t* const to = start_.data() + column * width;
    m.instructions->sums(rows, n, width, to);
    return to;
  }

  // Writes the multiplied inputs of a position.
  void look_up(uint32_t k, size_t at, uint8_t* __restrict to) const {
    const Model& m = *m_;
    const bool all = !m.instructions->rows;
    const uint8_t flip = m.instructions->flip;
    size_t n = 0;
    auto put = [&](const int8_t* from, size_t count) {
      if (m.instructions->bytes) {
        size_t i = 0;
        for (; i + 4 <= count; i += 4) {
          uint32_t four;
          std::memcpy(&four, from + i, 4);
          four ^= flip * 0x01010101u;
          std::memcpy(to + n + i, &four, 4);
        }
        for (; i < count; ++i) to[n + i] = uint8_t(from[i]) ^ flip;
      } else {
        int16_t* wide = reinterpret_cast<int16_t*>(to) + n;
        for (size_t i = 0; i < count; ++i) wide[i] = from[i];
      }
      n += count;
    };
    if (k) {
      put(below_.data() + at * 2 * m.hidden, 2 * m.hidden);
    } else {
      if (all) put(m.chars + size_t(m.rows[inputs_->ids[at]]) * m.char_size, m.char_size);
      put(m.bigrams + size_t(pairs_[at]) * m.pair_size, m.pair_size);
      put(m.bigrams + size_t(pairs_[at + 1]) * m.pair_size, m.pair_size);
      const uint16_t* const numbers = inputs_->numbers.data() + at * kLexiconSlots;
      for (uint32_t j = 0; all && j < m.tables; ++j)
        put(m.lexicon[j] + size_t(numbers[j] & 255) * m.table_size[j], m.table_size[j]);
    }
    while (n < m.layer[k].stride) {  // weights are 0 there
      if (m.instructions->bytes) to[n] = flip;
      else reinterpret_cast<int16_t*>(to)[n] = 0;
      ++n;
    }
  }
};

}  // namespace bilstm
}  // namespace segmenter
