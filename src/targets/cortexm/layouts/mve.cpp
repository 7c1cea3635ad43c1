#include "mve.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>

namespace n2d2::targets::cortexm::mve {

namespace {

constexpr int kGroup = 4;        // outputs that share a group of weights
constexpr int kStep = 16;        // bytes of a vector
constexpr int kLanes = 16;       // channels of a block
constexpr int kSumsBytes = 128;  // of 2 pixels x 16 outputs
constexpr int kSpare = 7;        // for an alignment to 8
constexpr int kColumn = 64;      // bytes of 16 channels, and of their sums
constexpr int kShift = 32;
constexpr int kNarrow = 16;                // weights of 4 bits are multiples of it
constexpr int kPair = kGroup * kStep / 2;  // between the weights of a byte

int up_to(int n, int multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

int padded_outputs(const Windows& shape) {
  return up_to(shape.outputs_of_group(), kGroup);
}

/// What 128 times the sum of weights adds to a bias, modulo 2^32.
int32_t corrected(int32_t bias, int64_t sum_of_weights, bool inputs_are_signed) {
  return inputs_are_signed ? bias
                           : static_cast<int32_t>(static_cast<uint32_t>(bias) +
                                                  static_cast<uint32_t>(128 * sum_of_weights));
}

int64_t sum_of(std::span<const int8_t> weights) {
  int64_t sum = 0;
  for (const int8_t w : weights) sum += w;
  return sum;
}

template <class T>
T element(std::span<const T> values, int i) {
  return values[values.size() == 1 ? 0 : static_cast<std::size_t>(i)];
}

template <class T>
std::vector<T> windows_of(const Windows& shape, std::span<const T> factors) {
  const int of_group = shape.outputs_of_group(), padded = padded_outputs(shape);
  std::vector<T> out;
  for (int g = 0; g < shape.groups; ++g)
    for (int o = 0; o < padded; ++o) out.push_back(o < of_group ? element(factors, g * of_group + o) : T{0});
  return out;
}

/// Calls use(channel) for each slot of each block in the order of the arrays.
template <class Use>
void for_slots(const Channels& shape, const Use& use) {
  const int lanes = std::min(kLanes, shape.channels);
  for (int block = 0; block < up_to(shape.channels, kLanes) / kLanes; ++block) {
    const int first = std::max(0, std::min(block * kLanes, shape.channels - kLanes));
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i) use(first + (4 * i + j) % lanes);
  }
}

template <class T>
std::vector<T> channels_of(const Channels& shape, std::span<const T> factors) {
  std::vector<T> out;
  for_slots(shape, [&](int channel) { out.push_back(element(factors, channel)); });
  return out;
}

}  // namespace

std::vector<int8_t> pack_weights(const Windows& shape, std::span<const int8_t> weights) {
  const int of_group = shape.outputs_of_group();
  std::vector<int8_t> out;
  out.reserve(static_cast<std::size_t>(shape.groups) * static_cast<std::size_t>(padded_outputs(shape)) *
              static_cast<std::size_t>(up_to(shape.window, kStep)));
  for (int g = 0; g < shape.groups; ++g)
    for (int o = 0; o < padded_outputs(shape); o += kGroup)
      for (int k = 0; k < shape.window; k += kStep)
        for (int j = 0; j < kGroup; ++j)
          for (int e = 0; e < kStep; ++e) {
            const bool there = o + j < of_group && k + e < shape.window;
            const std::ptrdiff_t row = g * of_group + o + j;
            out.push_back(there ? weights[static_cast<std::size_t>(row * shape.window + k + e)] : int8_t{0});
          }
  return out;
}

bool may_be_narrow(const Windows& shape, std::span<const int8_t> weights, std::span<const int32_t> biases) {
  constexpr int64_t kLargestInput = 255;
  int64_t largest = 0;
  for (const int32_t bias : biases) largest = std::max(largest, std::abs(int64_t{bias}));
  const auto window = static_cast<std::size_t>(shape.window);
  for (std::size_t o = 0; o < static_cast<std::size_t>(shape.outputs); ++o) {
    int64_t sum = 0;
    for (std::size_t at = o * window; at < (o + 1) * window; ++at) {
      if (weights[at] % kNarrow != 0) return false;
      const bool is_upper = o % kGroup >= kGroup / 2;
      if (is_upper && weights[at] == -128 && weights[at - kGroup / 2 * window] < 0) return false;
      sum += std::abs(int64_t{weights[at]});
    }
    if (largest + kLargestInput * sum > std::numeric_limits<int32_t>::max()) return false;
  }
  return shape.groups == 1;
}

std::vector<uint8_t> narrow_weights(std::span<const int8_t> packed) {
  std::vector<uint8_t> out;
  out.reserve(packed.size() / 2);
  for (std::size_t group = 0; group < packed.size(); group += kGroup * kStep)
    for (std::size_t i = group; i < group + kPair; ++i)
      out.push_back(static_cast<uint8_t>(packed[i + kPair] + packed[i] / kNarrow));
  return out;
}

std::vector<int32_t> pack_biases(const Windows& shape, std::span<const int8_t> weights,
                                 std::span<const int32_t> biases, bool inputs_are_signed) {
  const int of_group = shape.outputs_of_group(), rows = static_cast<int>(biases.size()) / shape.outputs;
  const auto window = static_cast<std::size_t>(shape.window);
  std::vector<int32_t> out;
  for (int row = 0; row < rows; ++row)
    for (int g = 0; g < shape.groups; ++g)
      for (int o = 0; o < padded_outputs(shape); ++o) {
        const auto output = static_cast<std::size_t>(g * of_group + o);
        out.push_back(o < of_group
                          ? corrected(biases[static_cast<std::size_t>(row * shape.outputs) + output],
                                      sum_of(weights.subspan(output * window, window)), inputs_are_signed)
                          : 0);
      }
  return out;
}

std::vector<float> pack_factors(const Windows& shape, std::span<const float> factors) {
  return windows_of(shape, factors);
}
std::vector<int32_t> pack_factors(const Windows& shape, std::span<const int32_t> factors) {
  return windows_of(shape, factors);
}

int scratch_bytes(const Windows& shape, int tile_pixels) {
  return kSpare + kSumsBytes + tile_pixels * up_to(shape.window, kStep);
}

std::vector<int8_t> pack_weights(const Channels& shape, std::span<const int8_t> weights) {
  std::vector<int8_t> out;
  for_slots(shape, [&](int channel) {
    for (int kx = 0; kx < 4; ++kx)
      for (int ky = 0; ky < 4; ++ky) {
        const bool there = kx < shape.kernel_w && ky < shape.kernel_h;
        const int tap = ky * shape.kernel_w + kx;
        out.push_back(there ? weights[static_cast<std::size_t>(tap * shape.channels + channel)] : int8_t{0});
      }
  });
  return out;
}

std::vector<int32_t> pack_biases(const Channels& shape, std::span<const int8_t> weights,
                                 std::span<const int32_t> biases, bool inputs_are_signed) {
  std::vector<int32_t> out;
  for_slots(shape, [&](int channel) {
    int64_t sum = 0;
    for (int tap = 0; tap < shape.kernel_w * shape.kernel_h; ++tap)
      sum += weights[static_cast<std::size_t>(tap * shape.channels + channel)];
    out.push_back(corrected(biases[static_cast<std::size_t>(channel)], sum, inputs_are_signed));
  });
  return out;
}

std::vector<float> pack_factors(const Channels& shape, std::span<const float> factors) {
  return channels_of(shape, factors);
}
std::vector<int32_t> pack_factors(const Channels& shape, std::span<const int32_t> factors) {
  return channels_of(shape, factors);
}

int scratch_bytes(const Channels& shape, const Row& row) {
  int bytes = 0;
  for (const int unit : {1, 2}) {
    if (unit == 2 && (shape.channels != 8 || row.stride != 1)) break;
    const int column = kColumn / unit, stride = unit * row.stride, more = 3 * row.dilation + unit - stride;
    const int most = unit * ((row.piece_bytes - more * column) / (stride * column + kColumn));
    const int pieces = up_to(row.pixels, most) / most;
    const int units = up_to(up_to(row.pixels, pieces) / pieces, unit) / unit;
    bytes = std::max(bytes, units * kColumn + (units * stride + more) * column);
  }
  return kSpare + bytes;
}

std::string not_at_shift_32(std::span<const int32_t> factors, int shift) {
  if (shift < 1) return "a shift of 0 does not round";
  for (const int32_t factor : factors) {
    const int64_t m = factor, unit = int64_t{1} << (shift > kShift ? shift - kShift : kShift - shift);
    if (shift > kShift && m % unit != 0)
      return "the factor " + std::to_string(m) + " needs its shift of " + std::to_string(shift) +
             " bits, not 32";
    if (shift <= kShift &&
        (m * unit < std::numeric_limits<int32_t>::min() || m * unit > std::numeric_limits<int32_t>::max()))
      return "the factor " + std::to_string(m) + " with a shift of " + std::to_string(shift) +
             " bits is not below one half";
  }
  return {};
}

std::vector<int32_t> at_shift_32(std::span<const int32_t> factors, int shift) {
  const int64_t unit = int64_t{1} << (shift > kShift ? shift - kShift : kShift - shift);
  std::vector<int32_t> out;
  for (const int32_t factor : factors)
    out.push_back(static_cast<int32_t>(shift > kShift ? factor / unit : factor * unit));
  return out;
}

}  // namespace n2d2::targets::cortexm::mve
