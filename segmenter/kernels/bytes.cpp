// Segments UTF-8 text into UTF-8 text, with threads that each take whole lines.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "byte_buffer.hpp"
#include "batch.hpp"
#include "threads.hpp"
#include "utf8_text.hpp"

namespace segmenter {

// A part of the lines, cut by one thread.
class BytesCall::Part {
 public:
  Bytes out;
  int64_t bad = -1;  // offset of the first byte that is not UTF-8

  void run(Worker& worker, const Plan& plan, const char* data, size_t n, const char* sep,
           size_t sep_n) {
    const uint8_t* text = reinterpret_cast<const uint8_t*>(data);
    if (!out.lent()) out.reserve(n + n / 2 + 64);
    Request request;
    request.want = Want::kEnds;
    request.by_lines = true;
    const size_t chunk = reads_many(plan) ? 4 * kChunk : kChunk;
    for (size_t begin = 0; begin < n;) {
      // whole lines, about kChunk bytes: no rule reads across a line end, so results do not depend
      // on where chunks end
      size_t end = begin + chunk;
      if (end < n) {
        const void* line = std::memchr(text + end, '\n', n - end);
        end = line ? size_t(static_cast<const uint8_t*>(line) - text) + 1 : n;
      } else end = n;
      text_.start(text, begin, n, end - begin);
      bad = text_.append(begin, end);
      if (bad >= 0) return;
      emit(*worker.run(plan, text_.text(), request), text + begin, n - begin, sep, sep_n);
      begin = end;
    }
  }

 private:
  static constexpr size_t kChunk = 1 << 14;
  Utf8Text text_;

  // `n` bytes from `text` on may be read.
  void emit(const Decision& decision, const uint8_t* text, size_t n, const char* sep,
            size_t sep_n) {
    const uint32_t* const offsets = text_.offsets();
    size_t total = offsets[text_.length()];
    char* target = out.reserve(total + decision.tokens.size() * sep_n + 32);
    uint32_t start = 0;
    bool line_start = true;
    char separator = sep_n == 1 ? *sep : 0;
    for (const Token& token : decision.tokens) {
      uint32_t begin = offsets[start], end = offsets[token.end];
      start = token.end;
      if (token.label & kDropped && token_kind(token.label) != kLineEnd) continue;
      if (token_kind(token.label) == kLineEnd) {
        line_start = true;
      } else if (line_start) {
        line_start = false;
      } else if (sep_n == 1) {
        *target++ = separator;
      } else {
        std::memcpy(target, sep, sep_n);
        target += sep_n;
      }
      size_t size = end - begin;
      const uint8_t* source = text + begin;
      if (size <= 16 && size_t(begin) + 16 <= n)
        std::memcpy(target, source, 16);  // a move without a branch
      else std::memcpy(target, source, size);
      target += size;
    }
    out.set_end(target);
  }
};

BytesCall::BytesCall() = default;
BytesCall::~BytesCall() = default;

size_t BytesCall::size() const {
  size_t n = 0;
  for (const auto& part : parts_) n += part->out.size();
  return n;
}

void BytesCall::lend(char* memory, size_t n) {
  lent_ = memory;
  lent_size_ = n;
}

// If all parts lie in the lent memory, they become contiguous from its start.
bool BytesCall::in_place() {
  for (const auto& part : parts_)
    if (!part->out.lent()) return false;
  char* target = lent_;
  for (const auto& part : parts_) {
    if (part->out.size()) std::memmove(target, part->out.data(), part->out.size());
    target += part->out.size();
  }
  return true;
}

void BytesCall::copy(char* target) const {
  for (const auto& part : parts_) {
    if (part->out.size()) std::memcpy(target, part->out.data(), part->out.size());
    target += part->out.size();
  }
}

void BytesCall::run(const Plan& plan, const char* data, size_t n, const char* sep, size_t sep_n,
                    int threads, std::vector<Worker*>& workers) {
  // one part per thread, cut after a line end
  std::vector<size_t> cuts{0};
  for (int i = 1; i < threads; ++i) {
    size_t begin = std::max(cuts.back(), n / size_t(threads) * size_t(i));
    const void* line = begin < n ? std::memchr(data + begin, '\n', n - begin) : nullptr;
    cuts.push_back(line ? size_t(static_cast<const char*>(line) - data) + 1 : n);
  }
  cuts.push_back(n);
  size_t n_lent = 0;
  for (size_t i = 0; i < size_t(threads); ++i) {
    parts_.push_back(std::make_unique<Part>());
    const size_t size = cuts[i + 1] - cuts[i], room = size + size / 2 * sep_n + 64;
    if (n_lent + room > lent_size_) continue;
    parts_[i]->out.lend(lent_ + n_lent, room);
    n_lent += room;
  }
  in_threads(threads, [&](int i) {
    size_t begin = cuts[size_t(i)], end = cuts[size_t(i) + 1];
    if (begin < end)
      parts_[size_t(i)]->run(*workers[size_t(i)], plan, data + begin, end - begin, sep, sep_n);
  });
  for (int i = 0; i < threads; ++i)
    if (parts_[size_t(i)]->bad >= 0) {
      bad = int64_t(cuts[size_t(i)]) + parts_[size_t(i)]->bad;
      return;
    }
}

}  // namespace segmenter
