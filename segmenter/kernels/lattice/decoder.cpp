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

void LatticeDecoder::read(const Plan& plan, const Text& text, const Request& request) {
  if (by_unigram(plan)) decoders_->unigram.begin(*plan.lex, text, request);
  else decoders_->dag.begin(*plan.lex, text, request);
}
const std::vector<uint32_t>* LatticeDecoder::triggers(const Plan& plan) {
  const uint16_t* const marked = plan.marked ? plan.marked->bmp() : nullptr;
  return by_unigram(plan) ? decoders_->unigram.triggers(marked) : decoders_->dag.triggers(marked);
}
void LatticeDecoder::edit(const Plan& plan, const Request& request) {
  if (by_unigram(plan)) decoders_->unigram.edit(request);
  else decoders_->dag.edit(request);
}
bool LatticeDecoder::any_alnum() const { return decoders_->unigram.any_alnum(); }
bool LatticeDecoder::unmarked(const Plan& plan) const {
  return by_unigram(plan) ? decoders_->unigram.unmarked() : decoders_->dag.unmarked();
}
Ends LatticeDecoder::ends() { return decoders_->unigram.ends(); }
void LatticeDecoder::run(const Plan& plan, const Request& request, std::vector<Token>& out) {
  if (by_unigram(plan)) decoders_->unigram.run(out);
  else decoders_->dag.run(*plan.model, plan.decoder, request, out);
}

void LatticeDecoder::edges(const Lexicon& lex, const Text& text, const Request& request,
                           std::vector<Edge>& out) {
  decoders_->dag.whole(lex, text, request);
  decoders_->dag.dag().by_start(out);
}

void LatticeDecoder::best(const Plan& plan, const Text& text, const Request& request, size_t count,
                          std::vector<BestPath>& out) {
  DagDecoder& decoder = decoders_->dag;
  decoder.whole(*plan.lex, text, request);
  decoder.set_history(plan.model->boundary());
  const bool from_left = !plan.lex->numbers && plan.decoder == Decoder::kUnigram;
  std::vector<Path> paths;
  decoder.paths(*plan.model, plan.decoder, uint32_t(count), true, paths, from_left);
  out.clear();
  for (const Path& path : paths) {
    out.push_back({path.cost, {}});
    for (const uint32_t e : path.edges) {
      const Edge& edge = decoder.dag().edges[e];
      out.back().tokens.push_back(Token{edge.end, edge.what});
    }
  }
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

}  // namespace segmenter
