// The words of many texts with several threads: lists of texts (batch.cpp), UTF-8 (bytes.cpp), columns
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
  size_t first = 0, count = 0, dropped = 0;  // its tokens within its part's
};

// Texts [first, last) of a batch, about kPart characters, and the tokens they are cut into.
struct BatchPart {
  static constexpr size_t kPart = 1 << 14;
  size_t first = 0, last = 0;
  std::vector<Token> tokens;
  bool done = false;
};

// Cuts the texts of a batch by `threads` threads. finish(to, part) consumes the tokens, in order, in
// the caller's thread, as soon as a part is ready; it may take as long as the cutting (lists of str
// do). While no part is ready, that thread cuts too. finish() ends the call early by returning
// something else than 0.
void cut_batch(const Plan& plan, std::vector<BatchText>& texts, int threads,
               std::vector<Worker*>& workers, void* context,
               int (*finish)(void*, const BatchPart&));

// Cuts UTF-8: the words of every line, joined by a separator; line ends are kept byte for byte.
class BytesCall {
 public:
  int64_t bad = -1;  // offset of the first byte that is not UTF-8

  BytesCall();
  BytesCall(const BytesCall&) = delete;
  BytesCall& operator=(const BytesCall&) = delete;
  ~BytesCall();

  // Lends memory for the result, before run(); it is used if it suffices.
  void lend(char* memory, size_t n);
  void run(const Plan& plan, const char* data, size_t n, const char* sep, size_t sep_n, int threads,
           std::vector<Worker*>& workers);
  size_t size() const;
  bool in_place();  // whether the result lies in the lent memory, from its start
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
  const void* offsets = nullptr;  // rows + 1 of them, int32 or int64
  bool wide = false;              // int64
  size_t rows = 0;
  // row r is valid if bit r + validity_from is set; null: all are
  const uint8_t* validity = nullptr;
  size_t validity_from = 0;

  bool valid(size_t r) const {
    size_t bit = r + validity_from;
    return !validity || (validity[bit >> 3] >> (bit & 7) & 1);
  }
};

enum class ColumnFault { kNone, kOffsets, kUtf8, kTooLong };

// Cuts a column. run() first, then make room for the result, then take it.
class ColumnCall {
 public:
  ColumnFault fault = ColumnFault::kNone;
  size_t fault_row = 0;
  int64_t fault_byte = 0;
  bool copied = false;  // the words' bytes are copied, not the column's own
  size_t words = 0, n_bytes = 0;

  ColumnCall();
  ColumnCall(const ColumnCall&) = delete;
  ColumnCall& operator=(const ColumnCall&) = delete;
  ~ColumnCall();

  // `lists`: rows + 1 offsets, of the column's own width.
  void run(const Plan& plan, const ColumnText& column, int threads, std::vector<Worker*>& workers,
           void* lists);
  // `ends`: words + 1 offsets; `bytes`: n_bytes of memory, if copied.
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
