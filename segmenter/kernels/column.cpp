// Cuts a column of texts in the layout of Apache Arrow: UTF-8 bytes, offsets of rows, a bitmap of
// validity. The result has the same layout: offsets of lists, offsets of words, and bytes. The
// bytes are those of the input if the words cover them without gaps.
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "byte_buffer.hpp"
#include "batch.hpp"
#include "offsets.hpp"
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
  Bytes ends, bytes;  // ends of the words; bytes of the words, if copied

  // Writes to lists[r + 1] the number of words of rows `first` to r.
  void run(Worker& worker, const Plan& plan, const ColumnText& column, bool copy, Offset* lists) {
    const Offset* const offsets = static_cast<const Offset*>(column.offsets);
    const bool row_by_row = user_takes_line_ends(plan);
    Request request;
    request.want = Want::kEnds;
    request.by_lines = !row_by_row;
    for (size_t row = first; row < last;) {
      size_t size = 0, first_row = row;
      do {  // about kChunk bytes of rows, each with a line end: no rule reads across it
        if (column.valid(row)) size += size_t(offsets[row + 1] - offsets[row]) + 1;
        ++row;
      } while (row < last && !row_by_row && size < kChunk &&
               size_t(offsets[row] - offsets[first_row]) < kReach &&
               !ends_with_cr(column, row - 1));
      text_.start(column.data, size_t(offsets[first_row]), column.n, size);
      if (!decode(column, offsets, first_row, row)) return;
      emit(*worker.run(plan, text_.text(), request), column, first_row, row,
           size_t(offsets[first_row]), copy, lists);
    }
  }

 private:
  // Chunks as large as those of files; a line end counts as a byte, which bounds the number of
  // short rows.
  static constexpr size_t kChunk = 1 << 14;
  static constexpr size_t kReach = size_t(1) << 30;  // offsets within a chunk have 32 bits
  static constexpr const char* kAcross = "a token reaches across the rows of a column";

  Utf8Text text_;

  // Whether row r ends with a carriage return, which a line end after it would join.
  static bool ends_with_cr(const ColumnText& column, size_t row) {
    const Offset* const offsets = static_cast<const Offset*>(column.offsets);
    return offsets[row + 1] > offsets[row] && column.data[offsets[row + 1] - 1] == '\r';
  }

  bool decode(const ColumnText& column, const Offset* offsets, size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) {
      if (!column.valid(row)) continue;
      size_t begin_byte = size_t(offsets[row]), end_byte = size_t(offsets[row + 1]),
             before = text_.length();
      if (end_byte - begin_byte > 4 * kMostCharacters)
        return failed(ColumnFault::kTooLong, row, int64_t(begin_byte));
      int64_t bad = text_.append(begin_byte, end_byte);
      if (bad >= 0) return failed(ColumnFault::kUtf8, row, bad);
      if (text_.length() - before > kMostCharacters)
        return failed(ColumnFault::kTooLong, row, int64_t(begin_byte));
      if (row + 1 < end) text_.separate();
    }
    return true;
  }

  bool failed(ColumnFault kind, size_t row, int64_t byte) {
    fault = kind;
    fault_row = row;
    fault_byte = byte;
    return false;
  }

  // Writes the words of rows [begin, end), between which there are line ends.
  void emit(const Decision& decision, const ColumnText& column, size_t begin, size_t end,
            size_t base, bool copy, Offset* lists) {
    const Offset* const row_offsets = static_cast<const Offset*>(column.offsets);
    const uint32_t* const char_offsets = text_.offsets();
    const Token *token = decision.tokens.data(), *const tokens_end = token + decision.tokens.size();
    Offset* target =
        reinterpret_cast<Offset*>(ends.reserve(decision.tokens.size() * sizeof(Offset)));
    Offset* const first_target = target;
    char* byte = copy ? bytes.reserve(text_.offsets()[text_.length()]) : nullptr;
    char* const bytes_begin = copy ? byte - bytes.size() : nullptr;
    uint32_t start = 0;
    for (size_t row = begin; row < end; ++row) {
      if (!column.valid(row)) {
        lists[row + 1] = Offset(words + size_t(target - first_target));
        continue;
      }
      const uint32_t row_end = uint32_t(size_t(row_offsets[row + 1]) - base);
      if (row_offsets[row + 1] > row_offsets[row]) {
        for (uint32_t last = 0; last != row_end; ++token) {
          if (token == tokens_end || (last = char_offsets[token->end]) > row_end)
            throw std::logic_error(kAcross);
          if (!copy) {
            *target++ = Offset(base + last);
          } else if (!(token->label & kDropped)) {
            size_t size = last - char_offsets[start];
            std::memcpy(byte, column.data + base + char_offsets[start], size);
            byte += size;
            *target++ = Offset(byte - bytes_begin);
          }
          start = token->end;
        }
      }
      lists[row + 1] = Offset(words + size_t(target - first_target));
      if (row + 1 < end) {  // the line end
        if (token == tokens_end) throw std::logic_error(kAcross);
        start = (token++)->end;
      }
    }
    ends.set_end(reinterpret_cast<const char*>(target));
    if (copy) bytes.set_end(byte);
    words += size_t(target - first_target);
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
  const Offset* const offsets = static_cast<const Offset*>(column.offsets);
  copied = plan.skip != 0;
  for (size_t row = 0; row < column.rows; ++row) {
    if (offsets[row] < 0 || offsets[row + 1] < offsets[row] ||
        size_t(offsets[row + 1]) > column.n) {
      fault = ColumnFault::kOffsets;
      fault_row = row;
      return;
    }
    // an invalid row may have bytes, which would lie between words
    copied |= column.validity && offsets[row + 1] > offsets[row] && !column.valid(row);
  }
  lists[0] = 0;
  const size_t total = column.rows ? size_t(offsets[column.rows] - offsets[0]) + column.rows : 0;
  for (int i = 0; i < threads; ++i) {  // parts of equal length
    parts.push_back(std::make_unique<Part<Offset>>());
    Part<Offset>& part = *parts.back();
    part.first = part.last = i ? parts[size_t(i) - 1]->last : 0;
    const size_t target = total / size_t(threads) * size_t(i + 1);
    size_t low = part.first, high = column.rows;
    while (low < high) {
      size_t row = low + (high - low) / 2;
      if (size_t(offsets[row] - offsets[0]) + row < target) low = row + 1;
      else high = row;
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
  const Offset* const offsets = static_cast<const Offset*>(column.offsets);
  ends[0] = copied || !column.rows ? 0 : offsets[0];
  size_t words_before = 0, bytes_before = 0;
  for (const auto& part : parts) {
    if (words_before)
      for (size_t row = part->first; row < part->last; ++row)
        lists[row + 1] = Offset(lists[row + 1] + Offset(words_before));
    const Offset* source = reinterpret_cast<const Offset*>(part->ends.data());
    Offset* target = ends + words_before + 1;
    if (!bytes_before && part->words) std::memcpy(target, source, part->words * sizeof(Offset));
    else
      for (size_t k = 0; k < part->words; ++k) target[k] = Offset(source[k] + Offset(bytes_before));
    if (part->bytes.size())
      std::memcpy(bytes + bytes_before, part->bytes.data(), part->bytes.size());
    words_before += part->words;
    bytes_before += part->bytes.size();
  }
}

}  // namespace segmenter
