// The implementation of decoder.hpp: the decoders over a lattice.
#include "lattice/decoder.hpp"

#include "atoms/rules.hpp"
#include "lattice/decoders.hpp"
#include "lattice/unigram.hpp"

namespace segmenter {

struct LatticeDecoder::Decoders {
  UnigramDecoder unigram;
  DagDecoder dag;  // the others
};

LatticeDecoder::LatticeDecoder() : decoders_(new Decoders()) {}
LatticeDecoder::~LatticeDecoder() = default;

uint64_t LatticeDecoder::steps() const {
  return decoders_->unigram.steps() + decoders_->dag.steps();
}
static bool by_unigram(const Plan& plan) { return plan.decoder == Decoder::kUnigram; }

void LatticeDecoder::begin(const Plan& plan, const Text& text, const Request& request) {
  if (by_unigram(plan)) decoders_->unigram.begin(*plan.lex, text, request);
  else decoders_->dag.begin(*plan.lex, text, request);
}
const std::vector<uint32_t>* LatticeDecoder::triggers(const Plan& plan) {
  const uint16_t* const marked_map = plan.marked ? plan.marked->bmp() : nullptr;
  return by_unigram(plan) ? decoders_->unigram.triggers(marked_map)
                          : decoders_->dag.triggers(marked_map);
}
void LatticeDecoder::edit(const Plan& plan, const Request& request) {
  if (by_unigram(plan)) decoders_->unigram.edit(request);
  else decoders_->dag.edit(request);
}
bool LatticeDecoder::any_alnum() const { return decoders_->unigram.any_alnum(); }
bool LatticeDecoder::may_miss_atoms(const Plan& plan) const {
  return by_unigram(plan) ? decoders_->unigram.may_miss_atoms() : decoders_->dag.may_miss_atoms();
}
Ends LatticeDecoder::ends() { return decoders_->unigram.ends(); }
void LatticeDecoder::run(const Plan& plan, const Request& request, std::vector<Token>& tokens) {
  if (by_unigram(plan)) decoders_->unigram.run(tokens);
  else decoders_->dag.run(*plan.model, plan.decoder, request, tokens);
}

void LatticeDecoder::edges(const Lexicon& lex, const Text& text, const Request& request,
                           std::vector<Edge>& edges) {
  decoders_->dag.build_dag(lex, text, request);
  decoders_->dag.dag().by_start(edges);
}

void LatticeDecoder::best(const Plan& plan, const Text& text, const Request& request, size_t count,
                          std::vector<BestPath>& paths) {
  DagDecoder& decoder = decoders_->dag;
  decoder.build_dag(*plan.lex, text, request);
  decoder.set_history(plan.model->boundary());
  const bool from_left = !plan.lex->numbers && plan.decoder == Decoder::kUnigram;
  std::vector<Path> dag_paths;
  decoder.paths(*plan.model, plan.decoder, uint32_t(count), true, dag_paths, from_left);
  paths.clear();
  for (const Path& path : dag_paths) {
    paths.push_back({path.cost, {}});
    for (const uint32_t number : path.edges) {
      const Edge& edge = decoder.dag().edges[number];
      paths.back().tokens.push_back(Token{edge.end, edge.label});
    }
  }
}

std::vector<DagPath> dag_paths(uint32_t n, const std::vector<Edge>& edges, Decoder decoder,
                               uint32_t k) {
  DagDecoder dag_decoder;
  Dag& dag = dag_decoder.dag();
  const NgramModel no_model{};
  dag.n = n;
  dag.edges = edges;
  dag.index();  // sorts the edges by their end
  std::vector<DagPath> results;
  auto add = [&](int64_t cost, const std::vector<uint32_t>& path) {
    results.push_back({cost, {}});
    for (uint32_t e : path) results.back().edges.push_back(dag.edges[e].label);
  };
  if (k == 0) {
    dag_decoder.decode(no_model, decoder, true);
    add(0, dag_decoder.path());
    return results;
  }
  std::vector<Path> dag_paths;
  dag_decoder.paths(no_model, decoder, k, true, dag_paths);
  for (const Path& path : dag_paths) add(path.cost, path.edges);
  return results;
}

}  // namespace segmenter
