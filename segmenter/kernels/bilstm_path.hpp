// The arithmetic of bilstm.hpp on one kind of vectors.  Included once a path, inside a namespace that
// defines, for tiles of L hidden units:
//
//   L, kDepth           hidden units a tile; products that one dot step adds up
//   kColumns            columns (sentences, positions) that the registers hold sums for
//   X, W                an input and a weight as they are packed
//   Sum, kParts         a vector of sums of 32 bits; how many of them hold a tile's L
//   V                   L values of 16 bits
//   start(p), dot(sum, w, x), narrow(parts, shift), and the operations on V
//
// No function of the standard library here: code between target pragmas must not be shared.

constexpr int kVectors = 4 * kParts, kLanes = L / kParts;

// Recursion over the vectors of a tile instead of loops: with indices that are constants from the first
// the compiler keeps all sums in registers (loops unrolled later leave them in memory: half the speed).
template <int N, int I = 0>
SEGMENTER_PATH_INLINE void start_all(Sum (&sum)[N * kVectors], const int32_t* begin) {
  sum[I] = start(begin + I % kVectors * kLanes);
  if constexpr (I + 1 < N * kVectors) start_all<N, I + 1>(sum, begin);
}
template <int N, int I = 0>
SEGMENTER_PATH_INLINE void dot_all(Sum (&sum)[N * kVectors], const W* at, const Several (&in)[3]) {
  const Weights weights = load_weights(at + I * kLanes * kDepth);
  sum[I] = dot(sum[I], weights, in[0]);
  if constexpr (N > 1) sum[kVectors + I] = dot(sum[kVectors + I], weights, in[1]);
  if constexpr (N > 2) sum[2 * kVectors + I] = dot(sum[2 * kVectors + I], weights, in[2]);
  if constexpr (I + 1 < kVectors) dot_all<N, I + 1>(sum, at, in);
}
template <int N, int I = 0>
SEGMENTER_PATH_INLINE void narrow_all(const Sum (&sum)[N * kVectors], const int16_t* gain, int shift, V (&z)[N * 4]) {
  constexpr int at = I / 4 * kVectors + I % 4 * kParts;
  z[I] = times(narrow(sum[at], sum[at + kParts - 1], shift), load(gain + I % 4 * L));
  if constexpr (I + 1 < N * 4) narrow_all<N, I + 1>(sum, gain, shift, z);
}

// Sums of N columns with a tile's weights, narrowed: z[column * 4 + gate].
template <int N>
SEGMENTER_PATH_APART void tile_products(const Gates& w, uint32_t tile, const X* x, size_t x_stride, V (&z)[N * 4]) {
  static_assert(N <= 3, "dot_all");
  Sum sum[N * kVectors];
  start_all<N>(sum, w.start + size_t(tile) * 4 * L);
  const W* at = static_cast<const W*>(w.packed) + size_t(tile) * 4 * L * w.depth;
  const X* const x1 = x + (N > 1 ? x_stride : 0);
  const X* const x2 = x1 + (N > 2 ? x_stride : 0);
  uint32_t k = 0;
  do {
    const Several in[3] = {several(x + k), several(x1 + k), several(x2 + k)};
    dot_all<N>(sum, at, in);
    at += 4 * L * kDepth;
    k += kDepth;
  } while (k < w.depth);
  narrow_all<N>(sum, w.gain + size_t(tile) * 4 * L, int(w.shift), z);
}

// What the inputs add to the gates, with the bias: z[column][tile][gate][unit].
template <int N>
SEGMENTER_PATH_INLINE void input_columns(const Gates& w, const int16_t* bias, const X* x, size_t x_stride,
                                         int16_t* z, size_t z_stride, uint32_t tile) {
  V v[N * 4];
  tile_products<N>(w, tile, x, x_stride, v);
  for (int i = 0; i < N * 4; ++i) {
    const size_t at = (size_t(tile) * 4 + size_t(i) % 4) * L;
    store(z + size_t(i) / 4 * z_stride + at, plus(v[i], load(bias + at)));
  }
}

