// Trainers of the linear character tagger: averaged perceptron (Collins 2002, with the lazy sums of
// Daumé 2006) and linear-chain CRF (Lafferty, McCallum and Pereira 2001) by stochastic gradient
// descent with L2 regularisation (Bottou's scale trick, a linearly falling rate).
//
// Features have fixed places instead of a hash from strings: a row of weights (one per tag) for
// every
//
//     transition from tag a                      row a
//     character id at distance -2, -1, 0, +1     uni + 4*id + slot
//     types of the three characters around       type + 64*before + 8*here + after
//     lexicon state of a group (see below)       state + 216*group + code
//     lexicon match: class, length, role         match + 4*(kLengths*class + length) + role
//     bigram at distance -2, -1, 0, +1           bi + 4*bigram + slot
//
// in this order, so that an epoch over a million characters takes a fraction of a second.  The trie
// is the one that the predictor walks: words and bigrams are nodes of it.
//
// A match of class c of L characters gives role 0 to its first character, 1 to its second, 2 to
// the further inner ones and 3 to its last.  The state of a group at a position is (longest word
// of the group that begins here, longest that goes on here, longest that ends here), each cut to 5
// steps. A word's class depends on the fold of the sentence (jackknife): the caller gives the
// class that a word has when the counts of that fold are left out.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "train/corpus.hpp"

namespace segmenter {

class LinearTrainer final : public TaggerTrainer {
 public:
  LinearTrainer(const TrainerOptions& options, const LexiconFeatures& lex)
      : options_(options), lex_(lex) {
    if (options_.groups > kMaxGroups) throw std::invalid_argument("groups must be at most 3");
    size_t rows = T;
    uni_ = rows;
    rows += size_t(lex.n_ids) * kUniSlots;
    type_ = rows;
    rows += kTypeCodes;
    state_ = rows;
    rows += size_t(options_.groups) * kStates;
    match_ = rows;
    rows += size_t(lex.n_classes) * kLengths * kRoles;
    bi_ = rows;
    rows += size_t(lex.n_bigrams) * kBiSlots;
    weights_.assign(rows * T, 0.f);
  }

  void add(const CorpusColumns& columns) override {
    corpora_.emplace_back(columns);
    prepare(corpora_.back());
  }
  size_t corpora() const override { return corpora_.size(); }
  size_t characters(size_t corpus) const override { return corpora_[corpus].ids.size(); }

  size_t rows() const override { return weights_.size() / T; }
  float* weights() override { return weights_.data(); }
  std::vector<size_t> layout() const override { return {uni_, type_, state_, match_, bi_, rows()}; }

