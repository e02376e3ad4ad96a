// The arithmetic of bilstm/model.hpp on one kind of vectors. Included once per set, inside a
// namespace that defines, for blocks of L hidden units with four gates each:
//
//   L, kDepth           hidden units a block; products that one dot step adds up
//   kGates              gates of a block in one tile: the rows whose sums are computed together
//   kColumns            columns (sentences, positions) of a tile: their sums fit into registers
//   X, W                an input and a weight as they are packed
//   Sum, kParts         a vector of sums of 32 bits; how many of them hold L
//   V                   L values of 16 bits
//   start(p), add(sum, sum), keep(p, sum), dot(sum, w, x), narrow(parts, shift), operations on V
//   entries(pieces, curve, heights, slopes)  heights and slopes of the pieces of two V
//
// No function of the standard library here: code between target pragmas must not be shared.

constexpr int kVectors = kGates * kParts, kLanes = L / kParts, kTile = kGates * L;
// How many tiles a lone column sums in registers: one is too few to hide the latency of a product.
constexpr int kAlone = 4 / kGates;

// Recursion over the vectors of tiles instead of loops: with constant indices from the start the
// compiler keeps all sums in registers (loops unrolled later leave them in memory: half the speed).
// Sums of T tiles and N columns: [tile][column][vector].
template <int N, int T, int I = 0>
SEGMENTER_NETWORK_INLINE void start_all(Sum (&sum)[N * T * kVectors], const int32_t* const* from,
                                        size_t rows) {
  constexpr int v = I % kVectors, n = I / kVectors % N, t = I / kVectors / N;
  sum[I] = start(from[n] + rows + t * kTile + v * kLanes);
  if constexpr (I + 1 < N * T * kVectors) start_all<N, T, I + 1>(sum, from, rows);
}
template <int N, int T, int I = 0>
SEGMENTER_NETWORK_INLINE void dot_all(Sum (&sum)[N * T * kVectors], const W* at, size_t apart,
                                      const Several (&in)[3]) {
  constexpr int v = I % kVectors, t = I / kVectors, first = t * N * kVectors + v;
  const Weights weights = load_weights(at + t * apart + v * kLanes * kDepth);
  sum[first] = dot(sum[first], weights, in[0]);
  if constexpr (N > 1) sum[first + kVectors] = dot(sum[first + kVectors], weights, in[1]);
  if constexpr (N > 2) sum[first + 2 * kVectors] = dot(sum[first + 2 * kVectors], weights, in[2]);
  if constexpr (I + 1 < T * kVectors) dot_all<N, T, I + 1>(sum, at, apart, in);
}
template <int N, int T, int I = 0>
SEGMENTER_NETWORK_INLINE void narrow_all(const Sum (&sum)[N * T * kVectors], const int16_t* gain,
                                         int shift, const int16_t* add_to, size_t add_stride,
                                         int16_t* z, size_t z_stride) {
  constexpr int g = I % kGates, n = I / kGates % N, t = I / kGates / N;
  constexpr int at = (t * N + n) * kVectors + g * kParts;
  const size_t unit = size_t(t) * kTile + g * L;
  const V v = times(narrow(sum[at], sum[at + kParts - 1], shift), load(gain + unit));
  store(z + n * z_stride + unit, plus(v, load(add_to + n * add_stride + unit)));
  if constexpr (I + 1 < N * T * kGates)
    narrow_all<N, T, I + 1>(sum, gain, shift, add_to, add_stride, z, z_stride);
}

// T tiles of N columns.
template <int N, int T>
SEGMENTER_NETWORK_APART void tile_products(const Gates& w, uint32_t tile, const Product& p) {
  static_assert(N <= 3, "dot_all");
  const size_t rows = size_t(tile) * kTile, apart = size_t(kTile) * w.depth;
  Sum sum[N * T * kVectors];
  start_all<N, T>(sum, p.start, rows);
  const W* at = static_cast<const W*>(w.packed) + rows * w.depth;
  const X* const x = static_cast<const X*>(p.x);
  const X* const x1 = x + (N > 1 ? p.x_stride : 0);
  const X* const x2 = x1 + (N > 2 ? p.x_stride : 0);
  uint32_t k = 0;
  do {
    const Several in[3] = {several(x + k), several(x1 + k), several(x2 + k)};
    dot_all<N, T>(sum, at, apart, in);
    at += kTile * kDepth;
    k += kDepth;
  } while (k < w.depth);
  narrow_all<N, T>(sum, w.gain + rows, int(w.shift), p.add + rows, p.add_stride, p.z + rows,
                   p.z_stride);
}

