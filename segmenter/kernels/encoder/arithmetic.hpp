// The arithmetic of encoder/model.hpp on one kind of vectors. Included once per set, inside a
// namespace that defines
//
//   X, kFlip     an input of a matrix as it is stored; what is added to it
//   kTile        rows whose sums registers hold at a time
//   multiply(m, x, rows, store)     calls store(row, panel, sums) with the sums of 64 outputs
//   pairs<M>(x, stride, w, n, out)  out[M][64]: sums of 2 * n products of 16 bits, w being
//                                   [n][64][2]
//
// Everything else is loops over integers, which the compiler vectorises. What such a loop reads is
// copied to local variables first: a store to bytes may change any other memory, and the loop would
// not be vectorised. No function of the standard library here: code between target pragmas must not
// be shared.

SEGMENTER_NETWORK_INLINE int32_t clamp(int32_t v, int32_t low, int32_t high) {
  return v < low ? low : v > high ? high : v;
}
SEGMENTER_NETWORK_INLINE int32_t scaled(const Scaled& scale, size_t i, int32_t v) {
  return (v * scale.gain[i] + scale.bias[i]) >> scale.shift;
}

// What follows a matrix, for 64 outputs.
struct Narrowing {
  const int32_t* start;
  const int16_t* gain;
  const int32_t* bias;
  uint32_t shift, down;
  SEGMENTER_NETWORK_INLINE_MEMBER Narrowing(const Matrix& m, size_t panel)
      : start(m.start.data() + panel),
        gain(m.gain + panel),
        bias(m.bias + panel),
        shift(m.shift),
        down(m.down) {}
  SEGMENTER_NETWORK_INLINE_MEMBER int32_t operator()(const int32_t* sums, size_t i) const {
    const int32_t sum = clamp((sums[i] + start[i]) >> shift, -32767, 32767);
    return ((sum * gain[i] + ((1 << down) >> 1)) >> down) + bias[i];
  }
};
SEGMENTER_NETWORK_INLINE int32_t product(int32_t a, int32_t b) { return (a * b + (1 << 14)) >> 15; }

// x * Phi(x) in 11 fraction bits: max(x, 0) less u * Phi(-u), u = |x|, which is
// u (1 - u/4)^4 (c0 + c1 u/4 + c2 (u/4)^2 + c3 (u/4)^3) up to 4, within .0005.
SEGMENTER_NETWORK_INLINE int32_t gelu(int32_t v) {
  const int32_t u = clamp(v < 0 ? -v : v, 0, 8191), q = u << 2, t = 32767 - q;
  const int32_t square = product(t, t), fourth = product(square, square);
  int32_t p = product(kGelu[3], q) + kGelu[2];
  p = product(p, q) + kGelu[1];
  p = product(p, q) + kGelu[0];
  return (v > 0 ? v : 0) - product(product(p, fourth), q);
}

// 2^-d in 15 fraction bits; d has 10.
SEGMENTER_NETWORK_INLINE int32_t power(int32_t d) {
  const int32_t f = d & 1023;
  int32_t p = ((kPower[3] * f) >> 10) + kPower[2];
  p = ((p * f) >> 10) + kPower[1];
  p = ((p * f) >> 10) + kPower[0];
  return p >> (1 + (d >> 10));
}

template <int M>
SEGMENTER_NETWORK_INLINE void some_pairs(size_t rows, const int16_t* x, size_t stride,
                                         const int16_t* w, size_t n, int32_t* out) {
  if (rows >= M) return pairs<M>(x, stride, w, n, out);
  if constexpr (M > 1) some_pairs<M - 1>(rows, x, stride, w, n, out);
}

struct Project {
  const Matrix& m;
  int16_t* heads;
  SEGMENTER_NETWORK_INLINE_MEMBER void operator()(size_t row, size_t panel,
                                                  const int32_t* sums) const {
    // queries and keys: their products must fit 32 bits
    const int32_t limit = panel < m.out / 3 * 2 ? kMostKey : 32767;
    int16_t* const __restrict out = heads + row * m.out + panel;
    const Narrowing narrowed(m, panel);
    for (size_t i = 0; i < kPanel; ++i) out[i] = int16_t(clamp(narrowed(sums, i), -limit, limit));
  }
};

struct Add {
  const Matrix& m;
  const int16_t* stream;
  int32_t* sums_out;
  SEGMENTER_NETWORK_INLINE_MEMBER void operator()(size_t row, size_t panel,
                                                  const int32_t* sums) const {
    const int16_t* const residual = stream + row * m.out + panel;
    int32_t* const __restrict out = sums_out + row * m.out + panel;
    const Narrowing narrowed(m, panel);
    for (size_t i = 0; i < kPanel; ++i) out[i] = residual[i] + narrowed(sums, i);
  }
};

