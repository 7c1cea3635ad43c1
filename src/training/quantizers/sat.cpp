#include <bit>

#include "n2d2/base/clones.hpp"

#include "quantizer_base.hpp"

namespace n2d2::training {

enum class SatMode { Default, Symmetric, Asymmetric, FullRange };

}  // namespace n2d2::training

template <>
struct n2d2::EnumText<n2d2::training::SatMode> {
  static constexpr std::array names{"Default", "Symmetric", "Asymmetric", "FullRange"};
};

namespace n2d2::training {

namespace {

/// e^-x for x >= 0: 2^-k e^r with |r| <= ln 2 / 2 as a series. The same bits on every processor, and a loop
/// of it uses vectors.
inline double exp_of_minus(double x) {
  constexpr double kLog2E = 1.4426950408889634, kHigh = 0x1.62e42fefa3800p-1, kLow = 0x1.ef35793c76730p-45;
  constexpr double kMost = 40;  // tanh is 1 in float32 from there
  const double z = -std::min(x, kMost);
  const double k = nearest_whole(z * kLog2E);
  const double r = (z - k * kHigh) - k * kLow;
  double sum = 1.0 / 39916800;
  for (const double factorial :
       {3628800.0, 362880.0, 40320.0, 5040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0})
    sum = sum * r + 1 / factorial;
  // The low bits of 1.5 * 2^52 + (k + 1023), moved to where an exponent is.
  constexpr double kWhole = 6755399441055744.0;
  const auto bits = std::bit_cast<uint64_t>(k + 1023 + kWhole) << 52U;
  return sum * std::bit_cast<double>(bits);
}

N2D2_CLONES
void tanh_of(const float* w, float* t, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double e = exp_of_minus(2 * std::abs(double{w[i]}));
    t[i] = std::copysign(static_cast<float>((1 - e) / (1 + e)), w[i]);
  }
}

/// to = from * scale / cosh^2 w.
N2D2_CLONES
void times_slope(const float* w, const float* from, float* to, double scale, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double e = exp_of_minus(2 * std::abs(double{w[i]}));
    to[i] = static_cast<float>(double{from[i]} * scale * (4 * e / ((1 + e) * (1 + e))));
  }
}

/// Grid of one mode: an integer is clamp(nearest_whole(gain x + shift)) factor + offset of x = tanh w / m.
struct SatGrid {
  double gain = 1, shift = 0, lowest = 0, highest = 0, factor = 1, offset = 0;
};

N2D2_CLONES
void on_grid(const float* t, double inverse, const SatGrid& grid, int32_t* q, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double code = nearest_whole(grid.gain * (double{t[i]} * inverse) + grid.shift);
    q[i] =
        static_cast<int32_t>(std::min(std::max(grid.lowest, code), grid.highest) * grid.factor + grid.offset);
  }
}

/// Scale-adjusted training: a grid over tanh w / max |tanh w|, the gradient of which leaves the maximum and
/// the deviation out. Source: Jin, Yang, Liao 2019 (arXiv 1912.10207), equations 11 and 12 and section 3.3;
/// FullRange and Asymmetric are those of N2D2.
struct Sat final : QuantizerBase<Sat> {
  static constexpr const char* kType = "SAT";
  int range = 255;
  SatMode mode = SatMode::Default;
  bool apply_quantization = true, apply_scaling = false;

  template <class V>
  static void fields(V&& v) {
    v("Range", &Sat::range, at_least(1), at_most(65535),
      help("steps of the grid: 255 are 8 bits, 1 is binary"));
    v("QuantMode", &Sat::mode, help("grid of the weights"));
    v("ApplyQuantization", &Sat::apply_quantization, help("0: weights are tanh(w) / max, not rounded"));
    v("ApplyScaling", &Sat::apply_scaling,
      help("divide by the standard deviation, for layers without BatchNorm"));
  }

  void check(std::span<const KeySource* const> keys, Diagnostics& diagnostics) const override {
    const bool halves = mode == SatMode::Symmetric || mode == SatMode::Asymmetric;
    if (halves && range == 1)
      report_at_key(
          keys, "Range",
          fmt::format("expected an integer >= 2 with QuantMode={}, got '1'", ValueText<SatMode>::print(mode)),
          "binary weights are Range=1 with QuantMode=Default", diagnostics);
  }

  std::optional<IntegerWeights> integers(std::span<const float> masters) const override;
  void backward(std::span<const float> masters, std::span<const float> d_weights, std::span<float> d_masters,
                std::span<float> d_steps) const override;

 protected:
  void first_state(std::span<const float>) override {}
  void forward_real(std::span<const float> masters, std::span<float> weights) const override;

 private:
  /// R' = floor(R / 2)
  double half() const { return range / 2; }
  /// d u / d x of the grid's argument.
  double slope() const {
    if (mode == SatMode::FullRange) return 1 + 0.9998 / range;
    return mode == SatMode::Asymmetric ? 1 + 1 / (2 * half()) : 1;
  }
  double step() const { return 1 / (is_odd_grid() ? range : half()); }
  /// Integers are 2k - R.
  bool is_odd_grid() const { return mode == SatMode::Default || mode == SatMode::FullRange; }
  SatGrid grid() const;
  /// Calls body(begin, end, m) for each run of weights of one maximum m > 0 in memory order.
  template <class Body>
  void for_parts(std::span<const float> tanhs, const Body& body) const;
  std::vector<float> tanhs(std::span<const float> masters) const;
  /// What ApplyScaling divides by: the standard deviation of unit * values times the root of the fan; 1
  /// without scaling, and where all values are the same.
  template <class T>
  double sigma(const std::vector<T>& values, double unit) const;
  std::vector<int32_t> codes(std::span<const float> tanhs) const;
  std::vector<float> clamped(std::span<const float> tanhs) const;
};

