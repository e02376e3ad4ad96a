// Threads that share one lexicon and one model, for ThreadSanitizer: calls of several threads of
// the caller's, each of which starts threads of its own, cut the same texts and must all give the
// same tokens.  Built by tests/sanitizers.
//
//     shared FILE.lex|FILE.model
#include <cstdio>
#include <thread>

#include "artifact.hpp"
#include "batch.hpp"
#include "lattice/decoders.hpp"

namespace {

using segmenter::BatchPart;
using segmenter::BatchText;
using segmenter::Plan;
using segmenter::Token;
using segmenter::Worker;

constexpr int kCallers = 3, kThreads = 2, kRounds = 3;

std::vector<std::vector<uint16_t>> texts(const Lexicon& lex) {
  // characters of words of the file, marks, digits, line ends: a fixed sequence
  std::vector<uint16_t> letters;
  for (uint32_t cp = 0x20; cp < 0xA000; ++cp)
    if (!(lex.map.bmp[cp] & 0x8000)) letters.push_back(uint16_t(cp));
  for (uint16_t cp : {0x300, 0x200D, 0x0A, 0x0D, 0x7684, 0x5728, 0x4E00}) letters.push_back(cp);
  std::vector<std::vector<uint16_t>> out(60);
  uint64_t state = 7;
  for (size_t i = 0; i < out.size(); ++i)
    for (size_t k = 0; k < 20 + 40 * (i % 30); ++k) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      // common characters come first in most files: prefer the front
      const uint64_t a = state >> 33, b = state >> 13 & 0xFFFFF;
      out[i].push_back(letters[a % (b % letters.size() + 1)]);
    }
  return out;
}

std::vector<uint32_t> ends(const Plan& plan, const std::vector<std::vector<uint16_t>>& given) {
  Worker own[kThreads];
  std::vector<Worker*> workers;
  for (Worker& worker : own) workers.push_back(&worker);
  std::vector<BatchText> batch(given.size());
  for (size_t i = 0; i < given.size(); ++i)
    batch[i].text = segmenter::Text{given[i].data(), 2, given[i].size()};
  std::vector<uint32_t> out;
  struct To {
    const std::vector<BatchText>& batch;
    std::vector<uint32_t>& out;
  } to{batch, out};
  segmenter::cut_batch(plan, batch, kThreads, workers, &to, [](void* of, const BatchPart& part) {
    const auto& [batch, out] = *static_cast<To*>(of);
    for (size_t i = part.first; i < part.last; ++i)
      for (size_t k = 0; k < batch[i].count; ++k)
        out.push_back(part.tokens[batch[i].first + k].end);
    return 0;
  });
  return out;
}

int run(const char* path) {
  const Artifact art(path);
  Lexicon lex;
  attach(lex, art);
  TaggerModel tags;
  segmenter::NgramModel none;
  none.n_words = lex.n_words;
  std::vector<Plan> plans;
  Plan plan;
  plan.lex = &lex;
  plan.model = &none;
  if (art.has("tagger.params")) {
    attach(tags, lex, art);
    plan.tagger = &tags;
    plans.push_back(plan);
  } else {
    for (int decoder = 0; decoder < int(segmenter::Decoder::kBigram); ++decoder) {
      plan.decoder = segmenter::Decoder(decoder);
      plans.push_back(plan);
    }
  }
  const auto given = texts(lex);
  for (const Plan& one : plans) {
    std::vector<uint32_t> found[kCallers];
    std::vector<std::thread> callers;
    for (auto& to : found)
      callers.emplace_back([&]() {
        for (int round = 0; round < kRounds; ++round) to = ends(one, given);
      });
    for (std::thread& caller : callers) caller.join();
    for (const auto& other : found)
      if (other != found[0] || other.empty()) {
        std::fprintf(stderr, "shared: %s, decoder %d: threads differ\n", path, one.decoder);
        return 1;
      }
  }
  std::printf("shared: %s, %zu decoders, %d callers of %d threads: no difference\n", path,
              plans.size(), kCallers, kThreads);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: shared FILE.lex|FILE.model\n");
    return 2;
  }
  try {
    return run(argv[1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "shared: %s: %s\n", argv[1], e.what());
    return 1;
  }
}
