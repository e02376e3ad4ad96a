// The arithmetic of bilstm/model.hpp on one kind of vectors. Included once per set, inside a
// namespace that defines, for blocks of L hidden units with four gates each:
//
//   L, kDepth           hidden units a block; products that one dot step adds up   kGates
// gates of a block in one tile: the rows whose sums are computed together   kColumns
// columns (sentences, positions) of a tile: their sums fit into registers   X, W                an
// input and a weight as they are packed   Sum, kParts         a vector of sums of 32 bits; how
// many of them hold L   V                   L values of 16 bits   load_sums(p), add(sum, sum),
// store_sums(p, sum), dot(sum, w, x), narrow(parts, shift), operations on V   entries(pieces,
// curve, heights, slopes)  heights and slopes of the pieces of two V
//
// No function of the standard library here: code between target pragmas must not be shared.

constexpr int kVectors = kGates * kParts, kLanes = L / kParts, kTile = kGates * L;
// Tiles whose sums registers hold for a single column: one is too few to hide the latency of a
// product.
constexpr int kAlone = 4 / kGates;

// Recursion over the vectors of tiles instead of loops: with constant indices from the start the
// compiler keeps all sums in registers (loops unrolled later leave them in memory: half the speed).
// Sums of T tiles and N columns: [tile][column][vector].
template <int N, int T, int I = 0>
SEGMENTER_NETWORK_INLINE void start_all(Sum (&sum)[N * T * kVectors], const int32_t* const* starts,
                                        size_t rows) {
  constexpr int v = I % kVectors, n = I / kVectors % N, t = I / kVectors / N;
  sum[I] = load_sums(starts[n] + rows + t * kTile + v * kLanes);
  if constexpr (I + 1 < N * T * kVectors) start_all<N, T, I + 1>(sum, starts, rows);
}
template <int N, int T, int I = 0>
SEGMENTER_NETWORK_INLINE void dot_all(Sum (&sum)[N * T * kVectors], const W* packed,
                                      size_t tile_stride, const Broadcast (&in)[3]) {
  constexpr int v = I % kVectors, t = I / kVectors, index = t * N * kVectors + v;
  const Weights weights = load_weights(packed + t * tile_stride + v * kLanes * kDepth);
  sum[index] = dot(sum[index], weights, in[0]);
  if constexpr (N > 1) sum[index + kVectors] = dot(sum[index + kVectors], weights, in[1]);
  if constexpr (N > 2) sum[index + 2 * kVectors] = dot(sum[index + 2 * kVectors], weights, in[2]);
  if constexpr (I + 1 < T * kVectors) dot_all<N, T, I + 1>(sum, packed, tile_stride, in);
}
template <int N, int T, int I = 0>
SEGMENTER_NETWORK_INLINE void narrow_all(const Sum (&sum)[N * T * kVectors], const int16_t* gain,
                                         int shift, const int16_t* add_to, size_t add_stride,
                                         int16_t* z, size_t z_stride) {
  constexpr int g = I % kGates, n = I / kGates % N, t = I / kGates / N;
  constexpr int index = (t * N + n) * kVectors + g * kParts;
  const size_t unit = size_t(t) * kTile + g * L;
  const V v = times(narrow(sum[index], sum[index + kParts - 1], shift), load(gain + unit));
  store(z + n * z_stride + unit, plus(v, load(add_to + n * add_stride + unit)));
  if constexpr (I + 1 < N * T * kGates)
    narrow_all<N, T, I + 1>(sum, gain, shift, add_to, add_stride, z, z_stride);
}

// T tiles of N columns.
template <int N, int T>
SEGMENTER_NETWORK_APART void tile_products(const Gates& w, uint32_t tile, const Product& p) {
  static_assert(N <= 3, "dot_all");
  const size_t rows = size_t(tile) * kTile, tile_stride = size_t(kTile) * w.depth;
  Sum sum[N * T * kVectors];
  start_all<N, T>(sum, p.start, rows);
  const W* packed = static_cast<const W*>(w.packed) + rows * w.depth;
  const X* const x = static_cast<const X*>(p.x);
  const X* const x1 = x + (N > 1 ? p.x_stride : 0);
  const X* const x2 = x1 + (N > 2 ? p.x_stride : 0);
  uint32_t k = 0;
  do {
    const Broadcast in[3] = {broadcast(x + k), broadcast(x1 + k), broadcast(x2 + k)};
    dot_all<N, T>(sum, packed, tile_stride, in);
    packed += kTile * kDepth;
    k += kDepth;
  } while (k < w.depth);
  narrow_all<N, T>(sum, w.gain + rows, int(w.shift), p.add + rows, p.add_stride, p.z + rows,
                   p.z_stride);
}

