// The implementation of interface.hpp: the trainers.
#include "train/interface.hpp"

#include "pair_hash.hpp"
#include "train/pos.hpp"
#include "train/tagger.hpp"

namespace segmenter {

std::unique_ptr<TaggerTrainer> tagger_trainer(const TrainerOptions& options,
                                              const LexiconFeatures& lex) {
  return std::make_unique<LinearTrainer>(options, lex);
}

std::vector<int32_t> count_occurrences(const Trie& trie, const int32_t* word_of_slot,
                                       const CorpusColumns& columns, uint32_t n_folds,
                                       uint32_t n_words) {
  std::vector<int32_t> counts(size_t(n_words) * n_folds, 0);
  for (size_t sentence = 0; sentence < columns.n_sentences; ++sentence)
    for (int64_t i = columns.offsets[sentence]; i < columns.offsets[sentence + 1]; ++i) {
      uint32_t slot = columns.ids[size_t(i)];
      for (int64_t k = i + 1; k < columns.offsets[sentence + 1]; ++k) {
        slot = trie.child(slot, columns.ids[size_t(k)]);
        if (!slot) break;
        const int32_t word = word_of_slot[slot];
        if (word >= 0) ++counts[size_t(word) * n_folds + columns.folds[sentence]];
      }
    }
  return counts;
}

void build_pair_hash(const uint32_t* keys, size_t n_keys, size_t n_pilots, uint32_t n_places,
                     std::vector<uint16_t>& pilots, std::vector<uint32_t>& places) {
  pilots = PairHash::build(keys, n_keys, n_pilots, n_places);
  PairHash hash;
  hash.attach(pilots.data(), n_pilots, n_places);
  places.resize(n_keys);
  for (size_t i = 0; i < n_keys; ++i) places[i] = hash(keys[i] >> 16, keys[i] & 0xFFFF);
}

std::unique_ptr<PosTrainer> pos_trainer(const PosTrainerOptions& options) {
  return std::make_unique<PosPerceptron>(options);
}

}  // namespace segmenter
