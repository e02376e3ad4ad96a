// The kernels without Python: maps a compiled file, cuts the lines of a text file and prints the
// ends of every line's words, in code points.  Built by tests/engine/kernels/run for this machine and,
// with a cross compiler and an emulator, for others; the ends must be those of the extension.
//
//     ends FILE.lex|FILE.model TEXT [ROUNDS]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "artifact.hpp"
#include "lattice/unigram.hpp"
#include "utf8.hpp"

namespace {

using segmenter::Text;
using segmenter::Token;

std::vector<uint32_t> code_points(const std::string& line) {
  std::vector<uint32_t> out;
  const auto* bytes = reinterpret_cast<const uint8_t*>(line.data());
  for (size_t i = 0; i < line.size();) {
    uint32_t cp, length = segmenter::decode_utf8(bytes + i, line.size() - i, cp);
    if (!length) throw std::runtime_error("a text is not UTF-8");
    out.push_back(cp);
    i += length;
  }
  return out;
}

// Calls run(text) with the text in cells of 1, 2 or 4 bytes, as Python holds it.
template <class Run>
void in_width(const std::vector<uint32_t>& text, const Run& run) {
  uint32_t most = 0;
  for (uint32_t cp : text) most = cp > most ? cp : most;
  // room behind: a kernel may load a whole vector at the last character
  if (most < 0x100) {
    std::vector<uint8_t> cells(text.begin(), text.end());
    cells.resize(cells.size() + 64);
    run(Text{cells.data(), 1, text.size()});
  } else if (most < 0x10000) {
    std::vector<uint16_t> cells(text.begin(), text.end());
    cells.resize(cells.size() + 64);
    run(Text{cells.data(), 2, text.size()});
  } else {
    std::vector<uint32_t> cells(text);
    cells.resize(cells.size() + 64);
    run(Text{cells.data(), 4, text.size()});
  }
}

// `rounds`: how often each line is cut; instructions of a round are counted from runs with
// different ones.
int print_ends(const char* model, const char* texts, int rounds) {
  const Artifact art(model);
  Lexicon lex;
  attach(lex, art);
  TaggerModel tags;
  const bool tagger = art.has("tagger.params");
  if (tagger) attach(tags, lex, art);
  segmenter::UnigramDecoder lattice;
  segmenter::Tagger tagging;
  std::ifstream file(texts, std::ios::binary);
  std::string line;
  segmenter::Decision made;
  segmenter::Request request;
  request.want = segmenter::Want::kEnds;
  while (std::getline(file, line)) {
    const std::vector<uint32_t> text = code_points(line);
    made.clear();
    if (!text.empty())
      in_width(text, [&](const Text& cells) {
        for (int round = 0; round < rounds; ++round) {
          made.clear();
          if (tagger) {
            tagging.run(tags, cells, request, made);
          } else {
            lattice.begin(lex, cells, request);
            lattice.run(made.tokens);
          }
        }
      });
    for (const Token& token : made.tokens) std::printf("%u ", unsigned(token.end));
    std::printf("\n");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: ends FILE.lex|FILE.model TEXT [ROUNDS]\n");
    return 2;
  }
  try {
    return print_ends(argv[1], argv[2], argc == 4 ? std::max(1, std::atoi(argv[3])) : 1);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ends: %s: %s\n", argv[1], e.what());
    return 1;
  }
}