  void features(size_t corpus, std::vector<int64_t>& starts,
                std::vector<uint32_t>& rows) const override {
    const TaggedCorpus& c = corpora_[corpus];
    starts.assign(c.ids.size() + 1, 0);
    for (size_t s = 0; s < c.sentences(); ++s)
      each_feature(c, s, [&](size_t p, size_t) { ++starts[size_t(c.offsets[s]) + p + 1]; });
    for (size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    rows.resize(size_t(starts.back()));
    std::vector<int64_t> next(starts.begin(), starts.end() - 1);
    for (size_t s = 0; s < c.sentences(); ++s)
      each_feature(c, s, [&](size_t p, size_t row) {
        rows[size_t(next[size_t(c.offsets[s]) + p]++)] = uint32_t(row);
      });
  }

  uint64_t perceptron_epoch(size_t corpus, uint64_t seed, float margin) override {
    const TaggedCorpus& c = corpora_[corpus];
    sums_.resize(weights_.size(), 0.0);
    shuffle(c.sentences(), seed);
    uint64_t wrong = 0;
    float trans[T][T];
    for (uint32_t s : order_) {
      size_t n = size_t(c.offsets[s + 1] - c.offsets[s]);
      if (!n) continue;
      emit(c, s, 1.f, trans);
      if (!set_gold(c, s)) fill_gold(c, s, trans);
      demand(c, s, margin);
      viterbi(n, trans);
      uint64_t n_wrong = 0;
      for (size_t i = 0; i < n; ++i) n_wrong += gold_[i] != best_[i];
      if (n_wrong) {
        float* w = weights_.data();
        double* sum = sums_.data();
        auto add = [&](size_t k, float d) {
          w[k] += d;
          sum[k] += step_ * double(d);
        };
        each_feature(c, s, [&](size_t p, size_t row) {
          if (gold_[p] == best_[p]) return;
          add(row * T + size_t(gold_[p]), 1.f);
          add(row * T + size_t(best_[p]), -1.f);
        });
        for (size_t i = 1; i < n; ++i) {
          if (gold_[i] == best_[i] && gold_[i - 1] == best_[i - 1]) continue;
          add(size_t(gold_[i - 1] * T + gold_[i]), 1.f);
          add(size_t(best_[i - 1] * T + best_[i]), -1.f);
        }
      }
      wrong += n_wrong;
      step_ += 1;
    }
    return wrong;
  }
  void forget_average() override {
    sums_.clear();
    step_ = 1;
  }
  // A sentence's gradient is what its labels expect minus what the model expects. Where labels
  // leave boundaries open, they expect what the model does among the sequences that fit them: the
  // likelihood is the sum over all of these (Tsuboi et al. 2008).
  double crf_epoch(size_t corpus, uint64_t seed, double eta0, double eta1, double lambda,
                   float margin) override {
    const TaggedCorpus& c = corpora_[corpus];
    shuffle(c.sentences(), seed);
    double scale = 1, log_marginals = 0;
    float trans[T][T], exp_trans[T][T], grad[T][T];
    for (size_t i_sentence = 0; i_sentence < order_.size(); ++i_sentence) {
      uint32_t s = order_[i_sentence];
      const size_t b = size_t(c.offsets[s]), n = size_t(c.offsets[s + 1]) - b;
      if (!n) continue;
      double eta = eta0 + (eta1 - eta0) * double(i_sentence) / double(order_.size());
      emit(c, s, float(scale), trans);
      for (int x = 0; x < T; ++x)
        for (int y = 0; y < T; ++y)
          exp_trans[x][y] = Tags::follows(x, y) ? std::exp(trans[x][y]) : 0.f;
      std::memset(grad, 0, sizeof grad);
      demand(c, s, margin);
      exponentiate(n, [](size_t, int) { return true; });
      expect(n, exp_trans, -1.f, marginals_, grad);
      const bool labelled = set_gold(c, s);
      if (labelled) {
        for (size_t i = 1; i < n; ++i) grad[gold_[i - 1]][gold_[i]] += 1.f;
      } else {
        const uint8_t* ends = &c.ends[b];
        exponentiate(n, [&](size_t i, int t) { return fits(ends, n, i, t); });
        expect(n, exp_trans, 1.f, gold_marginals_, grad);
      }
      scale *= 1 - eta * lambda;
      const float rate = float(eta / scale);
      for (size_t i = 0; i < n; ++i) {
        float* g = &marginals_[i * T];
        double gold_mass = 0;
        for (int t = 0; t < T; ++t) {
          if (labelled ? t == gold_[i] : fits(&c.ends[b], n, i, t)) gold_mass += double(g[t]);
          float target = labelled ? float(t == gold_[i]) : gold_marginals_[i * T + size_t(t)];
          g[t] = rate * (target - g[t]);
        }
        log_marginals += std::log(std::max(gold_mass, 1e-30));
      }
      float* w = weights_.data();
      const float* g = marginals_.data();
      each_feature(c, s, [&](size_t p, size_t row) {
        for (int t = 0; t < T; ++t) w[row * T + size_t(t)] += g[p * T + size_t(t)];
      });
      for (int x = 0; x < T; ++x)
        for (int y = 0; y < T; ++y)
          if (Tags::follows(x, y))
            w[x * T + y] += rate * std::min(std::max(grad[x][y], -kMost), kMost);
    }
    for (float& v : weights_) v = float(v * scale);
    return log_marginals;
  }
  void swap_average() override {
    weights_.swap(unaveraged_);
    if (!weights_.empty()) return unaveraged_.clear();
    weights_ = unaveraged_;
    for (size_t i = 0; i < sums_.size(); ++i)
      weights_[i] = float(double(weights_[i]) - sums_[i] / step_);
  }
  void decode(size_t corpus, uint8_t* tags, uint64_t* counts) override {
    const TaggedCorpus& c = corpora_[corpus];
    uint64_t &correct = counts[0], &gold = counts[1], &predicted = counts[2];
    correct = gold = predicted = 0;
    float trans[T][T];
    for (size_t s = 0; s < c.sentences(); ++s) {
      size_t b = size_t(c.offsets[s]), n = size_t(c.offsets[s + 1]) - b;
      if (!n) continue;
      emit(c, s, 1.f, trans);
      viterbi(n, trans);
      size_t last_gold = 0, last_predicted = 0;
      for (size_t i = 0; i < n; ++i) {
        bool g = c.ends[b + i] == 1, p = Tags::ends(best_[i]);
        if (tags) tags[b + i] = uint8_t(best_[i]);
        correct += g && p && last_gold == last_predicted;
        gold += g;
        predicted += p;
        if (g) last_gold = i + 1;
        if (p) last_predicted = i + 1;
      }
    }
  }

 private:
  TrainerOptions options_;
  LexiconFeatures lex_;
  size_t uni_ = 0, type_ = 0, state_ = 0, match_ = 0, bi_ = 0;
  std::vector<float> weights_, unaveraged_;
  std::vector<double> sums_;
  double step_ = 1;
  std::vector<float> emissions_, alpha_, beta_, prob_, scale_, marginals_, gold_marginals_;
  std::vector<int> gold_, best_;
  std::vector<uint8_t> back_;
  std::vector<uint32_t> order_;
  std::vector<TaggedCorpus> corpora_;

  static constexpr int T = kTags;
  static constexpr float kNever = -1e30f;
  // How many occurrences of a transition a sentence adds or takes at most.  A list of a thousand
  // characters may expect hundreds that it lacks, and the weights of the next sentences overflow;
  // paragraphs of a newspaper stay below this.
  static constexpr float kMost = 300.f;

  void prepare(TaggedCorpus& c) const {
    size_t n = c.ids.size(), G = options_.groups;
    c.bigrams.assign(n, -1);
    c.states.assign(n * G, 0);
    c.match_head.assign(n + 1, 0);
    c.matches.clear();
    std::vector<uint8_t> longest;
    for (size_t s = 0; s < c.sentences(); ++s) {
      size_t b = size_t(c.offsets[s]), e = size_t(c.offsets[s + 1]);
      longest.assign((e - b) * G * 3, 0);
      for (size_t i = b; i < e; ++i) {
        c.match_head[i] = uint32_t(c.matches.size());
        uint32_t slot = lex_.trie.child(c.ids[i], i + 1 < e ? c.ids[i + 1] : 0);
        if (slot) c.bigrams[i] = lex_.bigram_of_slot[slot];
        if (!options_.min_match) continue;
        for (size_t k = i + 1; slot && k < e && k - i < options_.max_match;) {
          int32_t w = lex_.word_of_slot[slot];
          uint16_t cls = w < 0 ? kNoClass : lex_.classes[size_t(w) * lex_.n_folds + c.folds[s]];
          if (cls != kNoClass) {
            uint32_t len = uint32_t(k - i + 1);
            if (len >= options_.min_match) c.matches.push_back(uint32_t(cls) << 8 | len);
            uint8_t step = uint8_t(state_step(len));
            for (size_t g = 0; g < G; ++g) {
              if (!(lex_.groups_of_class[cls] >> g & 1)) continue;
              for (size_t p = i; p <= k; ++p) {
                uint8_t& v = longest[((p - b) * G + g) * 3 + (p == i ? 0 : p == k ? 2 : 1)];
                v = std::max(v, step);
              }
            }
          }
          if (++k < e) slot = lex_.trie.child(slot, c.ids[k]);
        }
      }
      for (size_t x = 0; x < (e - b) * G; ++x) {
        const uint8_t* v = &longest[3 * x];
        c.states[b * G + x] = uint16_t((v[0] * 6 + v[1]) * 6 + v[2]);
      }
    }
    c.match_head[n] = uint32_t(c.matches.size());
  }

  // Calls f(position in the sentence, row) for every active feature except transitions.
  template <class F>
  void each_feature(const TaggedCorpus& c, size_t s, const F& f) const {
    const size_t b = size_t(c.offsets[s]), n = size_t(c.offsets[s + 1]) - b, G = options_.groups;
    const uint16_t* id = c.ids.data() + b;
    const int32_t* bi = c.bigrams.data() + b;
    const uint16_t* uni_of = lex_.uni_of_id;
    for (size_t i = 0; i < n; ++i) {
      for (int d = 0; d < 4; ++d) {
        if (!(options_.uni_mask >> d & 1)) continue;
        size_t j = i + size_t(d) - 2;  // wraps below 0
        uint32_t x = j < n ? uni_of[id[j]] : uni_of[0];
        f(i, uni_ + size_t(x) * kUniSlots + size_t(d));
      }
      for (int d = 0; d < 4; ++d) {
        if (!(options_.bi_mask >> d & 1)) continue;
        size_t j = i + size_t(d) - 2;
        if (j < n && bi[j] >= 0) f(i, bi_ + size_t(bi[j]) * kBiSlots + size_t(d));
      }
      if (options_.types) {
        uint32_t previous = i ? lex_.type_of_id[id[i - 1]] : 0;
        uint32_t next = i + 1 < n ? lex_.type_of_id[id[i + 1]] : 0;
        f(i, type_ + (previous * 8 + lex_.type_of_id[id[i]]) * 8 + next);
      }
      for (size_t g = 0; g < G; ++g) f(i, state_ + g * kStates + c.states[(b + i) * G + g]);
      for (uint32_t m = c.match_head[b + i]; m < c.match_head[b + i + 1]; ++m) {
        uint32_t len = c.matches[m] & 0xFF;
        size_t row = match_ + ((c.matches[m] >> 8) * size_t(kLengths) + length_step(len)) * kRoles;
        f(i, row);
        for (size_t p = 1; p + 1 < len; ++p) f(i + p, row + (p == 1 ? 1 : 2));
        f(i + len - 1, row + 3);
      }
    }
  }

  void emit(const TaggedCorpus& c, size_t s, float scale, float (&trans)[T][T]) {
    size_t n = size_t(c.offsets[s + 1] - c.offsets[s]);
    emissions_.assign(n * T, 0.f);
    const float* w = weights_.data();
    float* em = emissions_.data();
    each_feature(c, s, [&](size_t p, size_t row) {
      for (int t = 0; t < T; ++t) em[p * T + size_t(t)] += w[row * T + size_t(t)];
    });
    if (scale != 1.f)
      for (float& v : emissions_) v *= scale;
    for (int a = 0; a < T; ++a)
      for (int b = 0; b < T; ++b) trans[a][b] = scale * w[a * T + b];
  }

  void viterbi(size_t n, const float (&trans)[T][T]) {
    best_.resize(n);
    back_.resize(n * T);
    float d[T], q[T];
    for (int t = 0; t < T; ++t) d[t] = Tags::begins(t) ? emissions_[size_t(t)] : kNever;
    for (size_t i = 1; i < n; ++i) {
      best_step(trans[0], d, &emissions_[i * T], q, &back_[i * T]);
      std::memcpy(d, q, sizeof d);
    }
    int t = -1;
    for (int a = 0; a < T; ++a)
      if (Tags::ends(a) && (t < 0 || d[a] > d[t])) t = a;
    for (size_t i = n; i-- > 0;) {
      best_[i] = t;
      t = back_[i * T + size_t(t)];
    }
  }

  // The gold tags of a sentence; false if its labels leave a boundary open.
  bool set_gold(const TaggedCorpus& c, size_t s) {
    size_t b = size_t(c.offsets[s]), n = size_t(c.offsets[s + 1]) - b;
    gold_.resize(n);
    for (size_t i = 0, w = 0; i < n; ++i) {
      uint8_t end = i + 1 < n ? c.ends[b + i] : 1;
      if (end == kOpen) return false;
      if (!end) continue;
      for (size_t k = w; k <= i; ++k) gold_[k] = Tags::tag(uint32_t(k - w), uint32_t(i - w + 1));
      w = i + 1;
    }
    return true;
  }

  // Whether a tag fits the labels on both sides of position i of a partly labelled sentence.
  static bool fits(const uint8_t* ends, size_t n, size_t i, int t) {
    uint8_t left = i ? ends[i - 1] : 1, right = i + 1 < n ? ends[i] : 1;
    return (left == kOpen || (left == 1) == Tags::begins(t)) &&
           (right == kOpen || (right == 1) == Tags::ends(t));
  }

  // Lets every boundary that is missing or too many score `margin` more, so that the labels have to
  // lead by that much for each (Taskar, Guestrin and Koller 2003; for the CRF softmax-margin, Gimpel
  // and Smith 2010). The scores of tags that fit the labels stay.
  void demand(const TaggedCorpus& c, size_t s, float margin) {
    if (margin == 0) return;
    const size_t b = size_t(c.offsets[s]), n = size_t(c.offsets[s + 1]) - b;
    for (size_t i = 0; i + 1 < n; ++i)
      for (int t = 0; t < T; ++t)
        if (c.ends[b + i] != kOpen && (c.ends[b + i] == 1) != Tags::ends(t))
          emissions_[i * T + size_t(t)] += margin;
  }

  // Gold tags of a partly labelled sentence: the best sequence under the current weights that fits
  // its labels (the update of Liu et al. 2014). Restores emissions_.
  void fill_gold(const TaggedCorpus& c, size_t s, const float (&trans)[T][T]) {
    const size_t b = size_t(c.offsets[s]), n = size_t(c.offsets[s + 1]) - b;
    marginals_ = emissions_;  // kept here meanwhile
    for (size_t i = 0; i < n; ++i)
      for (int t = 0; t < T; ++t)
        if (!fits(&c.ends[b], n, i, t)) emissions_[i * T + size_t(t)] = kNever;
    viterbi(n, trans);
    gold_ = best_;
    emissions_.swap(marginals_);
  }

  // Fisher–Yates with splitmix64: the same on every machine
  void shuffle(size_t n, uint64_t seed) {
    order_.resize(n);
    for (size_t i = 0; i < n; ++i) order_[i] = uint32_t(i);
    for (size_t i = n; i > 1; --i) {
      uint64_t z = (seed += 0x9E3779B97F4A7C15ull);
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
      std::swap(order_[i - 1], order_[(z ^ (z >> 31)) % i]);
    }
  }

  // Forward and backward over prob_ (exp of the scores, each column's largest 1): probabilities of
  // the tags into `tags`, those of the transitions times `sign` added to `transitions`.
  void expect(size_t n, const float (&exp_trans)[T][T], float sign, std::vector<float>& tags,
              float (&transitions)[T][T]) {
    alpha_.resize(n * T);
    beta_.resize(n * T);
    scale_.resize(n);
    tags.resize(n * T);
    for (size_t i = 0; i < n; ++i) {  // forward, each column scaled to 1
      float* q = &alpha_[i * T];
      float sum = 0;
      for (int b = 0; b < T; ++b) {
        float v = 0;
        if (i == 0) v = Tags::begins(b) ? 1.f : 0.f;
        else
          for (int a = 0; a < T; ++a) v += q[a - T] * exp_trans[a][b];
        v *= prob_[i * T + size_t(b)];
        if (i + 1 == n && !Tags::ends(b)) v = 0;
        q[b] = v;
        sum += v;
      }
      scale_[i] = 1.f / std::max(sum, 1e-37f);
      for (int b = 0; b < T; ++b) q[b] *= scale_[i];
    }
    for (int t = 0; t < T; ++t) beta_[(n - 1) * T + size_t(t)] = Tags::ends(t) ? 1.f : 0.f;
    for (size_t i = n - 1; i-- > 0;) {
      float u[T];
      for (int b = 0; b < T; ++b)
        u[b] = beta_[(i + 1) * T + size_t(b)] * prob_[(i + 1) * T + size_t(b)] * scale_[i + 1];
      for (int a = 0; a < T; ++a) {
        float v = 0;
        for (int b = 0; b < T; ++b) {
          float x = exp_trans[a][b] * u[b];
          v += x;
          transitions[a][b] += sign * alpha_[i * T + size_t(a)] * x;
        }
        beta_[i * T + size_t(a)] = v;
      }
    }
    for (size_t i = 0; i < n; ++i) {
      float* g = &tags[i * T];
      float sum = 0;
      for (int t = 0; t < T; ++t) {
        g[t] = alpha_[i * T + size_t(t)] * beta_[i * T + size_t(t)];
        sum += g[t];
      }
      sum = std::max(sum, 1e-37f);
      for (int t = 0; t < T; ++t) g[t] /= sum;
    }
  }

  // Computes prob_ from emissions_ for the tags that `keep(i, t)` allows.
  template <class Keep>
  void exponentiate(size_t n, const Keep& keep) {
    prob_.resize(n * T);
    for (size_t i = 0; i < n; ++i) {
      const float* e = &emissions_[i * T];
      float top = kNever;
      for (int t = 0; t < T; ++t)
        if (keep(i, t)) top = std::max(top, e[t]);
      for (int t = 0; t < T; ++t)
        prob_[i * T + size_t(t)] = keep(i, t) ? std::exp(e[t] - top) : 0.f;
    }
  }
};

}  // namespace segmenter