inline void inputs(const Gates& w, const int16_t* bias, const void* x_, size_t x_stride, uint32_t columns,
                   int16_t* z) {
  const X* x = static_cast<const X*>(x_);
  const size_t z_stride = size_t(w.tiles) * 4 * L;
  for (uint32_t tile = 0; tile < w.tiles; ++tile) {
    uint32_t n = 0;
    for (; n + kColumns <= columns; n += kColumns)
      input_columns<kColumns>(w, bias, x + n * x_stride, x_stride, z + n * z_stride, z_stride, tile);
    for (; n < columns; ++n)
      input_columns<1>(w, bias, x + n * x_stride, x_stride, z + n * z_stride, z_stride, tile);
  }
}

// sigmoid(z) - 1/2 in 15 fraction bits, z in 10.
SEGMENTER_PATH_INLINE V half_sigmoid(V z, const Curve& curve) {
  const V a = at_most_8191(magnitude(z));
  const V piece = shift_right<8>(a), rest = shift_left<7>(low_byte(a));
  return signed_as(plus(height(piece, curve), times(slope(piece, curve), rest)), z);
}

template <int N>
SEGMENTER_PATH_INLINE void step_columns(const Gates& w, const Curve& curve, const State& s, const X* from, X* to,
                                        const int16_t* z_in, size_t z_stride, uint32_t tile) {
  V z[N * 4];
  tile_products<N>(w, tile, from, s.stride, z);
  const V half = same(1 << 14);
  for (int n = 0; n < N; ++n) {
    const int16_t* in = z_in + size_t(n) * z_stride + size_t(tile) * 4 * L;
    const V i = plus(half_sigmoid(plus(z[n * 4], load(in)), curve), half);
    const V f = plus(half_sigmoid(plus(z[n * 4 + 1], load(in + L)), curve), half);
    V g = half_sigmoid(plus(z[n * 4 + 2], load(in + 2 * L)), curve);
    const V o = plus(half_sigmoid(plus(z[n * 4 + 3], load(in + 3 * L)), curve), half);
    g = plus(g, g);
    int16_t* c = s.c + size_t(n) * s.stride + size_t(tile) * L;
    const V cell = plus(times(f, load(c)), shift_arithmetic<4>(plus(times(i, g), same(8))));
    store(c, cell);
    V t = half_sigmoid(cell, curve);  // a cell in 11 bits is twice itself in 10
    t = plus(t, t);
    const V h = times(o, t);
    store(s.h + size_t(n) * s.stride + size_t(tile) * L, h);
    store_inputs(to + size_t(n) * s.stride + size_t(tile) * L, shift_arithmetic<8>(plus(h, same(128))));
  }
}

// One step of `columns` sentences.
inline void step(const Gates& w, const Curve& curve, const State& s, uint32_t columns, const int16_t* z_in) {
  const X* from = static_cast<const X*>(s.from);
  X* to = static_cast<X*>(s.to);
  const size_t z_stride = size_t(w.tiles) * 4 * L;
  for (uint32_t tile = 0; tile < w.tiles; ++tile) {
    uint32_t n = 0;
    auto at = [&](uint32_t k) {
      State t = s;
      t.c += k * s.stride;
      t.h += k * s.stride;
      return t;
    };
    for (; n + kColumns <= columns; n += kColumns)
      step_columns<kColumns>(w, curve, at(n), from + n * s.stride, to + n * s.stride, z_in + n * z_stride,
                             z_stride, tile);
    for (; n < columns; ++n)
      step_columns<1>(w, curve, at(n), from + n * s.stride, to + n * s.stride, z_in + n * z_stride, z_stride,
                      tile);
  }
}

// Adds what the states of one position say to its three scores.
inline void scores(const int16_t* out, const int16_t* h, size_t hidden, int32_t* to) {
  for (int t = 0; t < 3; ++t) to[t] += products(out + size_t(t) * hidden, h, hidden);
}
