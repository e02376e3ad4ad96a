// Counts how often each span occurs in texts, in the order of first occurrence.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "probe.hpp"
#include "subword/expressions.hpp"
#include "threads.hpp"

namespace segmenter {

class SpanCounts final : public SpanCounter {
 public:
  // Each thread takes consecutive texts, so the order does not depend on the number of threads.
  void add(const PreTokenScanner& scanner, const std::vector<Text>& texts, int threads) override {
    const size_t n = size_t(std::max(threads, 1));
    std::vector<SpanCounts> parts(n - 1);
    in_threads(int(n), [&](int w) {
      SubwordScratch s;
      SpanCounts& counts = w ? parts[size_t(w) - 1] : *this;
      for (size_t i = texts.size() * size_t(w) / n; i < texts.size() * (size_t(w) + 1) / n; ++i) {
        s.widen(texts[i]);
        s.spans.clear();
        find_spans(scanner, s.text.data(), s.text.size(), s, s.spans);
        for (const SubwordSpan& span : s.spans)
          counts.add(s.text.data() + span.start, span.end - span.start, 1);
      }
    });
    for (const SpanCounts& part : parts)
      for (size_t i = 0; i < part.size(); ++i) add(part.begin(i), part.length(i), part.counts_[i]);
  }
  size_t size() const override { return counts_.size(); }
  Counted at(size_t i) const override { return {begin(i), length(i), counts_[i]}; }

 private:
  std::vector<uint32_t> pool_, slots_;
  std::vector<size_t> starts_{0};
  std::vector<uint64_t> hashes_;
  std::vector<int64_t> counts_;

  const uint32_t* begin(size_t i) const { return pool_.data() + starts_[i]; }
  size_t length(size_t i) const { return starts_[i + 1] - starts_[i]; }
  void add(const uint32_t* word, size_t n, int64_t count) {
    if (slots_.size() < 2 * (counts_.size() + 1)) grow();
    const uint64_t hash = hash_of(word, n);
    const size_t slot = probe(hash & (slots_.size() - 1), slots_.size() - 1, [&](size_t k) {
      const size_t i = size_t(slots_[k]) - 1;
      return !slots_[k] || (hashes_[i] == hash && length(i) == n &&
                            !std::memcmp(begin(i), word, n * sizeof(uint32_t)));
    });
    if (slots_[slot]) {
      counts_[slots_[slot] - 1] += count;
      return;
    }
    pool_.insert(pool_.end(), word, word + n);
    starts_.push_back(pool_.size());
    hashes_.push_back(hash);
    counts_.push_back(count);
    slots_[slot] = uint32_t(counts_.size());
  }
  void grow() {
    const size_t size = power_of_two(4 * (counts_.size() + 1), 1024);
    slots_.assign(size, 0);
    for (size_t i = 0; i < counts_.size(); ++i)
      slots_[probe(hashes_[i] & (size - 1), size - 1, [&](size_t k) { return !slots_[k]; })] =
          uint32_t(i + 1);
  }
};

}  // namespace segmenter
