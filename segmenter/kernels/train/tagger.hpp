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
// A match of class c of L characters gives role 0 to its first character, 1 to its second, 2 to the
// further inner ones and 3 to its last.  The state of a group at a position is (longest word of the
// group that begins here, longest that goes on here, longest that ends here), each cut to 5 steps.
// A word's class depends on the fold of the sentence (jackknife): the caller says which class a
// word has when the counts of that fold are left out.
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
      : o_(options), lex_(lex) {
    if (o_.groups > kMaxGroups) throw std::invalid_argument("groups: at most 3");
    size_t rows = T;
    uni_ = rows;
    rows += size_t(lex.n_ids) * kUniSlots;
    type_ = rows;
    rows += kTypeCodes;
    state_ = rows;
    rows += size_t(o_.groups) * kStates;
    match_ = rows;
    rows += size_t(lex.n_classes) * kLengths * kRoles;
    bi_ = rows;
    rows += size_t(lex.n_bigrams) * kBiSlots;
    w_.assign(rows * T, 0.f);
  }

  void add(const CorpusColumns& columns) override {
    corpora_.emplace_back(columns);
    prepare(corpora_.back());
  }
  size_t corpora() const override { return corpora_.size(); }
  size_t characters(size_t corpus) const override { return corpora_[corpus].ids.size(); }

  size_t rows() const override { return w_.size() / T; }
  float* weights() override { return w_.data(); }
  std::vector<size_t> layout() const override { return {uni_, type_, state_, match_, bi_, rows()}; }

  void features(size_t corpus, std::vector<int64_t>& starts,
                std::vector<uint32_t>& rows) const override {
    const TaggedCorpus& c = corpora_[corpus];
    starts.assign(c.ids.size() + 1, 0);
    for (size_t s = 0; s < c.sentences(); ++s)
      each(c, s, [&](size_t p, size_t) { ++starts[size_t(c.offsets[s]) + p + 1]; });
    for (size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    rows.resize(size_t(starts.back()));
    std::vector<int64_t> at(starts.begin(), starts.end() - 1);
    for (size_t s = 0; s < c.sentences(); ++s)
      each(c, s, [&](size_t p, size_t row) {
        rows[size_t(at[size_t(c.offsets[s]) + p]++)] = uint32_t(row);
      });
  }

  uint64_t perceptron_epoch(size_t corpus, uint64_t seed) override {
    const TaggedCorpus& c = corpora_[corpus];
    sums_.resize(w_.size(), 0.0);
    return perceptron(c, seed);
  }
  void forget_average() override {
    sums_.clear();
    step_ = 1;
  }
  double crf_epoch(size_t corpus, uint64_t seed, double eta0, double eta1, double lambda) override {
    const TaggedCorpus& c = corpora_[corpus];
    return crf(c, seed, eta0, eta1, lambda);
  }
  void swap_average() override {
    w_.swap(plain_);
    if (!w_.empty()) return plain_.clear();
    w_ = plain_;
    for (size_t i = 0; i < sums_.size(); ++i) w_[i] = float(double(w_[i]) - sums_[i] / step_);
  }
  void decode(size_t corpus, uint8_t* tags, uint64_t* counts) override {
    const TaggedCorpus& c = corpora_[corpus];
    decode_as(c, tags, counts);
  }

 private:
  TrainerOptions o_;
  LexiconFeatures lex_;
  size_t uni_ = 0, type_ = 0, state_ = 0, match_ = 0, bi_ = 0;
  std::vector<float> w_, plain_;
  std::vector<double> sums_;
  double step_ = 1;
  std::vector<float> em_, alpha_, beta_, prob_, scale_, free_, fitting_;
  std::vector<int> gold_, best_;
  std::vector<uint8_t> back_;
  std::vector<uint32_t> order_;
  std::vector<TaggedCorpus> corpora_;

  static constexpr int T = kTags;
  static constexpr float kNever = -1e30f;

  void prepare(TaggedCorpus& c) const {
    size_t n = c.ids.size(), G = o_.groups;
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
        if (!o_.min_match) continue;
        for (size_t k = i + 1; slot && k < e && k - i < o_.max_match;) {
          int32_t w = lex_.word_of_slot[slot];
          uint16_t cls = w < 0 ? kNoClass : lex_.classes[size_t(w) * lex_.n_folds + c.folds[s]];
          if (cls != kNoClass) {
            uint32_t len = uint32_t(k - i + 1);
            if (len >= o_.min_match) c.matches.push_back(uint32_t(cls) << 8 | len);
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
  void each(const TaggedCorpus& c, size_t s, const F& f) const {
    const size_t b = size_t(c.offsets[s]), n = size_t(c.offsets[s + 1]) - b, G = o_.groups;
    const uint16_t* id = c.ids.data() + b;
    const int32_t* bi = c.bigrams.data() + b;
    const uint16_t* uni_of = lex_.uni_of_id;
    for (size_t i = 0; i < n; ++i) {
      for (int d = 0; d < 4; ++d) {
        if (!(o_.uni_mask >> d & 1)) continue;
        size_t j = i + size_t(d) - 2;  // wraps below 0
        uint32_t x = j < n ? uni_of[id[j]] : uni_of[0];
        f(i, uni_ + size_t(x) * kUniSlots + size_t(d));
      }
      for (int d = 0; d < 4; ++d) {
        if (!(o_.bi_mask >> d & 1)) continue;
        size_t j = i + size_t(d) - 2;
        if (j < n && bi[j] >= 0) f(i, bi_ + size_t(bi[j]) * kBiSlots + size_t(d));
      }
      if (o_.types) {
        uint32_t before = i ? lex_.type_of_id[id[i - 1]] : 0;
        uint32_t after = i + 1 < n ? lex_.type_of_id[id[i + 1]] : 0;
        f(i, type_ + (before * 8 + lex_.type_of_id[id[i]]) * 8 + after);
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
    em_.assign(n * T, 0.f);
    const float* w = w_.data();
    float* em = em_.data();
    each(c, s, [&](size_t p, size_t row) {
      for (int t = 0; t < T; ++t) em[p * T + size_t(t)] += w[row * T + size_t(t)];
    });
    if (scale != 1.f)
      for (float& v : em_) v *= scale;
    for (int a = 0; a < T; ++a)
      for (int b = 0; b < T; ++b) trans[a][b] = scale * w[a * T + b];
  }

  void viterbi(size_t n, const float (&trans)[T][T]) {
    best_.resize(n);
    back_.resize(n * T);
    float d[T], q[T];
    for (int t = 0; t < T; ++t) d[t] = Tags::begins(t) ? em_[size_t(t)] : kNever;
    for (size_t i = 1; i < n; ++i) {
      best_step(trans[0], d, &em_[i * T], q, &back_[i * T]);
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
    uint8_t before = i ? ends[i - 1] : 1, after = i + 1 < n ? ends[i] : 1;
    return (before == kOpen || (before == 1) == Tags::begins(t)) &&
           (after == kOpen || (after == 1) == Tags::ends(t));
  }

  // Gold tags of a partly labelled sentence: the sequence that fits its labels best under the
  // current weights (the update of Liu et al. 2014), by the scores in em_, which it restores.
  void fill_gold(const TaggedCorpus& c, size_t s, const float (&trans)[T][T]) {
    const size_t b = size_t(c.offsets[s]), n = size_t(c.offsets[s + 1]) - b;
    free_ = em_;
    for (size_t i = 0; i < n; ++i)
      for (int t = 0; t < T; ++t)
        if (!fits(&c.ends[b], n, i, t)) em_[i * T + size_t(t)] = kNever;
    viterbi(n, trans);
    gold_ = best_;
    em_.swap(free_);
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

  uint64_t perceptron(const TaggedCorpus& c, uint64_t seed) {
    shuffle(c.sentences(), seed);
    uint64_t wrong = 0;
    float trans[T][T];
    for (uint32_t s : order_) {
      size_t n = size_t(c.offsets[s + 1] - c.offsets[s]);
      if (!n) continue;
      emit(c, s, 1.f, trans);
      if (!set_gold(c, s)) fill_gold(c, s, trans);
      viterbi(n, trans);
      uint64_t here = 0;
      for (size_t i = 0; i < n; ++i) here += gold_[i] != best_[i];
      if (here) {
        float* w = w_.data();
        double* sum = sums_.data();
        auto add = [&](size_t k, float d) {
          w[k] += d;
          sum[k] += step_ * double(d);
        };
        each(c, s, [&](size_t p, size_t row) {
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
      wrong += here;
      step_ += 1;
    }
    return wrong;
  }

  // Forward and backward over prob_ (exp of the scores, each column's largest 1): probabilities of
  // the tags into `tags`, those of the transitions times `sign` added to `moves`.
  void expect(size_t n, const float (&X)[T][T], float sign, std::vector<float>& tags,
              float (&moves)[T][T]) {
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
          for (int a = 0; a < T; ++a) v += q[a - T] * X[a][b];
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
          float x = X[a][b] * u[b];
          v += x;
          moves[a][b] += sign * alpha_[i * T + size_t(a)] * x;
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

  // Computes prob_ from the scores in em_ for the tags that `keep(i, t)` allows.
  template <class Keep>
  void exponentiate(size_t n, const Keep& keep) {
    prob_.resize(n * T);
    for (size_t i = 0; i < n; ++i) {
      const float* e = &em_[i * T];
      float top = kNever;
      for (int t = 0; t < T; ++t)
        if (keep(i, t)) top = std::max(top, e[t]);
      for (int t = 0; t < T; ++t)
        prob_[i * T + size_t(t)] = keep(i, t) ? std::exp(e[t] - top) : 0.f;
    }
  }

  // A sentence's gradient is what its labels expect minus what the model expects. Where labels
  // leave boundaries open, they expect what the model does among the sequences that fit them: the
  // likelihood is the sum over all of these (Tsuboi et al. 2008).
  double crf(const TaggedCorpus& c, uint64_t seed, double eta0, double eta1, double lambda) {
    shuffle(c.sentences(), seed);
    double scale = 1, log_marginals = 0;
    float trans[T][T], X[T][T], grad[T][T];
    for (size_t at = 0; at < order_.size(); ++at) {
      uint32_t s = order_[at];
      const size_t b = size_t(c.offsets[s]), n = size_t(c.offsets[s + 1]) - b;
      if (!n) continue;
      double eta = eta0 + (eta1 - eta0) * double(at) / double(order_.size());
      emit(c, s, float(scale), trans);
      for (int x = 0; x < T; ++x)
        for (int y = 0; y < T; ++y) X[x][y] = Tags::follows(x, y) ? std::exp(trans[x][y]) : 0.f;
      std::memset(grad, 0, sizeof grad);
      exponentiate(n, [](size_t, int) { return true; });
      expect(n, X, -1.f, free_, grad);
      const bool whole = set_gold(c, s);
      if (whole) {
        for (size_t i = 1; i < n; ++i) grad[gold_[i - 1]][gold_[i]] += 1.f;
      } else {
        const uint8_t* ends = &c.ends[b];
        exponentiate(n, [&](size_t i, int t) { return fits(ends, n, i, t); });
        expect(n, X, 1.f, fitting_, grad);
      }
      scale *= 1 - eta * lambda;
      const float rate = float(eta / scale);
      for (size_t i = 0; i < n; ++i) {
        float* g = &free_[i * T];
        double right = 0;
        for (int t = 0; t < T; ++t) {
          if (whole ? t == gold_[i] : fits(&c.ends[b], n, i, t)) right += double(g[t]);
          float wanted = whole ? float(t == gold_[i]) : fitting_[i * T + size_t(t)];
          g[t] = rate * (wanted - g[t]);
        }
        log_marginals += std::log(std::max(right, 1e-30));
      }
      float* w = w_.data();
      const float* g = free_.data();
      each(c, s, [&](size_t p, size_t row) {
        for (int t = 0; t < T; ++t) w[row * T + size_t(t)] += g[p * T + size_t(t)];
      });
      for (int x = 0; x < T; ++x)
        for (int y = 0; y < T; ++y)
          if (Tags::follows(x, y)) w[x * T + y] += rate * grad[x][y];
    }
    for (float& v : w_) v = float(v * scale);
    return log_marginals;
  }

  void decode_as(const TaggedCorpus& c, uint8_t* tags, uint64_t* counts) {
    uint64_t &right = counts[0], &gold = counts[1], &predicted = counts[2];
    right = gold = predicted = 0;
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
        right += g && p && last_gold == last_predicted;
        gold += g;
        predicted += p;
        if (g) last_gold = i + 1;
        if (p) last_predicted = i + 1;
      }
    }
  }
};

}  // namespace segmenter
