#include "oracle/naive_ops.hpp"

#include <cmath>
#include <cstddef>

namespace n2d2::oracle {

template <class T>
Map<T>::Map(int rows, int columns, int channels)
    : h(rows), w(columns), c(channels), v(static_cast<size_t>(rows) * columns * channels) {}

template <class T>
T& Map<T>::at(int y, int x, int k) {
  return v.at((static_cast<size_t>(y) * w + x) * c + k);
}

template <class T>
T Map<T>::at(int y, int x, int k) const {
  return v.at((static_cast<size_t>(y) * w + x) * c + k);
}

template <class T>
T Map<T>::padded(int y, int x, int k) const {
  return y < 0 || y >= h || x < 0 || x >= w ? T(0) : at(y, x, k);
}

template <class T>
Map<T> conv(const Map<T>& in, const Window& window, int h, int w, int groups, const std::vector<T>& weights,
            const std::vector<T>& bias) {
  const int outputs = static_cast<int>(bias.size());
  const int group_c = in.c / groups;
  Map<T> out(h, w, outputs);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      for (int o = 0; o < outputs; ++o) {
        T sum = bias[o];
        for (int ky = 0; ky < window.h; ++ky)
          for (int kx = 0; kx < window.w; ++kx)
            for (int k = 0; k < group_c; ++k) {
              const int iy = y * window.stride_y - window.pad_y + ky * window.dilation_y;
              const int ix = x * window.stride_x - window.pad_x + kx * window.dilation_x;
              const int channel = o / (outputs / groups) * group_c + k;
              const size_t weight = ((static_cast<size_t>(o) * window.h + ky) * window.w + kx) * group_c + k;
              sum += in.padded(iy, ix, channel) * weights.at(weight);
            }
        out.at(y, x, o) = sum;
      }
  return out;
}

std::vector<int> kinds_along(int in, int out, int kernel, int stride, int dilation, int pad) {
  std::vector<int> kinds;
  bool was_whole = false;
  for (int o = 0; o < out; ++o) {
    bool is_whole = true;
    for (int k = 0; k < kernel; ++k) {
      const int at = o * stride - pad + k * dilation;
      is_whole = is_whole && at >= 0 && at < in;
    }
    const int last = o == 0 ? -1 : kinds.back();
    kinds.push_back(is_whole && was_whole ? last : last + 1);
    was_whole = is_whole;
  }
  return kinds;
}

template <class T>
Map<T> conv_with_rows(const Map<T>& in, const Window& window, int h, int w, int groups,
                      const std::vector<T>& weights, const std::vector<T>& rows, int outputs) {
  Map<T> out = conv(in, window, h, w, groups, weights, std::vector<T>(static_cast<size_t>(outputs), T(0)));
  const auto down = kinds_along(in.h, h, window.h, window.stride_y, window.dilation_y, window.pad_y);
  const auto across = kinds_along(in.w, w, window.w, window.stride_x, window.dilation_x, window.pad_x);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      for (int o = 0; o < outputs; ++o) {
        const int kind = down[static_cast<size_t>(y)] * (across.back() + 1) + across[static_cast<size_t>(x)];
        out.at(y, x, o) += rows.at(static_cast<size_t>(kind) * outputs + o);
      }
  return out;
}

template <class T>
Map<T> fc(const Map<T>& in, const std::vector<T>& weights, const std::vector<T>& bias) {
  Map<T> out(1, 1, static_cast<int>(bias.size()));
  for (size_t o = 0; o < bias.size(); ++o) {
    out.v[o] = bias[o];
    for (size_t i = 0; i < in.v.size(); ++i) out.v[o] += in.v[i] * weights.at(o * in.v.size() + i);
  }
  return out;
}

template <class T>
Map<T> window_sum(const Map<T>& in, const Window& window, int h, int w) {
  Map<T> out(h, w, in.c);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      for (int k = 0; k < in.c; ++k)
        for (int ky = 0; ky < window.h; ++ky)
          for (int kx = 0; kx < window.w; ++kx)
            out.at(y, x, k) += in.padded(y * window.stride_y - window.pad_y + ky,
                                         x * window.stride_x - window.pad_x + kx, k);
  return out;
}

template <class T>
Map<T> max_pool(const Map<T>& in, const Window& window, int h, int w, bool count_zeros) {
  Map<T> out(h, w, in.c);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      for (int k = 0; k < in.c; ++k) {
        bool found = false;
        T best = 0;
        for (int ky = 0; ky < window.h; ++ky)
          for (int kx = 0; kx < window.w; ++kx) {
            const int iy = y * window.stride_y - window.pad_y + ky;
            const int ix = x * window.stride_x - window.pad_x + kx;
            const bool inside = iy >= 0 && iy < in.h && ix >= 0 && ix < in.w;
            if (!inside && !count_zeros) continue;
            const T value = in.padded(iy, ix, k);
            if (!found || value > best) best = value;
            found = true;
          }
        out.at(y, x, k) = best;
      }
  return out;
}

template <class T>
Map<T> weighted_sum(const std::vector<Map<T>>& in, const std::vector<T>& multiplier) {
  Map<T> out(in.at(0).h, in.at(0).w, in.at(0).c);
  for (size_t p = 0; p < in.size(); ++p)
    for (size_t i = 0; i < out.v.size(); ++i) out.v[i] += in[p].v.at(i) * multiplier.at(p);
  return out;
}

template <class T>
Map<T> repeated(const Map<T>& in, int h, int w, int c) {
  Map<T> out(h, w, c);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      for (int k = 0; k < c; ++k) out.at(y, x, k) = in.at(y % in.h, x % in.w, k % in.c);
  return out;
}

template <class T>
Map<T> product(const std::vector<Map<T>>& in) {
  Map<T> out = in.at(0);
  for (size_t p = 1; p < in.size(); ++p)
    for (size_t i = 0; i < out.v.size(); ++i) out.v[i] *= in[p].v.at(i);
  return out;
}

Map<int64_t> look_up(const Map<int64_t>& in, const std::vector<int64_t>& table, int64_t entries) {
  Map<int64_t> out = in;
  for (size_t i = 0; i < out.v.size(); ++i) {
    const int64_t row = static_cast<int64_t>(table.size()) == entries ? 0 : static_cast<int64_t>(i) % in.c;
    const int64_t column = in.v[i] < 0 ? in.v[i] + entries : in.v[i];
    out.v[i] = table.at(static_cast<size_t>(row * entries + column));
  }
  return out;
}

Map<int64_t> shares(const Map<int64_t>& in, int group, const std::vector<int64_t>& powers) {
  Map<int64_t> out = in;
  for (size_t first = 0; first < in.v.size(); first += static_cast<size_t>(group)) {
    const size_t end = first + static_cast<size_t>(group);
    int64_t largest = in.v.at(first), sum = 0;
    for (size_t i = first; i < end; ++i) largest = in.v.at(i) > largest ? in.v.at(i) : largest;
    for (size_t i = first; i < end; ++i) {
      const auto distance = static_cast<size_t>(largest - in.v.at(i));
      out.v.at(i) = distance < powers.size() ? powers.at(distance) : 0;
      sum += out.v.at(i);
    }
    const int64_t reciprocal = 70368744177664 / sum;                                        // 2^46
    for (size_t i = first; i < end; ++i) out.v.at(i) = out.v.at(i) * reciprocal / 4194304;  // 2^22
  }
  return out;
}

template <class T>
Map<T> concat(const std::vector<Map<T>>& in) {
  int channels = 0;
  for (const Map<T>& map : in) channels += map.c;
  Map<T> out(in.at(0).h, in.at(0).w, channels);
  for (int y = 0; y < out.h; ++y)
    for (int x = 0; x < out.w; ++x) {
      int k = 0;
      for (const Map<T>& map : in)
        for (int i = 0; i < map.c; ++i) out.at(y, x, k++) = map.at(y, x, i);
    }
  return out;
}

template <class T>
std::vector<int32_t> argmax(const Map<T>& in, T threshold) {
  std::vector<int32_t> classes;
  for (int y = 0; y < in.h; ++y)
    for (int x = 0; x < in.w; ++x) {
      int32_t best = 0;
      for (int k = 1; k < in.c; ++k)
        if (in.at(y, x, k) > in.at(y, x, best)) best = k;
      classes.push_back(in.c > 1 ? best : static_cast<int32_t>(in.at(y, x, 0) > threshold));
    }
  return classes;
}

int64_t rescale_float(int64_t x, float s, int64_t lo, int64_t hi) {
  const volatile float as_float = static_cast<float>(x);
  const volatile float product = as_float * s;
  const double value = product;  // exact
  if (value <= static_cast<double>(lo)) return lo;
  if (value >= static_cast<double>(hi)) return hi;
  const double below = std::floor(value);
  const double rest = value - below;
  const auto floor_value = static_cast<int64_t>(below);
  if (rest != 0.5) return rest < 0.5 ? floor_value : floor_value + 1;
  return floor_value % 2 == 0 ? floor_value : floor_value + 1;
}

int64_t rescale_fixed(int64_t x, int64_t m, int f, int64_t lo, int64_t hi) {
  __extension__ using Wide = __int128;
  const Wide one = Wide(1) << f;
  const Wide sum = Wide(x) * m + one / 2 * (f > 0 ? 1 : 0);
  Wide quotient = sum / one;
  if (quotient * one > sum) --quotient;  // division rounds toward zero, we want down
  if (quotient < lo) return lo;
  if (quotient > hi) return hi;
  return static_cast<int64_t>(quotient);
}

int64_t rescale_shifted(int64_t x, const std::vector<int>& exponents, int64_t lo, int64_t hi) {
  const int last = exponents.back();
  int64_t sum = last == 0 ? 0 : int64_t{1} << (last - 1);
  for (const int e : exponents) sum += static_cast<int64_t>(static_cast<uint64_t>(x) << (last - e));
  const int64_t shifted = sum >> last;
  return shifted < lo ? lo : (shifted > hi ? hi : shifted);
}

#define N2D2_ORACLE_INSTANTIATE(T)                                                                   \
  template struct Map<T>;                                                                            \
  template Map<T> conv(const Map<T>&, const Window&, int, int, int, const std::vector<T>&,           \
                       const std::vector<T>&);                                                       \
  template Map<T> conv_with_rows(const Map<T>&, const Window&, int, int, int, const std::vector<T>&, \
                                 const std::vector<T>&, int);                                        \
  template Map<T> fc(const Map<T>&, const std::vector<T>&, const std::vector<T>&);                   \
  template Map<T> window_sum(const Map<T>&, const Window&, int, int);                                \
  template Map<T> max_pool(const Map<T>&, const Window&, int, int, bool);                            \
  template Map<T> weighted_sum(const std::vector<Map<T>>&, const std::vector<T>&);                   \
  template Map<T> repeated(const Map<T>&, int, int, int);                                            \
  template Map<T> product(const std::vector<Map<T>>&);                                               \
  template Map<T> concat(const std::vector<Map<T>>&);                                                \
  template std::vector<int32_t> argmax(const Map<T>&, T)

N2D2_ORACLE_INSTANTIATE(int64_t);
N2D2_ORACLE_INSTANTIATE(double);

}  // namespace n2d2::oracle
