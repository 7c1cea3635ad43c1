// Answers: which layers have all maps and windows of 1 to 5, with every stride, pad and number of channels?
//
// Maps and windows are enumerated. What else a layer has is taken from lists whose lengths have no common
// divisor, an entry a layer, so that a map and a window meet several entries of each list, in ever new
// combinations, and a window meets all of them (AllShapes.*).
#pragma once

#include <array>
#include <bitset>
#include <cstddef>

#include "cases.hpp"
#include "drawn.hpp"
#include "kernels/planned_tensor.hpp"
#include "oracle/naive_ops.hpp"

namespace n2d2::kernels_test {

inline constexpr int kLargest = 5;

/// Layers of each map and window.
inline constexpr int kRounds = cases(12, 6);

struct Shape {
  int number = 0;
  int h = 1, w = 1, c = 1, out_h = 1, out_w = 1, outputs = 1, groups = 1, multiplier = 1;
  oracle::Window window;
  bool is_signed = false;
};

inline constexpr std::array kStridesX{1, 2, 3, 6};
inline constexpr std::array kStridesY{1, 2, 1, 3, 6};
inline constexpr std::array kDilationsX{1, 2, 3};
inline constexpr std::array kDilationsY{1, 1, 2, 1, 3, 2, 1};
inline constexpr std::array kPadsX{0, 1, 2, 3, 4, 5, 6, 0, 2, 1, 9};
inline constexpr std::array kPadsY{0, 2, 1, 3, 0, 5, 4, 6, 1, 9, 0, 2, 1};
inline constexpr std::array kOutsX{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5};
inline constexpr std::array kOutsY{1, 3, 2, 5, 4, 6, 1, 3, 2, 5, 4, 6, 1, 3, 2, 5, 4, 2, 3};
// Forms that multiply matrices begin at 32.
inline constexpr std::array kChannels{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                      13, 14, 15, 16, 17, 18, 19, 20, 32, 48, 64};
inline constexpr std::array kOutputs{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                     16, 17, 18, 19, 20, 16, 17, 32, 33, 48, 1,  2,  3,  4};
inline constexpr size_t kGroupsPeriod = 31;

template <size_t N>
int entry(const std::array<int, N>& list, int number) {
  return list[static_cast<size_t>(number) % N];
}

/// What the layer of this number has besides its map and its window.
inline Shape layer(int number) {
  Shape s;
  s.number = number;
  s.window.stride_x = entry(kStridesX, number), s.window.stride_y = entry(kStridesY, number);
  s.window.dilation_x = entry(kDilationsX, number), s.window.dilation_y = entry(kDilationsY, number);
  s.window.pad_x = entry(kPadsX, number), s.window.pad_y = entry(kPadsY, number);
  s.out_w = entry(kOutsX, number), s.out_h = entry(kOutsY, number);
  s.c = entry(kChannels, number), s.outputs = entry(kOutputs, number);
  const int choice = number % static_cast<int>(kGroupsPeriod) % 6;
  s.multiplier = choice == 4 ? 2 : choice == 5 ? 3 : 1;
  s.is_signed = std::bitset<32>(static_cast<unsigned>(number)).count() % 2 == 1;
  return s;
}

/// Calls `use` with each layer until it returns false.
template <class Use>
void for_all_shapes(const Use& use) {
  int number = 0;
  for (int kernel_h = 1; kernel_h <= kLargest; ++kernel_h)
    for (int kernel_w = 1; kernel_w <= kLargest; ++kernel_w)
      for (int h = 1; h <= kLargest; ++h)
        for (int w = 1; w <= kLargest; ++w)
          for (int round = 0; round < kRounds; ++round) {
            Shape s = layer(number++);
            s.h = h, s.w = w, s.window.h = kernel_h, s.window.w = kernel_w;
            if (!use(s)) return;
          }
}

/// One half of the layers of each map and window in turn. The halves change places every four layers, so that
/// each has all strides.
template <class Use>
void for_shapes_in_turn(const Use& use) {
  for_all_shapes([&](const Shape& s) {
    return !is_in_turn(static_cast<uint64_t>(s.number + s.number / 4), 2) || use(s);
  });
}

/// Calls `use` with a layer for each map of 1 to 5 and each number of channels up to 20.
template <class Use>
void for_all_maps(const Use& use) {
  int number = 0;
  for (int h = 1; h <= kLargest; ++h)
    for (int w = 1; w <= kLargest; ++w)
      for (int c = 1; c <= 20; ++c)
        for (int round = 0; round < kRounds; ++round) {
          Shape s;
          s.number = number, s.outputs = entry(kOutputs, number);
          s.is_signed = layer(number++).is_signed;
          s.h = h, s.w = w, s.c = c;
          if (!use(s)) return;
        }
}

/// The pixels that an average over the taps that count divides by: those of the map, and some around it.
struct Counted {
  int x = 0, y = 0, w = 0, h = 0;  // first column and row, and how many of them
  std::vector<int> taps;           // of each window