// Narrows the sums of the products of columns of inputs with all weights, and adds to them.
inline void products(const Gates& w, const Product& all) {
  const uint32_t tiles = w.blocks * 4 / kGates;
  auto from = [&](uint32_t n) {
    Product p = all;
    p.start += n;
    p.x = static_cast<const X*>(all.x) + n * all.x_stride;
    p.add += n * all.add_stride;
    p.z += n * all.z_stride;
    return p;
  };
  if (all.columns == 1) {
    for (uint32_t tile = 0; tile < tiles; tile += kAlone) tile_products<1, kAlone>(w, tile, all);
    return;
  }
  for (uint32_t tile = 0; tile < tiles; ++tile) {
    uint32_t n = 0;
    for (; n + kColumns <= all.columns; n += kColumns) tile_products<kColumns, 1>(w, tile, from(n));
    if (kColumns > 2 && n + 2 <= all.columns) {
      tile_products<2, 1>(w, tile, from(n));
      n += 2;
    }
    if (n < all.columns) tile_products<1, 1>(w, tile, from(n));
  }
}

// Adds up rows of sums; `width` is a multiple of kTile.
template <int N>
SEGMENTER_NETWORK_INLINE void add_rows(const int32_t* const* rows, size_t width, int32_t* to) {
  for (size_t k = 0; k < width; k += kLanes) {
    Sum s = add(start(rows[0] + k), start(rows[1] + k));
    if constexpr (N > 2) s = add(s, start(rows[2] + k));
    if constexpr (N > 3) s = add(s, start(rows[3] + k));
    keep(to + k, s);
  }
}
// two or more rows
inline void sums(const int32_t* const* rows, uint32_t n, size_t width, int32_t* to) {
  if (n == 2) add_rows<2>(rows, width, to);
  else if (n == 3) add_rows<3>(rows, width, to);
  else add_rows<4>(rows, width, to);
  for (uint32_t k = 4; k < n; ++k) {
    const int32_t* const both[2] = {to, rows[k]};
    add_rows<2>(both, width, to);
  }
}

// sigmoid(z) - 1/2 in 15 fraction bits of z in 10, for two vectors.
SEGMENTER_NETWORK_INLINE void half_sigmoids(V& a, V& b, const Curve& curve) {
  const V x = at_most_8191(magnitude(a)), y = at_most_8191(magnitude(b));
  V height[2], slope[2];
  entries(shift_right<8>(x), shift_right<8>(y), curve, height, slope);
  a = signed_as(plus(height[0], times(slope[0], shift_left<7>(low_byte(x)))), a);
  b = signed_as(plus(height[1], times(slope[1], shift_left<7>(low_byte(y)))), b);
}

// The cells and states of B blocks of one column.
template <int B>
SEGMENTER_NETWORK_INLINE void block_states(const Curve& curve, const int16_t* z, int16_t* c,
                                           int16_t* h, X* to) {
  const V half = same(1 << 14);
  V o[B], t[2];
  for (int k = 0; k < B; ++k, z += 4 * L) {
    V i = load(z), f = load(z + L), g = load(z + 2 * L);
    o[k] = load(z + 3 * L);
    half_sigmoids(i, f, curve);
    half_sigmoids(g, o[k], curve);
    i = plus(i, half);
    f = plus(f, half);
    o[k] = plus(o[k], half);
    t[k] =
        plus(times(f, load(c + k * L)), shift_arithmetic<4>(plus(times(i, plus(g, g)), same(8))));
    store(c + k * L, t[k]);
  }
  if (B == 1) t[1] = t[0];
  half_sigmoids(t[0], t[1], curve);  // a cell in 11 fraction bits reads as its double in 10
  for (int k = 0; k < B; ++k) {
    const V state = times(o[k], plus(t[k], t[k]));
    store(h + k * L, state);
    store_inputs(to + k * L, shift_arithmetic<8>(plus(state, same(128))));
  }
}

// Applies the gates to the states of `columns` clauses.
inline void states(const Curve& curve, const State& s, uint32_t columns, const int16_t* z) {
  const uint32_t units = uint32_t(s.stride);
  for (uint32_t n = 0; n < columns; ++n, z += 4 * s.stride) {
    int16_t *c = s.c + n * s.stride, *h = s.h + n * s.stride;
    X* to = static_cast<X*>(s.to) + n * s.stride;
    uint32_t k = 0;
    for (; k + 2 * L <= units; k += 2 * L) block_states<2>(curve, z + 4 * k, c + k, h + k, to + k);
    if (k < units) block_states<1>(curve, z + 4 * k, c + k, h + k, to + k);
  }
}

// Adds one position's states to its three scores.
inline void scores(const int16_t* out, const int16_t* h, size_t hidden, int32_t* to) {
  for (int t = 0; t < 3; ++t) to[t] += inner(out + size_t(t) * hidden, h, hidden);
}
