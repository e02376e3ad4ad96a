// How long the checks of an opened file take (validate.hpp), for ARCHITECTURE.md: the least of 200
// rounds.
//
//     cd segmenter/kernels
//     g++ -std=c++17 -O3 -march=x86-64-v2 -pthread -I . ../../tests/engine/kernels/validate.cpp
//       atoms/rules.cpp files/lines.cpp -o validate
//     ./validate FILE.lex|FILE.model …
#include <chrono>
#include <cstdio>

#include "artifact.hpp"

namespace {

double milliseconds(const char* path) {
  using Clock = std::chrono::steady_clock;
  const Artifact art(path);
  Lexicon lex;
  attach(lex, art);
  TaggerModel tags;
  const bool tagger = art.has("tagger.params");
  if (tagger) attach(tags, lex, art);
  double least = 1e9;
  for (int round = 0; round < 200; ++round) {
    const auto begun = Clock::now();
    uint32_t most_cost;
    const char* fault =
        segmenter::lexicon_fault(lex, art["charmap.blocks"].count<uint16_t>(),
                                 art["words.terminal"].count<uint64_t>(), false, most_cost);
    if (!fault && tagger) fault = segmenter::tagger_fault(tags, most_cost);
    const std::chrono::duration<double, std::milli> took = Clock::now() - begun;
    if (fault) throw std::runtime_error(fault);
    least = std::min(least, took.count());
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    for (int i = 1; i < argc; ++i) std::printf("%s: %.2f ms\n", argv[i], milliseconds(argv[i]));
    return argc > 1 ? 0 : 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "validate: %s\n", e.what());
    return 1;
  }
}