// Multiplies columns of inputs with all weights, narrows the sums and adds Product::add.
inline void products(const Gates& w, const Product& product) {
  const uint32_t tiles = w.blocks * 4 / kGates;
  auto columns_from = [&](uint32_t n) {
    Product p = product;
    p.start += n;
    p.x = static_cast<const X*>(product.x) + n * product.x_stride;
    p.add += n * product.add_stride;
    p.z += n * product.z_stride;
    return p;
  };
  if (product.columns == 1) {
    for (uint32_t tile = 0; tile < tiles; tile += kAlone)
      tile_products<1, kAlone>(w, tile, product);
    return;
  }
  for (uint32_t tile = 0; tile < tiles; ++tile) {
    uint32_t n = 0;
    for (; n + kColumns <= product.columns; n += kColumns)
      tile_products<kColumns, 1>(w, tile, columns_from(n));
    if (kColumns > 2 && n + 2 <= product.columns) {
      tile_products<2, 1>(w, tile, columns_from(n));
      n += 2;
    }
    if (n < product.columns) tile_products<1, 1>(w, tile, columns_from(n));
  }
}

// Adds up rows of sums; `width` is a multiple of kTile.
template <int N>
SEGMENTER_NETWORK_INLINE void add_rows(const int32_t* const* rows, size_t width, int32_t* out) {
  for (size_t k = 0; k < width; k += kLanes) {
    Sum s = add(load_sums(rows[0] + k), load_sums(rows[1] + k));
    if constexpr (N > 2) s = add(s, load_sums(rows[2] + k));
    if constexpr (N > 3) s = add(s, load_sums(rows[3] + k));
    store_sums(out + k, s);
  }
}
// two or more rows
inline void sums(const int32_t* const* rows, uint32_t n, size_t width, int32_t* out) {
  if (n == 2) add_rows<2>(rows, width, out);
  else if (n == 3) add_rows<3>(rows, width, out);
  else add_rows<4>(rows, width, out);
  for (uint32_t k = 4; k < n; ++k) {
    const int32_t* const pair[2] = {out, rows[k]};
    add_rows<2>(pair, width, out);
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
                                           int16_t* h, X* inputs) {
  const V half = splat(1 << 14);
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
        plus(times(f, load(c + k * L)), shift_arithmetic<4>(plus(times(i, plus(g, g)), splat(8))));
    store(c + k * L, t[k]);
  }
  if (B == 1) t[1] = t[0];
  half_sigmoids(t[0], t[1], curve);  // a cell in 11 fraction bits reads as its double in 10
  for (int k = 0; k < B; ++k) {
    const V state = times(o[k], plus(t[k], t[k]));
    store(h + k * L, state);
    store_inputs(inputs + k * L, shift_arithmetic<8>(plus(state, splat(128))));
  }
}

// Applies the gates to the states of `columns` clauses.
inline void states(const Curve& curve, const State& s, uint32_t columns, const int16_t* z) {
  const uint32_t units = uint32_t(s.stride);
  for (uint32_t n = 0; n < columns; ++n, z += 4 * s.stride) {
    int16_t *c = s.c + n * s.stride, *h = s.h + n * s.stride;
    X* inputs = static_cast<X*>(s.inputs) + n * s.stride;
    uint32_t k = 0;
    for (; k + 2 * L <= units; k += 2 * L)
      block_states<2>(curve, z + 4 * k, c + k, h + k, inputs + k);
    if (k < units) block_states<1>(curve, z + 4 * k, c + k, h + k, inputs + k);
  }
}

// Adds one position's states to its three scores.
inline void scores(const int16_t* out, const int16_t* h, size_t hidden, int32_t* scores) {
  for (int t = 0; t < 3; ++t) scores[t] += inner(out + size_t(t) * hidden, h, hidden);
}
