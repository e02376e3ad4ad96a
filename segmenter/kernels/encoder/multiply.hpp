// multiply() of encoder/arithmetic.hpp by rows and vectors of sums. Included once per set, inside a
// namespace that defines X, kTile and
//
//   fours<M>(x, stride, w, n, out)  out[M][64]: sums of 4 * n products of M rows of inputs

template <int M>
SEGMENTER_NETWORK_INLINE void some_fours(size_t rows, const X* x, size_t stride, const int8_t* w,
                                         size_t n, int32_t* out) {
  if (rows >= M) return fours<M>(x, stride, w, n, out);
  if constexpr (M > 1) some_fours<M - 1>(rows, x, stride, w, n, out);
}
// Calls store(row, panel, sums) with the sums of 64 outputs.
template <class Put>
SEGMENTER_NETWORK_INLINE void multiply(const Matrix& m, const X* x, size_t rows, const Put& store) {
  alignas(64) int32_t sums[kTile * kPanel];
  for (size_t panel = 0; panel < m.out; panel += kPanel) {
    const int8_t* const w = m.weights + panel * m.in;
    for (size_t first_row = 0; first_row < rows; first_row += kTile) {
      const size_t n = rows - first_row < kTile ? rows - first_row : kTile;
      some_fours<kTile>(n, x + first_row * m.in, m.in, w, m.in / 4, sums);
      for (size_t r = 0; r < n; ++r) store(first_row + r, panel, sums + r * kPanel);
    }
  }
}
