// The functions that the bindings of the trainers call. interface.cpp implements them, so a change of a
// trainer does not recompile the bindings.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lexicon/double_array.hpp"
#include "text.hpp"

namespace segmenter {

struct Lexicon;

// Sentences as character ids, with the gold boundaries.
struct CorpusColumns {
  const uint16_t* ids = nullptr;
  const int64_t* offsets = nullptr;  // sentence s is [offsets[s], offsets[s+1])
  size_t n_sentences = 0;
  const uint8_t* ends = nullptr;   // 1: a word ends, 0: inside a word, 2: not labelled
  const uint8_t* folds = nullptr;  // one per sentence
};

struct TrainerOptions {
  uint32_t uni_mask = 15;  // which of the slots are used
  uint32_t bi_mask = 15;
  uint32_t groups = 0;     // lexicon state groups
  uint32_t types = 1;      // whether character types are features
  uint32_t min_match = 2;  // the shortest match that is a feature; 0: none are
  uint32_t max_match = 8;
};

struct LexiconFeatures {
  Trie trie;
  const int32_t* word_of_slot = nullptr;     // -1: not a word
  const int32_t* bigram_of_slot = nullptr;   // -1: not a bigram feature
  const uint16_t* uni_of_id = nullptr;       // rare characters share the row of their kind
  const uint8_t* type_of_id = nullptr;       // 1 to 7; 0: outside the sentence
  const uint16_t* classes = nullptr;         // [n_words][n_folds]
  const uint8_t* groups_of_class = nullptr;  // bit g: words of the class are in group g
  uint32_t n_ids = 0, n_bigrams = 0, n_classes = 0, n_folds = 1;
};

// The trainers of linear taggers over one set of features: tagger.hpp. Corpora have numbers in the
// order in which they were added.
class TaggerTrainer {
 public:
  virtual ~TaggerTrainer() = default;
  // Copies a corpus and finds its features.
  virtual void add(const CorpusColumns& columns) = 0;
  virtual size_t corpora() const = 0;
  virtual size_t characters(size_t corpus) const = 0;

  virtual size_t rows() const = 0;
  virtual float* weights() = 0;
  // First rows of the blocks uni, type, state, match and bi, and the number of all rows.
  virtual std::vector<size_t> layout() const = 0;
  // The rows of the features that are active at each position: those of position i are
  // [starts[i], starts[i + 1]), repeated if active twice.
  virtual void features(size_t corpus, std::vector<int64_t>& starts,
                        std::vector<uint32_t>& rows) const = 0;

  // One pass of the perceptron; returns how many tags were wrong.  Labels have to lead by `margin` for
  // each wrong boundary of another path, here and in crf_epoch.
  virtual uint64_t perceptron_epoch(size_t corpus, uint64_t seed, float margin) = 0;
  // Replaces the weights by their average over the perceptron epochs so far, and back.
  virtual void swap_average() = 0;
  virtual void forget_average() = 0;
  // One pass of stochastic gradient descent, the rate falling from eta0 to eta1; returns the sum of
  // the log marginals of the gold tags.
  virtual double crf_epoch(size_t corpus, uint64_t seed, double eta0, double eta1,
                           double lambda, float margin) = 0;
  // Decodes into `tags`, unless null; counts are {right, gold, predicted} words.
  virtual void decode(size_t corpus, uint8_t* tags, uint64_t* counts) = 0;
};
std::unique_ptr<TaggerTrainer> tagger_trainer(const TrainerOptions& options,
                                              const LexiconFeatures& lex);

// How often each word's string occurs in each fold, as a word or across words: [n_words][n_folds].
std::vector<int32_t> count_occurrences(const Trie& trie, const int32_t* word_of_slot,
                                       const CorpusColumns& columns, uint32_t n_folds,
                                       uint32_t n_words);

// pair_hash.hpp: the pilots, and the keys' places.
void build_pair_hash(const uint32_t* keys, size_t n_keys, size_t n_pilots, uint32_t n_places,
                     std::vector<uint16_t>& pilots, std::vector<uint32_t>& places);

// The trainer of part-of-speech weights: pos.hpp.
struct PosTrainerOptions {
  const Lexicon* lex = nullptr;
  std::vector<uint64_t> masks;   // the tags that words of each class may have
  std::vector<uint8_t> affixes;  // whether the characters of its words are features
  uint32_t n_tags = 0;
  float margin = 0;  // a right tag that leads by less is learnt too
};

class PosTrainer {
 public:
  virtual ~PosTrainer() = default;
  // Adds a sentence with its tags. Returns their number, or that of the first word that is a blank
  // or whose tag does not exist; then nothing is added.
  virtual size_t add(const std::vector<Text>& words, const uint8_t* tags) = 0;
  // Ends the corpus; call once, before the first pass.
  virtual void close() = 0;
  // One pass over all sentences in an order given by the seed; returns the number of wrong tags.
  virtual size_t epoch(uint64_t seed) = 0;
  // Forgets all weights that are not fixed; from now on only these features are learnt.
  virtual void restrict_to(const uint64_t* keys, size_t n) = 0;
  // Begins the second pass: fixes the averaged weights, those below `prune` in size at 0, and
  // learns the features of several words and of tags.
  virtual void second(float prune) = 0;
  // Averaged weights of all features: columns of equal length.
  virtual void averages(std::vector<uint64_t>& keys, std::vector<uint8_t>& tags,
                        std::vector<float>& weights) const = 0;
};
std::unique_ptr<PosTrainer> pos_trainer(const PosTrainerOptions& options);

}  // namespace segmenter
