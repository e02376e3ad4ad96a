// The implementation of known.hpp and tags.hpp.
#include <algorithm>

#include "compiler.hpp"
#include "interrupt.hpp"
#include "pos/decide.hpp"
#include "pos/known.hpp"
#include "pos/tags.hpp"

namespace segmenter {

PosKnown::PosKnown() = default;
PosKnown::~PosKnown() = default;

void PosKnown::begin(const PosModel& model, size_t n_slots) {
  model_ = &model;
  guards_.assign(model.n_buckets, 0);
  for (size_t b = 0; b < guards_.size(); ++b)
    for (uint32_t k = 0; k < PosModel::kPlaces; ++k)
      guards_[b] |= uint64_t(1) << (model.table[b * PosModel::kBucket + k] & 63);
  first_tags_.assign(model.n_classes, 0);
  for (uint32_t c = 0; c < model.n_classes; ++c) {
    uint64_t mask = model.masks[c];
    const uint32_t first = uint32_t(__builtin_ctzll(mask));
    for (uint32_t k = 0; k < kFirst; ++k, mask &= mask - 1)
      first_tags_[c] |= (mask ? uint32_t(__builtin_ctzll(mask)) : first) << (8 * k);
    if (mask) first_tags_[c] |= kMore;
  }
  by_slot_.assign(n_slots, 0);
  class_near_.assign(model.n_classes, nullptr);
  for (uint16_t cls = 0; cls < kShapes; ++cls) {
    PosWord word;
    word.cls = cls;
    shapes_[cls] = near(word);
  }
}

// Adds the weights of one feature; false: it has none.
bool PosKnown::add(uint64_t sum, int16_t* sums) const {
  bool exists;
  const uint32_t feature = model_->find(pos_half(sum), exists);
  if (exists) model_->add(feature, sums);
  return exists;
}
// Adds two features for each offset, of the word and of its class; their sum fits 8 bits.
const int8_t* PosKnown::near(const PosWord& word) {
  int16_t sums[kPosNears][64] = {};
  bool has_own_features = false;
  for (uint32_t i = 0; i < kPosNears; ++i)
    has_own_features |= add(pos_sum(kPosNearPattern + i, word.id), sums[i]);
  const int8_t*& class_rows = class_near_[word.cls];
  if (!has_own_features && class_rows) return class_rows;
  const uint32_t lanes = model_->lanes();
  int8_t* const rows = near_rows_.allocate(kPosNears * lanes / sizeof(Line))->values;
  for (uint32_t i = 0; i < kPosNears; ++i) {
    add(pos_sum(kPosNearClass + i, word.cls), sums[i]);
    for (uint32_t k = 0; k < lanes; ++k)
      rows[i * lanes + k] = int8_t(std::clamp<int>(sums[i][k], -128, 127));
  }
  if (!has_own_features) class_rows = rows;
  return rows;
}
// Computes the sums of a word; returns their number, from 1.
uint32_t PosKnown::add_word(const PosWord& word) {
  const uint64_t mask = model_->masks[word.cls];
  sums_of_words_.push_back(Sums{near(word), mask & (mask - 1) ? own_sums(word) : nullptr});
  return uint32_t(sums_of_words_.size());
}
// nullptr if the table is full.
const int16_t* PosKnown::own_of_unknown(const PosWord& word) {
  const UnknownWord key(word);
  const auto it = unknown_words_.find(key);
  if (it != unknown_words_.end()) return it->second;
  if (unknown_words_.size() == kMaxUnknownWords) return nullptr;
  return unknown_words_.emplace(key, own_sums(word)).first->second;
}
const int16_t* PosKnown::own_sums(const PosWord& word) {
  const PosModel& m = *model_;
  uint64_t mask = m.masks[word.cls];
  int16_t sums[64] = {};
  const PosWord context[5] = {{}, {}, word, {}, {}};
  pos_features<kPosOwn>(context + 2, 0, 0, m.affixes[word.cls],
                        [&](uint64_t sum) { add(sum, sums); });
  const uint32_t n = std::max(kFirst, uint32_t(__builtin_popcountll(mask)));
  int16_t* const values = own_sums_.allocate(n);
  for (uint32_t k = 0; k < n; ++k, mask &= mask - 1)
    values[k] = mask ? sums[__builtin_ctzll(mask)] : kAbsent;
  return values;
}

void pos_tags(const PosModel& m, const PosKnown& cache, PosScratch& scratch) {
  PosDecider decider(m, cache);
  const PosWord* const words = scratch.words();
  uint32_t* const undecided = scratch.undecided();
  uint8_t* const tags = scratch.tags();
  size_t n_doubtful = 0;
  for (size_t j = 0; j < scratch.n_undecided(); ++j) {
    if (j % Interrupt::kEvery == 0) Interrupt::poll();
    const uint32_t place = undecided[j];
    undecided[n_doubtful] = place;
    n_doubtful += !decider.decide_alone(words + place, tags[place]);
  }
  for (size_t j = 0; j < n_doubtful; ++j) {
    if (j % Interrupt::kEvery == 0) Interrupt::poll();
    const uint32_t place = undecided[j];
    tags[place] = decider.decide_in_context(words + place, tags[place - 1], tags[place - 2]);
  }
}

}  // namespace segmenter
