// Many texts cut by threads, short ones joined where a model reads many stretches together.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "threads.hpp"
#include "worker.hpp"

namespace segmenter {

struct BatchText {
  Text text;
  size_t first = 0, count = 0, dropped = 0;  // its pieces within its worker's
  int worker = 0;
};

struct BatchResult {
  std::vector<std::vector<Piece>> pieces;  // a worker
};

// Texts that are cut as one, a line each: what a plan that reads many stretches together asks for.  A line
// end is a boundary that no rule looks across, so the pieces of each are what they are alone.
class JoinedTexts {
 public:
  static constexpr size_t kMost = 1 << 14;  // characters together

  // How many texts from `texts` on can be joined; one always.
  static size_t count(const Plan& plan, const BatchText* texts, size_t n) {
    if (!reads_many(plan) || user_takes_line_ends(plan)) return 1;
    size_t sum = 0, i = 0;
    for (; i < n && sum <= kMost; ++i) {
      const Text& t = texts[i].text;
      // a carriage return would become one with the line end behind it
      if (t.n && t[t.n - 1] == 13) break;
      sum += t.n + 1;
    }
    return std::max<size_t>(i, 1);
  }

  void run(const Plan& plan, Worker& worker, BatchText* texts, size_t n, std::vector<Piece>& out) {
    text_.clear();
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < texts[i].text.n; ++k) text_.push_back(texts[i].text[k]);
      text_.push_back('\n');
    }
    const std::vector<Piece>& pieces = worker.run(plan, Text{text_.data(), 4, text_.size()}, Request())->pieces;
    size_t at = 0, begin = 0;
    for (size_t i = 0; i < n; ++i) {
      BatchText& t = texts[i];
      const size_t end = begin + t.text.n;
      t.first = out.size();
      t.dropped = 0;
      for (; at < pieces.size() && pieces[at].end <= end; ++at) {
        Piece p = pieces[at];
        p.end -= uint32_t(begin);
        t.dropped += (p.what & kDropped) != 0;
        out.push_back(p);
      }
      t.count = out.size() - t.first;
      ++at;  // the line end
      begin = end + 1;
    }
  }

 private:
  std::vector<uint32_t> text_;
};

inline void segment_batch(const Plan& plan, std::vector<BatchText>& texts, int threads,
                          std::vector<Worker*>& workers, BatchResult& result) {
  result.pieces.resize(size_t(threads));
  size_t total = 0, sum = 0;
  for (const BatchText& t : texts) total += t.text.n + 16;
  std::vector<size_t> first(size_t(threads) + 1, texts.size());
  first[0] = 0;
  int part = 1;
  for (size_t i = 0; i < texts.size(); ++i) {  // parts of equal length, order kept
    sum += texts[i].text.n + 16;
    while (part < threads && sum >= total / size_t(threads) * size_t(part)) first[size_t(part++)] = i + 1;
  }
  in_threads(threads, [&](int w) {
    Worker& worker = *workers[size_t(w)];
    std::vector<Piece>& all = result.pieces[size_t(w)];
    JoinedTexts joined;
    for (size_t i = first[size_t(w)], n; i < first[size_t(w) + 1]; i += n) {
      n = JoinedTexts::count(plan, &texts[i], first[size_t(w) + 1] - i);
      BatchText& t = texts[i];
      if (n > 1) {
        joined.run(plan, worker, &t, n, all);
        for (size_t k = 0; k < n; ++k) texts[i + k].worker = w;
        continue;
      }
      const Decision& made = *worker.run(plan, t.text, Request());
      t.worker = w;
      t.first = all.size();
      t.count = made.pieces.size();
      t.dropped = made.dropped;
      all.insert(all.end(), made.pieces.begin(), made.pieces.end());
    }
  });
}

}  // namespace segmenter
