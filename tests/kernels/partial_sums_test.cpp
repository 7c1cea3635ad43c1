#include "partial_sums.hpp"

#include "cases.hpp"
#include "kernels/planned_tensor.hpp"
#include "requantize.hpp"

namespace n2d2::kernels_test {
namespace {

struct SlicedCase {
  int h, w, slices, of_slice, outputs;
  Window window;
  int out_h, out_w;
  int c() const { return slices * of_slice; }
};

SlicedCase random_case(Generator& random) {
  SlicedCase k{};
  do {
    k.h = random.in(1, 7), k.w = random.in(1, 9);
    k.slices = random.in(1, 5), k.of_slice = random.in(1, 20), k.outputs = random.in(1, 70);
    k.window.w = random.in(1, 3), k.window.h = random.in(1, 3);
    k.window.stride_x = random.in(1, 2), k.window.stride_y = random.in(1, 2);
    k.window.pad_x = random.in(0, 1), k.window.pad_y = random.in(0, 1);
    k.out_h = (k.h + 2 * k.window.pad_y - k.window.h) / k.window.stride_y + 1;
    k.out_w = (k.w + 2 * k.window.pad_x - k.window.w) / k.window.stride_x + 1;
  } while (k.h + 2 * k.window.pad_y < k.window.h || k.w + 2 * k.window.pad_x < k.window.w);
  return k;
}

/// Channels [slice * of, (slice + 1) * of) of rows of `channels` values.
template <class To, class From>
std::vector<To> slice_of(const std::vector<From>& values, int channels, int of, int slice) {
  std::vector<To> out;
  for (size_t row = 0; row < values.size(); row += static_cast<size_t>(channels))
    for (int c = slice * of; c < (slice + 1) * of; ++c)
      out.push_back(static_cast<To>(values[row + static_cast<size_t>(c)]));
  return out;
}

Placement packed(int h, int w, int c) {
  return {h, w, c, c, w * c};
}

/// Sums of slices, row by row, then outputs of them; what the sums held before is not theirs.
template <class In, class Out, class Factor, class AddSlice>
void check(Generator& random, const SlicedCase& k, const AddSlice& add_slice) {
  const auto in = random.map<In>(k.h, k.w, k.c());
  const int taps = k.window.w * k.window.h;
  const auto weights = random.map<int8_t>(k.outputs, 1, taps * k.c());
  const auto bias = random.values<ValueOf<Out>>(static_cast<size_t>(k.outputs), -1000, 1000);
  const Rescaling<Out, Factor> rescaling(random, k.outputs, 0.1 * taps * k.c() * 255.0 * 127.0);
  const Placement to = random.place(k.out_h, k.out_w, k.outputs);
  std::vector<Out> target = random.values<Out>(to.end(), 0, 100);
  const std::vector<Out> before = target;
  Placement sums_at = packed(k.out_h, k.out_w, k.outputs);
  sums_at.ring = 1;
  std::vector<int32_t> sums(static_cast<size_t>(k.out_w * k.outputs) + 1, -77);

  Config<BoundOf<Out>> of_slice, end;
  set_in(of_slice, packed(k.h, k.w, k.of_slice)), set_out(of_slice, sums_at), set_window(of_slice, k.window);
  of_slice.groups = 1, of_slice.ordered = random.in(0, 1);
  set_in(end, sums_at), set_out(end, to), rescaling.set(end);
  const std::vector<int32_t> biases(bias.begin(), bias.end());
  for (int y = 0; y < k.out_h; ++y) {
    N2D2_Export::clear_sums(sums.data(), k.out_w * k.outputs);
    for (int s = 0; s < k.slices; ++s) {
      const auto slice = slice_of<In>(in.v, k.c(), k.of_slice, s);
      const auto w = slice_of<int8_t>(weights.v, k.c(), k.of_slice, s);
      add_slice(of_slice, N2D2_Export::Rows{y, 1}, slice.data(), sums.data(), w.data());
    }
    N2D2_Export::requantize(end, {y, 1}, sums.data(), target.data() + to.start(), biases.data(),
                            rescaling.factor.data());
  }
  const auto expected =
      rescaling.apply(oracle::conv<ValueOf<Out>>({in}, k.window, k.out_h, k.out_w, 1, weights.v, bias));
  SCOPED_TRACE(describe("out", to) + describe(k.window) + " slices " + std::to_string(k.slices));
  ASSERT_EQ(read(target, to).v, expected.v);
  ASSERT_EQ(surroundings(target, to), surroundings(before, to));
  ASSERT_EQ(sums.back(), -77);
}

template <class In, class Out, class Factor>
void sweep(unsigned seed) {
  Generator random(seed);
  for (int i = 0; i < cases(100, 4) && !testing::Test::HasFatalFailure(); ++i) {
    check<In, Out, Factor>(random, random_case(random),
                           [](auto... arguments) { N2D2_Export::conv2d_sums(arguments...); });
    SlicedCase vector = random_case(random);
    vector.window = {};
    vector.h = vector.w = vector.out_h = vector.out_w = 1;
    check<In, Out, Factor>(random, vector, [](auto... arguments) { N2D2_Export::fc_sums(arguments...); });
  }
}

TEST(PartialSums, OfAllSlicesAreTheOracles) {
  sweep<uint8_t, uint8_t, float>(1);
  sweep<int8_t, int8_t, int32_t>(2);
  sweep<uint8_t, int16_t, int32_t>(3);
  sweep<int8_t, int32_t, int32_t>(4);
}

TEST(PartialSums, RowsOfAWindowEndWithTheMap) {
  const auto read = [](N2D2_Export::Rows rows, int stride, int pad, int extent, int height) {
    const N2D2_Export::Rows found = N2D2_Export::rows_read(rows, stride, pad, extent, height);
    return std::pair(found.first, found.count);
  };
  EXPECT_EQ(read({0, 1}, 1, 1, 3, 9), std::pair(0, 2));
  EXPECT_EQ(read({4, 1}, 1, 1, 3, 9), std::pair(3, 3));
  EXPECT_EQ(read({8, 1}, 1, 1, 3, 9), std::pair(7, 2));
  EXPECT_EQ(read({1, 3}, 2, 1, 3, 9), std::pair(1, 7));
  EXPECT_LE(read({0, 1}, 1, 5, 3, 9).second, 0) << "beyond the map";
}

}  // namespace
}  // namespace n2d2::kernels_test
