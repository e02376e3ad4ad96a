// The encoder without Python: random weights, random text, and every set of vector instructions that this
// processor can take must give the sums of the plain one, alone and with other pieces.  Built by
// tests/engine/kernels/run for this machine and, with a cross compiler and an emulator, for others.
#include <cstdint>
#include <cstdio>
#include <deque>
#include <thread>
#include <vector>

#include "encoder/reader.hpp"

namespace {

using namespace segmenter::encoder;

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

// A model of random weights, and what it points to. Gains are so large that some values saturate.
struct Net {
  Random draw;
  std::deque<std::vector<int8_t>> bytes;
  std::deque<std::vector<int16_t>> shorts;
  std::deque<std::vector<int32_t>> words;
  std::vector<uint8_t> shifts;
  Model m;

  const int8_t* i8(size_t n) {
    bytes.push_back(draw.numbers<int8_t>(n, -127, 127));
    return bytes.back().data();
  }
  const int16_t* i16(size_t n, int least, int most) {
    shorts.push_back(draw.numbers<int16_t>(n, least, most));
    return shorts.back().data();
  }
  const int32_t* i32(size_t n, int most) {
    words.push_back(draw.numbers<int32_t>(n, -most, most));
    return words.back().data();
  }
  void matrix(Matrix& to, uint32_t in, uint32_t out, uint32_t down) {
    to.weights = i8(size_t(in) * out);
    to.gain = i16(out, 3000, 32767);
    to.bias = i32(out, 300);
    to.in = in;
    to.out = out;
    to.shift = 3;
    to.down = down;
    Model::begin(to, m.instructions->flip);
  }
  void norm(Norm& to) {
    to.stream = {i16(m.width, 4000, 16000), i32(m.width, 1 << 24), 13};
    to.input = {i16(m.width, 4000, 30000), i32(m.width, 1 << 22), 18};
    to.least = 3;
  }
  Net(const InstructionSet* set, uint32_t width, uint32_t wide, uint32_t layers)
      : shifts(width / kHead, 18) {
    m.instructions = set;
    m.width = width;
    m.window = 150;
    m.overlap = 20;
    m.n_tokens = 200;
    m.first = 7;
    m.tokens = i8(size_t(m.n_tokens) * width);
    m.token_gain = i16(m.n_tokens, 2000, 30000);
    m.places = i16((m.window + 1) * width, -9000, 9000);
    m.beside = i16(width, -32767, 32767);
    norm(m.embedded);
    m.layers.resize(layers);
    for (Layer& layer : m.layers) {
      matrix(layer.heads, width, 3 * width, 14);
      matrix(layer.attended, width, width, 15);
      matrix(layer.wide, width, wide, 15);
      matrix(layer.narrow, wide, width, 15);
      layer.shifts = shifts.data();
      layer.gelu = {i16(wide, 4000, 30000), i32(wide, 1 << 20), 20};
      norm(layer.first);
      norm(layer.last);
    }
    m.out = i16(3 * width, -60, 60);
  }
};

std::vector<int32_t> sums(const InstructionSet* set, uint32_t width, uint32_t wide) {
  Net net(set, width, wide, 2);
  Random draw;
  std::vector<Piece> pieces;
  uint32_t n = 0;
  for (const uint32_t length : {1u, 2u, 63u, 64u, 65u, 5u, 150u, 151u, 400u, 17u}) {
    pieces.push_back({n, n + length});
    n += length;
  }
  const auto tokens = draw.numbers<uint16_t>(n, 0, 199);
  Reader readers[3];
  std::vector<std::thread> threads;
  for (Reader& reader : readers) threads.emplace_back([&]() { reader.run(net.m, tokens, pieces); });
  for (std::thread& thread : threads) thread.join();
  for (const Reader& reader : readers)
    if (reader.scores != readers[0].scores) return {};
  for (const Piece& piece : pieces) {  // alone
    readers[1].run(net.m, tokens, {piece});
    for (uint32_t j = piece.start; j < piece.end; ++j)
      for (uint32_t tag = 0; tag < 3; ++tag)
        if (readers[1].scores[4 * j + tag] != readers[0].scores[4 * j + tag]) return {};
  }
  return readers[0].scores;
}

}  // namespace

int main() {
  const auto sets = instruction_sets();
  for (const uint32_t width : {64u, 192u}) {
    const std::vector<int32_t> plain = sums(sets[0], width, 256);
    bool some = false;
    for (int32_t x : plain) some |= x != 0;
    for (const InstructionSet* set : sets)
      if (!some || sums(set, width, 256) != plain) {
        std::fprintf(stderr, "encoder: %s, %u values: not the sums of %s\n", set->name, width,
                     sets[0]->name);
        return 1;
      }
  }
  std::printf("encoder:");
  for (const InstructionSet* set : sets) std::printf(" %s", set->name);
  std::printf("\n");
  return 0;
}
