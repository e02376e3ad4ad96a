// The BiLSTM without Python: random weights, random text, and every set of vector instructions that this processor
// can take must give the sums of the plain one.  Built by tests/engine/kernels/run for this machine and,
// with a cross compiler and an emulator, for others.
//
//     bilstm                 compares
//     bilstm SET ROUNDS      reads a text of characters so often with that set: eval/arm64.py counts
//     instructions
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "bilstm/reader.hpp"

namespace {

using segmenter::bilstm::InstructionSet;
using segmenter::bilstm::Model;
using segmenter::bilstm::Reader;
using segmenter::bilstm::Stretch;

class Random {  // of Steele, Lea and Flood 2014
 public:
  uint64_t operator()() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  template <class T>
  std::vector<T> numbers(size_t n, int64_t least, int64_t most) {
    std::vector<T> out(n);
    for (T& x : out) x = T(least + int64_t((*this)() % uint64_t(most - least + 1)));
    return out;
  }

 private:
  uint64_t state_ = 1;
};

std::vector<int32_t> sums(const InstructionSet* set, uint32_t hidden, uint32_t layers,
                          int more = 0) {
  constexpr uint32_t kChars = 300, kPairs = 500, kValues = 9;
  Random draw;
  Model m;
  m.instructions = set;
  m.char_size = 13;
  m.pair_size = 11;
  m.n_chars = kChars;
  m.beyond = kChars - 1;
  m.tables = segmenter::bilstm::kLexiconSlots;
  const auto chars = draw.numbers<int8_t>(kChars * m.char_size, -127, 127);
  const auto pairs = draw.numbers<int8_t>((kPairs + 1) * m.pair_size, -127, 127);
  const auto table = draw.numbers<int8_t>(kValues * 3, -127, 127);
  for (uint32_t j = 0; j < m.tables; ++j) {
    m.lexicon[j] = table.data();
    m.table_rows[j] = kValues;
    m.table_size[j] = 3;
  }
  std::vector<uint16_t> rows(kChars);
  for (uint32_t i = 0; i < kChars; ++i) rows[i] = uint16_t(i);
  const auto pilots = draw.numbers<uint16_t>(16, 0, 0xFFFF);
  std::vector<uint32_t> keys(kPairs, ~uint32_t(0));
  m.rows = rows.data();
  m.chars = chars.data();
  m.bigrams = pairs.data();
  m.pairs.pilots = pilots.data();
  m.pairs.shift = 60;
  m.pairs.n = kPairs;
  for (uint32_t a = 0; a < 40; ++a)  // some pairs are known
    for (uint32_t b = 0; b < 40; ++b) keys[m.pairs(a, b)] = a << 16 | b;
  m.keys = keys.data();
  m.set_shape(hidden, layers);
  for (uint32_t k = 0; k < layers; ++k)
    for (int d = 0; d < 2; ++d) {
      const uint32_t inputs = k ? 2 * hidden : m.inputs;
      const auto gains = draw.numbers<int16_t>(4 * hidden, 8192, 32767);
      m.set_gates(k, d, false, draw.numbers<int8_t>(size_t(4) * hidden * inputs, -127, 127).data(),
                  gains.data(), 5);
      m.set_gates(k, d, true, draw.numbers<int8_t>(size_t(4) * hidden * hidden, -127, 127).data(),
                  gains.data(), 4);
      m.set_bias(k, d, draw.numbers<int16_t>(4 * hidden, -3000, 3000).data());
    }
  m.set_out(draw.numbers<int16_t>(6 * hidden, -2000, 2000).data());
  int16_t heights[32], slopes[32];
  for (int i = 0; i < 32; ++i) {
    slopes[i] = int16_t(2000 - 60 * i);
    heights[i] = int16_t(i ? heights[i - 1] + slopes[i - 1] : 0);
    if (heights[i] > 16000) heights[i] = 16000;
  }
  m.set_curve(heights, slopes);
  std::vector<Stretch> stretches;
  uint32_t n = 0;
  for (uint32_t i = 0; i < 17; ++i) {
    const uint32_t length = 1 + uint32_t(draw() % 30);
    stretches.push_back({n, n + length});
    n += length + 1;
  }
  const auto ids = draw.numbers<uint16_t>(n, 0, 60);
  auto numbers = draw.numbers<uint16_t>(size_t(n) * segmenter::bilstm::kLexiconSlots, -2 * kValues,
                                        kValues - 1);
  for (uint16_t& v : numbers) v = v < kValues ? v : 0;  // most are 0
  const segmenter::bilstm::Inputs inputs{ids, numbers};
  // threads that share the model meet rows of sums that nobody made yet
  Reader readers[3];
  std::vector<std::thread> threads;
  for (Reader& reader : readers) threads.emplace_back([&]() { reader.run(m, inputs, stretches); });
  for (std::thread& thread : threads) thread.join();
  for (const Reader& reader : readers)
    if (reader.scores != readers[0].scores) return {};
  for (; more > 0; --more) readers[0].run(m, inputs, stretches);
  return readers[0].scores;
}

}  // namespace

int main(int argc, char** argv) {
  const auto sets = segmenter::bilstm::instruction_sets();
  if (argc == 3) {
    for (const InstructionSet* set : sets)
      if (!std::strcmp(set->name, argv[1])) return sums(set, 128, 1, std::atoi(argv[2])).empty();
    std::fprintf(stderr, "bilstm: %s is no set of instructions of this processor\n", argv[1]);
    return 2;
  }
  for (uint32_t hidden : {5u, 24u, 33u, 64u, 96u}) {
    const uint32_t layers = hidden == 33 ? 2 : 1;
    const std::vector<int32_t> plain = sums(sets[0], hidden, layers);
    bool some = false;
    for (int32_t x : plain) some |= x != 0;
    for (const InstructionSet* set : sets)
      if (!some || sums(set, hidden, layers) != plain) {
        std::fprintf(stderr, "bilstm: %s, %u units: not the sums of %s\n", set->name, hidden,
                     sets[0]->name);
        return 1;
      }
  }
  std::printf("bilstm:");
  for (const InstructionSet* set : sets) std::printf(" %s", set->name);
  std::printf("\n");
  return 0;
}
