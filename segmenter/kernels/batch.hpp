// Cuts many texts with several threads: lists of texts (batch.cpp), UTF-8 (bytes.cpp), columns
// (column.cpp).
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "text.hpp"
#include "token.hpp"
#include "worker.hpp"

namespace segmenter {

// Whether reading many stretches together is faster than one after another.
bool reads_many(const Plan& plan);
// Whether a word of the user contains a line end, so that lines cannot be cut together.
bool user_takes_line_ends(const Plan& plan);

struct BatchText {
  Text text;
  size_t first = 0, count = 0, dropped = 0;  // its tokens among those of its part
};

// Texts [first, last) of a batch, about kPart characters, and their tokens.
struct BatchPart {
  static constexpr size_t kPart = 1 << 14;
  size_t first = 0, last = 0;
  std::vector<Token> tokens;
  bool done = false;
};

// Cuts the texts of a batch with `threads` threads. finish(context, part) consumes the tokens of
// the parts, in order, in the thread of the caller; it may take as long as the cutting (lists of
// str do). While no part is ready, the caller cuts too. A result of finish() other than 0 ends the
// call.
void cut_batch(const Plan& plan, std::vector<BatchText>& texts, int threads,
               std::vector<Worker*>& workers, void* context,
               int (*finish)(void*, const BatchPart&));

// Cuts UTF-8: joins the words of every line by a separator, and keeps line ends byte for byte.
class BytesCall {
 public:
  int64_t bad = -1;  // offset of the first byte that is not UTF-8

  BytesCall();
  BytesCall(const BytesCall&) = delete;
  BytesCall& operator=(const BytesCall&) = delete;
  ~BytesCall();

  // Lends memory for the result; call before run(). It is used if it suffices.
  void lend(char* memory, size_t n);
  void run(const Plan& plan, const char* data, size_t n, const char* sep, size_t sep_n, int threads,
           std::vector<Worker*>& workers);
  size_t size() const;
  bool in_place();  // whether the result is in the lent memory, from its start
  void copy(char* to) const;

 private:
  class Part;
  std::vector<std::unique_ptr<Part>> parts_;  // one per thread
  char* lent_ = nullptr;
  size_t lent_size_ = 0;
};

struct ColumnText {
  const uint8_t* data = nullptr;
  size_t n = 0;                   // bytes of data
  const void* offsets = nullptr;  // rows + 1 offsets, int32 or int64
  bool wide = false;              // whether offsets are int64
  size_t rows = 0;
  // row r is valid if bit r + validity_from is set; null: all rows are
  const uint8_t* validity = nullptr;
  size_t validity_from = 0;

  bool valid(size_t r) const {
    size_t bit = r + validity_from;
    return !validity || (validity[bit >> 3] >> (bit & 7) & 1);
  }
};

enum class ColumnFault { kNone, kOffsets, kUtf8, kTooLong };

// Cuts a column: run(), then allocate the result, then take().
class ColumnCall {
 public:
  ColumnFault fault = ColumnFault::kNone;
  size_t fault_row = 0;
  int64_t fault_byte = 0;
  bool copied = false;  // whether the result has its own bytes instead of those of the column
  size_t words = 0, n_bytes = 0;

  ColumnCall();
  ColumnCall(const ColumnCall&) = delete;
  ColumnCall& operator=(const ColumnCall&) = delete;
  ~ColumnCall();

  // `lists`: rows + 1 offsets, as wide as those of the column.
  void run(const Plan& plan, const ColumnText& column, int threads, std::vector<Worker*>& workers,
           void* lists);
  // `ends`: words + 1 offsets; `bytes`: n_bytes bytes, if `copied`.
  void take(const ColumnText& column, void* lists, void* ends, char* bytes) const;

 private:
  template <class Offset>
  class Part;
  template <class Offset>
  using Parts = std::vector<std::unique_ptr<Part<Offset>>>;  // one per thread
  Parts<int32_t> narrow_;
  Parts<int64_t> wide_;

  template <class Offset>
  void run_as(const Plan& plan, const ColumnText& column, int threads,
              std::vector<Worker*>& workers, Offset* lists, Parts<Offset>& parts);
  template <class Offset>
  void take_as(const ColumnText& column, Offset* lists, Offset* ends, char* bytes,
               const Parts<Offset>& parts) const;
};

}  // namespace segmenter
