// The words of a column of texts in the layout of Apache Arrow: UTF-8 bytes, offsets of the rows, a
// bitmap of validity. The result has the same layout: offsets of lists, offsets of words, and bytes. The
// bytes are those of the input if the words cover them without gaps.
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "byte_buffer.hpp"
#include "batch.hpp"
#include "threads.hpp"
#include "utf8_text.hpp"

namespace segmenter {

// Rows [first, last) of a column, cut by one thread.
template <class Offset>
class ColumnCall::Part {
 public:
  size_t first = 0, last = 0, words = 0;
  ColumnFault fault = ColumnFault::kNone;
  size_t fault_row = 0;
  int64_t fault_byte = 0;
  Bytes ends, bytes;  // ends of the words; the words' bytes, where they are copied

  // Writes how many words rows first to r have, in all, into `lists[r + 1]`.
  void run(Worker& worker, const Plan& plan, const ColumnText& column, bool copy, Offset* lists) {
    const Offset* const at = static_cast<const Offset*>(column.offsets);
    const bool alone = user_takes_line_ends(plan);
    Request request;
    request.want = Want::kEnds;
    request.by_lines = !alone;
    for (size_t r = first; r < last;) {
      size_t size = 0, begin = r;
      do {  // about kChunk bytes of rows, a line end after each: no rule looks across it
        if (column.valid(r)) size += size_t(at[r + 1] - at[r]) + 1;
        ++r;
      } while (r < last && !alone && size < kChunk && size_t(at[r] - at[begin]) < kReach &&
               !ends_open(column, r - 1));
      text_.start(column.data, size_t(at[begin]), column.n, size);
      if (!decode(column, at, begin, r)) return;
      emit(*worker.run(plan, text_.text(), request), column, begin, r, size_t(at[begin]), copy,
           lists);
    }
  }

 private:
  // Chunks as large as those of files; very short rows end a chunk by the number of line ends.
  static constexpr size_t kChunk = 1 << 14;
  static constexpr size_t kReach = size_t(1) << 30;  // offsets within a chunk have 32 bits
  static constexpr size_t kLongest = 0x7FFFFFFF / 8;
  static constexpr const char* kAcross = "a token reaches across the rows of a column";

  Utf8Text text_;

  // Whether a line end after row r would become part of its last token.
  static bool ends_open(const ColumnText& column, size_t r) {
    const Offset* const at = static_cast<const Offset*>(column.offsets);
    return at[r + 1] > at[r] && column.data[at[r + 1] - 1] == '\r';
  }

  bool decode(const ColumnText& column, const Offset* at, size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r) {
      if (!column.valid(r)) continue;
      size_t a = size_t(at[r]), b = size_t(at[r + 1]), before = text_.length();
      if (b - a > 4 * kLongest) return failed(ColumnFault::kTooLong, r, int64_t(a));
      int64_t bad = text_.append(a, b);
      if (bad >= 0) return failed(ColumnFault::kUtf8, r, bad);
      if (text_.length() - before > kLongest) return failed(ColumnFault::kTooLong, r, int64_t(a));
      if (r + 1 < end) text_.separate();
    }
    return true;
  }

  bool failed(ColumnFault what, size_t row, int64_t byte) {
    fault = what;
    fault_row = row;
    fault_byte = byte;
    return false;
  }

  // The tokens of rows [begin, end) and of the line ends between them.
  void emit(const Decision& made, const ColumnText& column, size_t begin, size_t end, size_t base,
            bool copy, Offset* lists) {
    const Offset* const at = static_cast<const Offset*>(column.offsets);
    const uint32_t* const offsets = text_.offsets();
    const Token *p = made.tokens.data(), *const stop = p + made.tokens.size();
    Offset* to = reinterpret_cast<Offset*>(ends.reserve(made.tokens.size() * sizeof(Offset)));
    Offset* const from = to;
    char* out = copy ? bytes.reserve(text_.offsets()[text_.length()]) : nullptr;
    char* const zero = copy ? out - bytes.size() : nullptr;
    uint32_t start = 0;
    for (size_t r = begin; r < end; ++r) {
      if (!column.valid(r)) {
        lists[r + 1] = Offset(words + size_t(to - from));
        continue;
      }
      const uint32_t row_end = uint32_t(size_t(at[r + 1]) - base);
      if (at[r + 1] > at[r]) {
        for (uint32_t last = 0; last != row_end; ++p) {
          if (p == stop || (last = offsets[p->end]) > row_end) throw std::logic_error(kAcross);
          if (!copy) {
            *to++ = Offset(base + last);
          } else if (!(p->what & kDropped)) {
            size_t size = last - offsets[start];
            std::memcpy(out, column.data + base + offsets[start], size);
            out += size;
            *to++ = Offset(out - zero);
          }
          start = p->end;
        }
      }
      lists[r + 1] = Offset(words + size_t(to - from));
      if (r + 1 < end) {  // the line end
        if (p == stop) throw std::logic_error(kAcross);
        start = (p++)->end;
      }
    }
    ends.grew(reinterpret_cast<const char*>(to));
    if (copy) bytes.grew(out);
    words += size_t(to - from);
  }
};

