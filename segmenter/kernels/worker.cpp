// The decoders, compiled: what calls.hpp declares.
#include "worker.hpp"

#include <iterator>

#include "batch.hpp"
#include "calls.hpp"
#include "column.hpp"
#include "inspect.hpp"
#include "utf8_job.hpp"

namespace segmenter {

Caller::Caller() : worker_(new Worker()) {}
Caller::~Caller() = default;

const Decision* Caller::run(const Plan& plan, const Text& text, const Request& request) {
  return worker_->run(plan, text, request);
}
uint64_t Caller::steps() const { return worker_->steps(); }

std::vector<AtomFound>& atoms_of(Caller& caller, const Plan& plan, const Text& text) {
  return atoms_of(caller.worker(), plan, text);
}
void whole_dag(Caller& caller, const Plan& plan, const Text& text, const Request& request,
               bool decided, std::vector<Edge>& edges) {
  whole_dag(caller.worker(), plan, text, request, decided, edges);
}
void word_edges(Caller& caller, const Plan& plan, const Text& word, const Request& request,
                std::vector<Edge>& edges) {
  word_edges(caller.worker(), plan, word, request, edges);
}
void nbest(Caller& caller, const Plan& plan, const Text& text, const Request& request, size_t count,
           std::vector<BestCut>& out) {
  nbest(caller.worker(), plan, text, request, count, out);
}
void tag_scores(Caller& caller, const Plan& plan, const Text& text, const Request& request,
                std::vector<int32_t>& out) {
  tag_scores(caller.worker(), plan, text, request, out);
}

const char* decoder_name(int number) {
  return size_t(number) < std::size(kDecoderNames) ? kDecoderNames[number] : nullptr;
}
bool needs_ngrams(Decoder decoder) { return with_ngrams(decoder); }
bool batches_pay(const Plan& plan) { return reads_many(plan); }

namespace {

std::vector<Worker*> workers_of(const std::vector<Caller*>& callers) {
  std::vector<Worker*> out;
  for (Caller* caller : callers) out.push_back(&caller->worker());
  return out;
}

}  // namespace

double score_unit(const TaggerModel& m) { return nat_of(m); }

void network_emissions(const TaggerModel& m, const Text& text, std::vector<int16_t>& out) {
  Tagger().emissions(m, text, out);
}

std::vector<DagPath> dag_paths(uint32_t n, const std::vector<Edge>& edges, Decoder decoder,
                               uint32_t k) {
  DagDecoder found;
  Dag& dag = found.dag();
  const NgramModel none{};
  dag.n = n;
  dag.edges = edges;
  dag.index();  // sorts the edges by their end
  std::vector<DagPath> out;
  auto add = [&](int64_t cost, const std::vector<uint32_t>& path) {
    out.push_back({cost, {}});
    for (uint32_t e : path) out.back().edges.push_back(dag.edges[e].what);
  };
  if (k == 0) {
    found.decode(none, decoder, true);
    add(0, found.path());
    return out;
  }
  std::vector<Path> paths;
  found.paths(none, decoder, k, true, paths);
  for (const Path& path : paths) add(path.cost, path.edges);
  return out;
}

void cut_batch(const Plan& plan, std::vector<BatchText>& texts, int threads,
               std::vector<Caller*>& callers, void* to, int (*finish)(void*, const BatchPart&)) {
  std::vector<Worker*> workers = workers_of(callers);
  segment_batch(plan, texts, threads, workers,
                [&](const BatchPart& part) { return finish(to, part) == 0; });
}

BytesCall::BytesCall() : result_(new BytesResult()) {}
BytesCall::~BytesCall() = default;
void BytesCall::lend(char* memory, size_t n) { result_->lend(memory, n); }
void BytesCall::run(const Plan& plan, const char* data, size_t n, const char* sep, size_t sep_n,
                    int threads, std::vector<Caller*>& callers) {
  std::vector<Worker*> workers = workers_of(callers);
  segment_bytes(plan, data, n, sep, sep_n, threads, workers, *result_);
  bad = result_->bad;
}
size_t BytesCall::size() const { return result_->size(); }
bool BytesCall::in_place() { return result_->in_place(); }
void BytesCall::copy(char* to) const { result_->copy(to); }

ColumnCall::ColumnCall() : cut_(new ColumnCut()) {}
ColumnCall::~ColumnCall() = default;
void ColumnCall::run(const Plan& plan, const ColumnText& column, int threads,
                     std::vector<Caller*>& callers, void* lists) {
  std::vector<Worker*> workers = workers_of(callers);
  cut_->run(plan, column, threads, workers, lists);
  fault = cut_->fault;
  fault_row = cut_->fault_row;
  fault_byte = cut_->fault_byte;
  copied = cut_->copied;
  words = cut_->words;
  n_bytes = cut_->n_bytes;
}
void ColumnCall::take(const ColumnText& column, void* lists, void* ends, char* bytes) const {
  cut_->take(column, lists, ends, bytes);
}

}  // namespace segmenter