struct Widen {
  const Matrix& m;
  const Scaled& scale;
  X* inputs;
  SEGMENTER_NETWORK_INLINE_MEMBER void operator()(size_t row, size_t panel,
                                                  const int32_t* sums) const {
    X* const __restrict out = inputs + row * m.out + panel;
    const Narrowing narrowed(m, panel);
    const Scaled input = scale;
    for (size_t i = 0; i < kPanel; ++i) {
      const int32_t v = gelu(clamp(narrowed(sums, i), -32767, 32767));
      out[i] = X(clamp(scaled(input, panel + i, v), -127, 127) + kFlip);
    }
  }
};

SEGMENTER_NETWORK_APART void project(const Matrix& m, const Rows& rows) {
  multiply(m, static_cast<const X*>(rows.x), rows.n, Project{m, rows.heads});
}
SEGMENTER_NETWORK_APART void add(const Matrix& m, const Rows& rows) {
  multiply(m, static_cast<const X*>(rows.x), rows.n, Add{m, rows.stream, rows.sums});
}
SEGMENTER_NETWORK_APART void narrow(const Matrix& m, const Rows& rows) {
  multiply(m, static_cast<const X*>(rows.wide), rows.n, Add{m, rows.stream, rows.sums});
}
SEGMENTER_NETWORK_APART void widen(const Matrix& m, const Scaled& scale, const Rows& rows) {
  multiply(m, static_cast<const X*>(rows.x), rows.n, Widen{m, scale, static_cast<X*>(rows.wide)});
}

// The largest whole number whose square is at most v.
SEGMENTER_NETWORK_INLINE uint64_t root(uint64_t v) {
  uint64_t result = 0;
  for (uint64_t bit = uint64_t(1) << 31; bit; bit >>= 1) {
    const uint64_t candidate = result | bit;
    if (candidate * candidate <= v) result = candidate;
  }
  return result;
}

SEGMENTER_NETWORK_APART void normalise(const Norm& norm, size_t width, const Rows& rows,
                                       bool last) {
  const Scaled to_stream = norm.stream, to_input = norm.input;
  for (size_t row = 0; row < rows.n; ++row) {
    int32_t* const __restrict z = rows.sums + row * width;
    int32_t sum = 0;
    for (size_t i = 0; i < width; ++i) {
      z[i] = clamp(z[i], -(1 << 18), 1 << 18);
      sum += z[i];
    }
    const int32_t mean = sum / int32_t(width);
    uint64_t squares = 0;
    for (size_t first = 0; first < width; first += kPanel) {
      uint32_t partial = 0;
      for (size_t i = first; i < first + kPanel; ++i) {
        z[i] = clamp(z[i] - mean, -32767, 32767);
        partial += uint32_t(z[i] * z[i]) >> 6;
      }
      squares += partial;
    }
    // the deviation in 10 fraction bits, and 2^10 divided by it as a factor of 15 bits and a shift
    const uint64_t variance = (squares << 6) / width + uint64_t(norm.least);
    const uint64_t deviation = root((variance ? variance : 1) << 20);
    uint32_t shift = 1;
    while (deviation >> (6 + shift)) ++shift;
    const uint64_t factor = (uint64_t(1) << (20 + shift)) / deviation;
    const int32_t multiplier = factor > 32767 ? 32767 : int32_t(factor), half = 1 << (shift - 1);
    int16_t* const __restrict stream = rows.stream + row * width;
    X* const __restrict x = static_cast<X*>(rows.x) + row * width;
    for (size_t i = 0; i < width; ++i) {
      const int32_t y = clamp((z[i] * multiplier + half) >> shift, -32767, 32767);
      z[i] = y;
      stream[i] = int16_t(clamp(scaled(to_stream, i, y), -32767, 32767));
    }
    if (last) continue;
    for (size_t i = 0; i < width; ++i)
      x[i] = X(clamp(scaled(to_input, i, z[i]), -127, 127) + kFlip);
  }
}