ColumnCall::ColumnCall() = default;
ColumnCall::~ColumnCall() = default;

void ColumnCall::run(const Plan& plan, const ColumnText& column, int threads,
                     std::vector<Worker*>& workers, void* lists) {
  if (column.wide)
    run_as<int64_t>(plan, column, threads, workers, static_cast<int64_t*>(lists), wide_);
  else run_as<int32_t>(plan, column, threads, workers, static_cast<int32_t*>(lists), narrow_);
}

void ColumnCall::take(const ColumnText& column, void* lists, void* ends, char* bytes) const {
  if (column.wide)
    take_as(column, static_cast<int64_t*>(lists), static_cast<int64_t*>(ends), bytes, wide_);
  else take_as(column, static_cast<int32_t*>(lists), static_cast<int32_t*>(ends), bytes, narrow_);
}

template <class Offset>
void ColumnCall::run_as(const Plan& plan, const ColumnText& column, int threads,
                        std::vector<Worker*>& workers, Offset* lists, Parts<Offset>& parts) {
  const Offset* const at = static_cast<const Offset*>(column.offsets);
  copied = plan.skip != 0;
  for (size_t r = 0; r < column.rows; ++r) {
    if (at[r] < 0 || at[r + 1] < at[r] || size_t(at[r + 1]) > column.n) {
      fault = ColumnFault::kOffsets;
      fault_row = r;
      return;
    }
    // bytes of an invalid row would lie between words
    copied |= column.validity && at[r + 1] > at[r] && !column.valid(r);
  }
  lists[0] = 0;
  const size_t total = column.rows ? size_t(at[column.rows] - at[0]) + column.rows : 0;
  for (int i = 0; i < threads; ++i) {  // parts of equal length
    parts.push_back(std::make_unique<Part<Offset>>());
    Part<Offset>& part = *parts.back();
    part.first = part.last = i ? parts[size_t(i) - 1]->last : 0;
    const size_t until = total / size_t(threads) * size_t(i + 1);
    size_t low = part.first, high = column.rows;
    while (low < high) {
      size_t r = low + (high - low) / 2;
      if (size_t(at[r] - at[0]) + r < until) low = r + 1;
      else high = r;
    }
    part.last = i + 1 == threads ? column.rows : low;
  }
  in_threads(threads, [&](int i) {
    parts[size_t(i)]->run(*workers[size_t(i)], plan, column, copied, lists);
  });
  for (const auto& part : parts) {
    if (part->fault != ColumnFault::kNone) {
      fault = part->fault;
      fault_row = part->fault_row;
      fault_byte = part->fault_byte;
      return;
    }
    words += part->words;
    n_bytes += part->bytes.size();
  }
}

template <class Offset>
void ColumnCall::take_as(const ColumnText& column, Offset* lists, Offset* ends, char* bytes,
                         const Parts<Offset>& parts) const {
  const Offset* const at = static_cast<const Offset*>(column.offsets);
  ends[0] = copied || !column.rows ? 0 : at[0];
  size_t before = 0, bytes_before = 0;
  for (const auto& part : parts) {
    if (before)
      for (size_t r = part->first; r < part->last; ++r)
        lists[r + 1] = Offset(lists[r + 1] + Offset(before));
    const Offset* from = reinterpret_cast<const Offset*>(part->ends.data());
    Offset* to = ends + before + 1;
    if (!bytes_before && part->words) std::memcpy(to, from, part->words * sizeof(Offset));
    else
      for (size_t k = 0; k < part->words; ++k) to[k] = Offset(from[k] + Offset(bytes_before));
    if (part->bytes.size())
      std::memcpy(bytes + bytes_before, part->bytes.data(), part->bytes.size());
    before += part->words;
    bytes_before += part->bytes.size();
  }
}

}  // namespace segmenter
