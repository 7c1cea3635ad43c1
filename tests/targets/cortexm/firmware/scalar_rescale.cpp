// Does the floating-point form by integers give the bytes of float arithmetic on the core, and what does it
// cost?
#include <cmath>
#include <cstring>

#include "float_by_integers.hpp"
#include "rescale.hpp"
#include "scalar_report.hpp"

namespace n2d2::scalar_test {
namespace {

enum { kCount = 256 };
int32_t sums[kCount];
float factors[kCount];
uint8_t bytes[kCount];

struct Config {
  int lo, hi, shift, factor_step;
};

float float_of(uint32_t bits) {
  float s;
  std::memcpy(&s, &bits, sizeof(s));
  return s;
}

int32_t by_floats(int32_t x, float s) {
  const float v = static_cast<float>(x) * s;
  const float low = v > -256.0F ? v : -256.0F;
  return static_cast<int32_t>(rintf(low < 256.0F ? low : 256.0F));
}
int32_t clamped(int32_t y) {
  return y < -256 ? -256 : y > 256 ? 256 : y;
}

bool is_equal(int32_t x, float s) {
  namespace kernels = N2D2_EXPORT_NAMESPACE;
  const int32_t wanted = by_floats(x, s), exact = clamped(kernels::exact_product(x, kernels::bits_of(s))),
                got = clamped(kernels::FactorByIntegers::of(s).times(x));
  if (exact == wanted && got == wanted) return true;
  print("different: x ", x, ", bits of s ", static_cast<int>(kernels::bits_of(s)), ", floats ", wanted);
  print(", exact ", exact, ", got ", got, "\n");
  return false;
}

/// Sums around ties, and any.
bool all_are_equal(Draw& draw, int count) {
  for (int i = 0; i < count; ++i) {
    const uint32_t mantissa = draw.word() & (draw.one_in(2) ? 0x780000U : 0x7fffffU);
    const float s = float_of(static_cast<uint32_t>(draw.in(108, 127)) << 23 | mantissa);
    const float near = static_cast<float>(draw.in(-520, 520)) * 0.5F;
    const int32_t tie = static_cast<int32_t>(near / s);
    for (int beside = -1; beside <= 1; ++beside)
      if (!is_equal(tie + beside, s)) return false;
    const auto any = static_cast<int32_t>(draw.word());
    if (!is_equal(any >> draw.in(0, 24), s)) return false;
  }
  return true;
}

template <class Run>
void count(const char* what, const Run& run) {
  const uint32_t n = instructions(run);
  print("count rescale ", what, " ", static_cast<int>(n * 10 / kCount), " tenths an output\n");
}

void count_all(Draw& draw) {
  for (int i = 0; i < kCount; ++i)
    sums[i] = draw.in(-20000, 90000), factors[i] = 0.001F + static_cast<float>(draw.in(0, 2000)) * 1e-6F;
  for (int step = 0; step < 2; ++step) {
    const Config c = {0, 255, 0, step};
    count(step ? "float, a factor an output:" : "float, one factor:", [&] {
      N2D2_EXPORT_NAMESPACE::Rescale<int32_t, float, uint8_t>::run(c, sums, factors, kCount, bytes);
    });
  }
  count("float functions:", [] {
    for (int i = 0; i < kCount; ++i) {
      const int32_t y = by_floats(sums[i], factors[i]);
      bytes[i] = static_cast<uint8_t>(y < 0 ? 0 : y > 255 ? 255 : y);
    }
  });
}

}  // namespace
}  // namespace n2d2::scalar_test

int main() {
  n2d2::scalar_test::Draw draw;
  if (!n2d2::scalar_test::all_are_equal(draw, 20000)) return 1;
  n2d2::scalar_test::count_all(draw);
  n2d2::scalar_test::print("rescale: all outputs are equal\n");
  return 0;
}
