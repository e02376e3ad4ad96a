// What bindings call: cutting a text, a batch, bytes, a column. worker.cpp implements it, so that a
// change of a decoder compiles that unit alone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "atoms/rules.hpp"
#include "decision.hpp"
#include "text.hpp"

namespace segmenter {

struct Worker;
class BytesResult;
class ColumnCut;

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

// The working memory of a call, and what can be asked of it: see Worker. One call at a time.
class Caller {
 public:
  std::vector<Match> matches;  // for the caller to fill; keeps its memory between calls

  Caller();
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller();

  // The result is valid until the next call.
  const Decision* run(const Plan& plan, const Text& text, const Request& request);
  uint64_t steps() const;
  Worker& worker() { return *worker_; }

 private:
  const std::unique_ptr<Worker> worker_;
};

// One of the n best cuts: the spans of its words, and the cost that ranks it.
struct BestCut {
  int64_t cost;
  std::vector<uint32_t> starts, ends;
};

// What inspect.hpp tells of a text besides its cut.
std::vector<AtomFound>& atoms_of(Caller& caller, const Plan& plan, const Text& text);
void whole_dag(Caller& caller, const Plan& plan, const Text& text, const Request& request,
               bool decided, std::vector<Edge>& edges);
void word_edges(Caller& caller, const Plan& plan, const Text& word, const Request& request,
                std::vector<Edge>& edges);
void nbest(Caller& caller, const Plan& plan, const Text& text, const Request& request, size_t count,
           std::vector<BestCut>& out);
void tag_scores(Caller& caller, const Plan& plan, const Text& text, const Request& request,
                std::vector<int32_t>& out);

// The decoders of a lattice by number: their names, null after the last; and whether one needs an
// NgramModel.
const char* decoder_name(int number);
bool needs_ngrams(Decoder decoder);
// Whether reading many stretches together is faster than one after another.
bool batches_pay(const Plan& plan);
// Units of a tagger's score per nat: nat_of() of user/tagging.hpp.
double score_unit(const TaggerModel& m);
// The network's scores of a text's characters, for tests: Tagger::emissions.
void network_emissions(const TaggerModel& m, const Text& text, std::vector<int16_t>& out);
// The path of a DAG given by its edges, by start and end; `what` is an edge's number. k > 0: the k
// best instead.
struct DagPath {
  int64_t cost;
  std::vector<uint32_t> edges;
};
std::vector<DagPath> dag_paths(uint32_t n, const std::vector<Edge>& edges, Decoder decoder,
                               uint32_t k);

// segment_batch() with a C function: finish(to, part) returns 0 to go on.
void cut_batch(const Plan& plan, std::vector<BatchText>& texts, int threads,
               std::vector<Caller*>& callers, void* to, int (*finish)(void*, const BatchPart&));

// Cuts UTF-8; see utf8_job.hpp.
class BytesCall {
 public:
  int64_t bad = -1;  // offset of the first byte that is not UTF-8
  BytesCall();
  BytesCall(const BytesCall&) = delete;
  BytesCall& operator=(const BytesCall&) = delete;
  ~BytesCall();
  void lend(char* memory, size_t n);  // memory for the result
  void run(const Plan& plan, const char* data, size_t n, const char* sep, size_t sep_n, int threads,
           std::vector<Caller*>& callers);
  size_t size() const;
  bool in_place();  // whether the result lies in the lent memory, from its start
  void copy(char* to) const;

 private:
  const std::unique_ptr<BytesResult> result_;
};

// Cuts a column; see column.hpp. run() first, then make room for the result, then take it.
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
  void run(const Plan& plan, const ColumnText& column, int threads, std::vector<Caller*>& callers,
           void* lists);
  // `ends`: words + 1 offsets; `bytes`: n_bytes of memory, if copied.
  void take(const ColumnText& column, void* lists, void* ends, char* bytes) const;

 private:
  const std::unique_ptr<ColumnCut> cut_;
};

}  // namespace segmenter
