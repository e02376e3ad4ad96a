// Segments many texts with threads; joins short texts if the model reads many stretches together.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "batch.hpp"
#include "threads.hpp"

namespace segmenter {
namespace {

// Texts cut as one, a line each: short ones, so that what they need of memory is asked for together, and
// all of plans that read many stretches together. No rule looks across a line end, so each text gets
// the tokens that it gets alone.
class JoinedTexts {
 public:
  explicit JoinedTexts(const Plan& plan)
      : never_(user_takes_line_ends(plan)),
        longest_(reads_many(plan) ? ~size_t(0) : 256),
        most_(reads_many(plan) ? 1 << 14 : 1 << 11) {}

  // How many texts, beginning with `texts`, can be joined; at least one.
  size_t count(const BatchText* texts, size_t n) {
    if (never_) return 1;
    size_t sum = 0, i = 0;
    wide_ = false;
    for (; i < n && sum <= most_; ++i) {
      const Text& t = texts[i].text;
      // a carriage return would merge with the line end after it
      if (t.n > longest_ || (t.n && t[t.n - 1] == 13)) break;
      wide_ |= t.width == 4;
      sum += t.n + 1;
    }
    return std::max<size_t>(i, 1);
  }

  void run(const Plan& plan, Worker& worker, BatchText* texts, size_t n, std::vector<Token>& out) {
    const Text all = wide_ ? join(wide_text_, texts, n) : join(narrow_text_, texts, n);
    const std::vector<Token>& tokens = worker.run(plan, all, Request())->tokens;
    size_t made = out.size();
    out.resize(made + tokens.size());
    Token* to = out.data() + made;
    const Token* at = tokens.data();
    const Token* const stop = at + tokens.size();
    uint32_t begin = 0;
    for (size_t i = 0; i < n; ++i) {
      BatchText& t = texts[i];
      const uint32_t end = begin + uint32_t(t.text.n);
      Token* const first = to;
      t.dropped = 0;
      for (; at < stop && at->end <= end; ++at) {
        *to++ = Token{at->end - begin, at->what};
        t.dropped += (at->what & kDropped) != 0;
      }
      t.first = made;
      t.count = size_t(to - first);
      made += t.count;
      ++at;  // the line end
      begin = end + 1;
    }
    out.resize(made);
  }

 private:
  const bool never_;
  const size_t longest_, most_;  // characters of a text, and of all together
  bool wide_ = false;            // some text of those counted last has cells of four bytes
  std::vector<uint16_t> narrow_text_;
  std::vector<uint32_t> wide_text_;

  template <class Cell>
  static Text join(std::vector<Cell>& into, const BatchText* texts, size_t n) {
    into.clear();
    for (size_t i = 0; i < n; ++i) {
      texts[i].text.cells(
          [&](const auto* cells) { into.insert(into.end(), cells, cells + texts[i].text.n); });
      into.push_back('\n');
    }
    return Text{into.data(), int(sizeof(Cell)), into.size()};
  }
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
      n = joined.count(&texts[i], part.last - i);
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
    JoinedTexts joined(plan);
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
