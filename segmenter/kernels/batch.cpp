// Many texts cut by threads, short ones joined where a model reads many stretches together.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "batch.hpp"
#include "threads.hpp"

namespace segmenter {
namespace {

// Texts cut as one, a line each, for plans that read many stretches together. No rule looks across
// a line end, so each text gets the tokens that it gets alone.
class JoinedTexts {
 public:
  static constexpr size_t kMost = 1 << 14;  // characters together

  // How many texts, beginning with `texts`, can be joined; at least one.
  static size_t count(const Plan& plan, const BatchText* texts, size_t n) {
    if (!reads_many(plan) || user_takes_line_ends(plan)) return 1;
    size_t sum = 0, i = 0;
    for (; i < n && sum <= kMost; ++i) {
      const Text& t = texts[i].text;
      // a carriage return would merge with the line end after it
      if (t.n && t[t.n - 1] == 13) break;
      sum += t.n + 1;
    }
    return std::max<size_t>(i, 1);
  }

  void run(const Plan& plan, Worker& worker, BatchText* texts, size_t n, std::vector<Token>& out) {
    text_.clear();
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < texts[i].text.n; ++k) text_.push_back(texts[i].text[k]);
      text_.push_back('\n');
    }
    const std::vector<Token>& tokens =
        worker.run(plan, Text{text_.data(), 4, text_.size()}, Request())->tokens;
    size_t at = 0, begin = 0;
    for (size_t i = 0; i < n; ++i) {
      BatchText& t = texts[i];
      const size_t end = begin + t.text.n;
      t.first = out.size();
      t.dropped = 0;
      for (; at < tokens.size() && tokens[at].end <= end; ++at) {
        Token p = tokens[at];
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

}  // namespace

void cut_batch(const Plan& plan, std::vector<BatchText>& texts, int threads,
               std::vector<Worker*>& workers, void* to, int (*finish)(void*, const BatchPart&)) {
  std::vector<BatchPart> parts;
  const size_t most = reads_many(plan) ? 4 * BatchPart::kPart : BatchPart::kPart;
  for (size_t i = 0, sum = 0; i < texts.size(); ++i) {
    if (parts.empty() || sum >= most) {
      parts.emplace_back();
      parts.back().first = i;
      sum = 0;
    }
    sum += texts[i].text.n + 16;
    parts.back().last = i + 1;
  }
  Mutex mutex;
  Condition finished;
  size_t next = 0;
  bool stop = false;
  auto cut = [&](Worker& worker, JoinedTexts& joined, BatchPart& part) {
    for (size_t i = part.first, n; i < part.last; i += n) {
      n = JoinedTexts::count(plan, &texts[i], part.last - i);
      BatchText& t = texts[i];
      if (n > 1) {
        joined.run(plan, worker, &t, n, part.tokens);
        continue;
      }
      const Decision& made = *worker.run(plan, t.text, Request());
      t.first = part.tokens.size();
      t.count = made.tokens.size();
      t.dropped = made.dropped;
      part.tokens.insert(part.tokens.end(), made.tokens.begin(), made.tokens.end());
    }
  };
  in_threads(threads, [&](int w) {
    JoinedTexts joined;
    std::unique_lock<Mutex> lock(mutex);
    size_t ready = 0;  // parts before it are finished; only the caller's thread uses it
    try {
      while (!stop && (w == 0 ? ready < parts.size() : next < parts.size())) {
        if (w == 0 && parts[ready].done) {
          lock.unlock();
          const bool on = finish(to, parts[ready]) == 0;
          std::vector<Token>().swap(parts[ready].tokens);
          lock.lock();
          ++ready;
          stop |= !on;
        } else if (next < parts.size()) {
          BatchPart& part = parts[next++];
          lock.unlock();
          cut(*workers[size_t(w)], joined, part);
          lock.lock();
          part.done = true;
          if (w) finished.notify_one();
        } else {
          finished.wait_for(lock, std::chrono::milliseconds(50));
          lock.unlock();  // the question may run Python code
          Interrupt::look();
          lock.lock();
        }
      }
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      stop = true;
      finished.notify_one();
      throw;
    }
  });
}

}  // namespace segmenter
