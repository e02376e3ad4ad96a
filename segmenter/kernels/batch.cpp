// Segments many texts with threads. Short texts are joined, and all texts if the model reads many
// stretches together.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "batch.hpp"
#include "threads.hpp"

namespace segmenter {
namespace {

// Texts that are cut as one text, a line each: short texts, so that their memory loads overlap, and
// all texts of plans that read many stretches together. No rule reads across a line end, so each
// text gets the same tokens as alone.
class JoinedTexts {
 public:
  explicit JoinedTexts(const Plan& plan)
      : separate_(user_takes_line_ends(plan)),
        max_text_(reads_many(plan) ? ~size_t(0) : 256),
        max_total_(reads_many(plan) ? 1 << 14 : 1 << 11) {}

  // The number of texts from `texts` on that can be joined; at least one.
  size_t count(const BatchText* texts, size_t n) {
    if (separate_) return 1;
    size_t sum = 0, i = 0;
    wide_ = false;
    for (; i < n && sum <= max_total_; ++i) {
      const Text& t = texts[i].text;
      // a carriage return would merge with the line end after it
      if (t.n > max_text_ || (t.n && t[t.n - 1] == 13)) break;
      wide_ |= t.width == 4;
      sum += t.n + 1;
    }
    return std::max<size_t>(i, 1);
  }

  void run(const Plan& plan, Worker& worker, BatchText* texts, size_t n,
           std::vector<Token>& part_tokens) {
    const Text joined = wide_ ? join(wide_text_, texts, n) : join(narrow_text_, texts, n);
    const std::vector<Token>& tokens = worker.run(plan, joined, Request())->tokens;
    size_t next = part_tokens.size();
    part_tokens.resize(next + tokens.size());
    Token* target = part_tokens.data() + next;
    const Token* token = tokens.data();
    const Token* const tokens_end = token + tokens.size();
    uint32_t begin = 0;
    for (size_t i = 0; i < n; ++i) {
      BatchText& t = texts[i];
      const uint32_t end = begin + uint32_t(t.text.n);
      Token* const first = target;
      t.dropped = 0;
      for (; token < tokens_end && token->end <= end; ++token) {
        *target++ = Token{token->end - begin, token->label};
        t.dropped += (token->label & kDropped) != 0;
      }
      t.first = next;
      t.count = size_t(target - first);
      next += t.count;
      ++token;  // the line end
      begin = end + 1;
    }
    part_tokens.resize(next);
  }

 private:
  const bool separate_;
  const size_t max_text_, max_total_;  // characters of one text, and of all texts together
  bool wide_ = false;                  // one of the texts counted last has cells of four bytes
  std::vector<uint16_t> narrow_text_;
  std::vector<uint32_t> wide_text_;

  template <class Cell>
  static Text join(std::vector<Cell>& buffer, const BatchText* texts, size_t n) {
    buffer.clear();
    for (size_t i = 0; i < n; ++i) {
      texts[i].text.cells(
          [&](const auto* cells) { buffer.insert(buffer.end(), cells, cells + texts[i].text.n); });
      buffer.push_back('\n');
    }
    return Text{buffer.data(), int(sizeof(Cell)), buffer.size()};
  }
};

}  // namespace

void cut_batch(const Plan& plan, std::vector<BatchText>& texts, int threads,
               std::vector<Worker*>& workers, void* context,
               int (*finish)(void*, const BatchPart&)) {
  std::vector<BatchPart> parts;
  const size_t part_size = reads_many(plan) ? 4 * BatchPart::kPart : BatchPart::kPart;
  for (size_t i = 0, sum = 0; i < texts.size(); ++i) {
    if (parts.empty() || sum >= part_size) {
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
  auto cut_part = [&](Worker& worker, JoinedTexts& joined, BatchPart& part) {
    for (size_t i = part.first, n; i < part.last; i += n) {
      n = joined.count(&texts[i], part.last - i);
      BatchText& t = texts[i];
      if (n > 1) {
        joined.run(plan, worker, &t, n, part.tokens);
        continue;
      }
      const Decision& decision = *worker.run(plan, t.text, Request());
      t.first = part.tokens.size();
      t.count = decision.tokens.size();
      t.dropped = decision.dropped;
      part.tokens.insert(part.tokens.end(), decision.tokens.begin(), decision.tokens.end());
    }
  };
  in_threads(threads, [&](int thread) {
    JoinedTexts joined(plan);
    std::unique_lock<Mutex> lock(mutex);
    size_t n_finished = 0;  // consumed parts; used in the thread of the caller alone
    try {
      while (!stop && (thread == 0 ? n_finished < parts.size() : next < parts.size())) {
        if (thread == 0 && parts[n_finished].done) {
          lock.unlock();
          const bool go_on = finish(context, parts[n_finished]) == 0;
          std::vector<Token>().swap(parts[n_finished].tokens);
          lock.lock();
          ++n_finished;
          stop |= !go_on;
        } else if (next < parts.size()) {
          BatchPart& part = parts[next++];
          lock.unlock();
          cut_part(*workers[size_t(thread)], joined, part);
          lock.lock();
          part.done = true;
          if (thread) finished.notify_one();
        } else {
          finished.wait_for(lock, std::chrono::milliseconds(50));
          lock.unlock();  // poll() may run Python code
          Interrupt::poll();
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