  /// Some pixels of the padding count, or all of it where a window would else have none.
  static Counted around(Generator& random, const Shape& s) {
    const oracle::Window& k = s.window;
    const int right = (s.out_w - 1) * k.stride_x + k.w - k.pad_x;
    const int bottom = (s.out_h - 1) * k.stride_y + k.h - k.pad_y;
    Counted some;
    some.x = -random.in(0, k.pad_x), some.y = -random.in(0, k.pad_y);
    some.w = std::max(s.w, s.w + random.in(0, std::max(0, right - s.w))) - some.x;
    some.h = std::max(s.h, s.h + random.in(0, std::max(0, bottom - s.h))) - some.y;
    if (some.count(s)) return some;
    Counted all;
    all.x = -k.pad_x, all.y = -k.pad_y;
    all.w = std::max(right, s.w) - all.x, all.h = std::max(bottom, s.h) - all.y;
    all.count(s);
    return all;
  }

  template <class C>
  void set(C& c) const {
    c.by_count = 1, c.counted_x = -x, c.counted_y = -y, c.counted_w = w, c.counted_h = h;
  }

 private:
  /// Returns whether each window has a tap that counts.
  bool count(const Shape& s) {
    const oracle::Window& k = s.window;
    bool all_have = true;
    for (int oy = 0; oy < s.out_h; ++oy)
      for (int ox = 0; ox < s.out_w; ++ox) {
        int n = 0;
        for (int ky = 0; ky < k.h; ++ky)
          for (int kx = 0; kx < k.w; ++kx) {
            const int row = oy * k.stride_y - k.pad_y + ky, column = ox * k.stride_x - k.pad_x + kx;
            if (row >= y && row < y + h && column >= x && column < x + w) ++n;
          }
        taps.push_back(n);
        all_have = all_have && n > 0;
      }
    return all_have;
  }
};

/// The averages of sums by the taps that count. The factor of the rescaling becomes a list: entry n - 1
/// divides by n.
template <class Out, class Factor>
Map<ValueOf<Out>> average_by_count(Rescaling<Out, Factor>& rescaling, Map<ValueOf<Out>> sums,
                                   const Counted& counted, int area) {
  rescaling.bounds.factor_step = 0;
  const Factor whole = rescaling.factor[0];
  rescaling.factor.clear();
  for (int n = 1; n <= area; ++n) rescaling.factor.push_back(whole / static_cast<Factor>(n));
  Rescaling<Out, Factor> one = rescaling;
  Map<ValueOf<Out>> averages = sums, sum(1, 1, 1);
  for (size_t i = 0; i < sums.v.size(); ++i) {
    const int taps = counted.taps[i / static_cast<size_t>(sums.c)];
    sum.v[0] = sums.v[i];
    if constexpr (std::is_same_v<Out, float>)
      sum.v[0] = static_cast<float>(sum.v[0]) / static_cast<float>(taps);
    one.factor = {rescaling.factor[static_cast<size_t>(taps - 1)]};
    averages.v[i] = one.apply(sum).v[0];
  }
  return averages;
}

}  // namespace n2d2::kernels_test