// Softmax of n scores with `shift` fraction bits: chances of 15 fraction bits whose sum is at most
// 1. Returns 2^29 divided by their sum.
SEGMENTER_NETWORK_INLINE int32_t soften(const int32_t* scores, size_t n, uint32_t shift,
                                        int32_t* powers, int16_t* chances) {
  int32_t best = scores[0];
  for (size_t i = 1; i < n; ++i) best = scores[i] > best ? scores[i] : best;
  int32_t sum = 0;
  for (size_t i = 0; i < n; ++i) {
    const uint32_t d = (uint32_t(best) - uint32_t(scores[i])) >> (shift - 10);
    powers[i] = power(int32_t(d > 16383 ? 16383 : d));
    sum += powers[i];
  }
  uint32_t down = 0;
  while (sum >> down > 1 << 15) ++down;
  sum = 0;
  for (size_t i = 0; i < n; ++i) {
    const int32_t p = powers[i] >> down;
    chances[i] = int16_t(p);
    sum += p;
  }
  return (1 << 29) / sum;
}

SEGMENTER_NETWORK_APART void attend(size_t width, const uint8_t* shifts, const Rows& rows,
                                    size_t begin, size_t end, int16_t* scratch) {
  const size_t n = end - begin, stride = 3 * width, panels = (n + kPanel - 1) / kPanel;
  const size_t n_even = (n + 1) / 2 * 2;
  // keys: [64 places][32][64 places][2]; values: [n / 2][64][2]
  int16_t* const keys = scratch;
  int16_t* const values = keys + panels * kPanel * kHead;
  int16_t* const chances = values + n_even * kHead;
  int32_t* const scores = reinterpret_cast<int32_t*>(
      (reinterpret_cast<uintptr_t>(chances + kTile * n_even) + 3) / 4 * 4);
  for (size_t head = 0; head * kHead < width; ++head) {
    const int16_t* const q = rows.heads + begin * stride + head * kHead;
    const int16_t* const k = q + width;
    const int16_t* const v = k + width;
    for (size_t s = 0; s < panels * kPanel; ++s) {
      int16_t* const out = keys + s / kPanel * (kPanel * kHead) + s % kPanel * 2;
      const int16_t* const in = k + (s < n ? s : 0) * stride;
      for (size_t i = 0; i < kHead / 2; ++i) {
        out[i * 2 * kPanel] = in[2 * i];
        out[i * 2 * kPanel + 1] = in[2 * i + 1];
      }
    }
    for (size_t s = 0; s < n_even; s += 2) {
      const int16_t* const even_row = v + s * stride;
      const int16_t* const odd_row = v + (s + 1 < n ? s + 1 : s) * stride;
      int16_t* const out = values + s * kHead;
      for (size_t i = 0; i < kHead; ++i) {
        out[2 * i] = even_row[i];
        out[2 * i + 1] = odd_row[i];
      }
    }
    const size_t places = panels * kPanel;
    int32_t* const powers = scores + kTile * places;
    for (size_t first_row = 0; first_row < n; first_row += kTile) {
      const size_t m = n - first_row < kTile ? n - first_row : kTile;
      alignas(64) int32_t sums[kTile * kPanel];
      for (size_t panel = 0; panel < panels; ++panel) {
        some_pairs<kTile>(m, q + first_row * stride, stride, keys + panel * kPanel * kHead,
                          kHead / 2, sums);
        for (size_t r = 0; r < m; ++r)
          for (size_t i = 0; i < kPanel; ++i)
            scores[r * places + panel * kPanel + i] = sums[r * kPanel + i];
      }
      int32_t factors[kTile];
      for (size_t r = 0; r < m; ++r) {
        chances[r * n_even + n_even - 1] = 0;
        factors[r] = soften(scores + r * places, n, shifts[head], powers, chances + r * n_even);
        factors[r] = factors[r] > 32767 ? 32767 : factors[r];
      }
      some_pairs<kTile>(m, chances, n_even, values, n_even / 2, sums);
      for (size_t r = 0; r < m; ++r) {
        X* const x = static_cast<X*>(rows.x) + (begin + first_row + r) * width + head * kHead;
        for (size_t i = 0; i < kHead; ++i) {
          const int32_t mean = ((sums[r * kPanel + i] >> 15) * factors[r] + (1 << 18)) >> 19;
          x[i] = X(clamp(mean, -127, 127) + kFlip);
        }
      }
    }
  }
}

SEGMENTER_NETWORK_APART void score(const int16_t* out, const Rows& rows, size_t row, size_t width,
                                   int32_t* scores) {
  const int16_t* const x = rows.stream + row * width;
  for (size_t tag = 0; tag < 3; ++tag) {
    int32_t sum = 0;
    for (size_t i = 0; i < width; ++i) sum += int32_t(x[i]) * out[tag * width + i];
    scores[tag] = sum;
  }
}