SatGrid Sat::grid() const {
  const double r = range, h = half();
  switch (mode) {
    case SatMode::Default:
      return {r / 2, r / 2, 0, r, 2, -r};
    case SatMode::FullRange:
      return {slope() * r / 2, slope() * r / 2 - 0.4999, 0, r, 2, -r};
    case SatMode::Symmetric:
      return {h, 0, -h, h, 1, 0};
    case SatMode::Asymmetric:
      return {slope() * h, -0.5, -h - 1, h, 1, 0};
  }
  return {};
}

template <class Body>
void Sat::for_parts(std::span<const float> tanhs, const Body& body) const {
  const auto extent = static_cast<size_t>(weights_.shape[1]), rows = outputs();
  const size_t taps = tanhs.size() / (rows * extent);
  std::vector<int64_t> parts = weights_.parts;
  if (parts.empty()) parts.push_back(weights_.shape[1]);
  size_t first = 0;
  for (const int64_t part : parts) {
    const size_t run = static_cast<size_t>(part) * taps;
    float most = 0;
    for (size_t o = 0; o < rows; ++o) {
      const size_t begin = o * extent * taps + first;
      for (size_t i = begin; i < begin + run; ++i)
        if (is_used(i)) most = std::max(most, std::abs(tanhs[i]));
    }
    const double m = most > 0 ? double{most} : 1;
    if (run == extent * taps) {
      body(size_t{0}, tanhs.size(), m);
    } else {
      for (size_t o = 0; o < rows; ++o) body(o * extent * taps + first, o * extent * taps + first + run, m);
    }
    first += run;
  }
}

std::vector<float> Sat::tanhs(std::span<const float> masters) const {
  std::vector<float> out(masters.size());
  for_blocks(masters.size(), [&](size_t begin, size_t end) {
    tanh_of(masters.data() + begin, out.data() + begin, end - begin);
  });
  return out;
}

template <class T>
double Sat::sigma(const std::vector<T>& values, double unit) const {
  if (!apply_scaling) return 1;
  // Sums of integers are exact. A weight without connection is 0.
  const auto [sum, squares] = block_sums<2>(values.size(), [&](size_t i) {
    const double q = values[i];
    return std::array{q, q * q};
  });
  const auto count = static_cast<double>(count_used());
  const auto parts = static_cast<double>(std::max<size_t>(1, weights_.parts.size()));
  const Shape& shape = weights_.shape;
  const double taps = shape.rank() == 4 ? static_cast<double>(shape[2] * shape[3]) : 1;
  const double fan = parts * static_cast<double>(outputs()) * taps;
  const double variance = count > 1 ? (squares - sum * sum / count) / (count - 1) : 0;
  return variance > 0 ? std::sqrt(fan * variance) * unit : 1;
}

std::vector<int32_t> Sat::codes(std::span<const float> tanhs) const {
  std::vector<int32_t> out(tanhs.size());
  const SatGrid on = grid();
  for_parts(tanhs, [&](size_t first, size_t last, double m) {
    for_blocks(last - first, [&](size_t begin, size_t end) {
      on_grid(tanhs.data() + first + begin, 1 / m, on, out.data() + first + begin, end - begin);
    });
  });
  for (size_t i = 0; i < weights_.used.size(); ++i)
    if (weights_.used[i] == 0) out[i] = 0;
  return out;
}

std::vector<float> Sat::clamped(std::span<const float> tanhs) const {
  std::vector<float> out(tanhs.size());
  const double shift = mode == SatMode::Asymmetric ? 1 - slope() : 0;
  const double gain = mode == SatMode::Asymmetric ? slope() : 1;
  for_parts(tanhs, [&](size_t first, size_t last, double m) {
    for (size_t i = first; i < last; ++i)
      out[i] = is_used(i) ? static_cast<float>(gain * (double{tanhs[i]} / m) + shift) : 0.0F;
  });
  return out;
}

std::optional<IntegerWeights> Sat::integers(std::span<const float> masters) const {
  if (!apply_quantization) return std::nullopt;
  IntegerWeights out;
  out.values = codes(tanhs(masters));
  const SatGrid on = grid();
  out.lowest = static_cast<int32_t>(on.lowest * on.factor + on.offset);
  out.highest = static_cast<int32_t>(on.highest * on.factor + on.offset);
  out.codebook = is_odd_grid();
  out.steps = {static_cast<float>(step() / sigma(out.values, step()))};
  return out;
}

void Sat::forward_real(std::span<const float> masters, std::span<float> weights) const {
  const std::vector<float> values = clamped(tanhs(masters));
  const double divisor = sigma(values, 1);
  for (size_t i = 0; i < values.size(); ++i) weights[i] = static_cast<float>(double{values[i]} / divisor);
}

void Sat::backward(std::span<const float> masters, std::span<const float> d_weights,
                   std::span<float> d_masters, std::span<float>) const {
  const std::vector<float> t = tanhs(masters);
  double divisor = 1;
  if (apply_scaling) divisor = apply_quantization ? sigma(codes(t), step()) : sigma(clamped(t), 1);
  for_parts(t, [&](size_t first, size_t last, double m) {
    const double scale = slope() / (m * divisor);
    for_blocks(last - first, [&](size_t begin, size_t end) {
      times_slope(masters.data() + first + begin, d_weights.data() + first + begin,
                  d_masters.data() + first + begin, scale, end - begin);
    });
  });
  for (size_t i = 0; i < weights_.used.size(); ++i)
    if (weights_.used[i] == 0) d_masters[i] = 0;
}

}  // namespace

void register_sat(QuantizerRegistry& registry);
void register_sat(QuantizerRegistry& registry) {
  register_quantizer<Sat>(registry);
}

}  // namespace n2d2::training
