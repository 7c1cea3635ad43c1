// Does a kernel, called range by range, give the bytes of one call, wherever the rows lie?
//
// Before each call the input memory is filled with other bytes, but for the rows that the windows of the
// range touch;
// after it every byte outside of the range's rows must be what it was.
#pragma once

#include <functional>

#include "cases.hpp"
#include "kernels/planned_tensor.hpp"

namespace n2d2::kernels_test {

namespace kernels = N2D2_Export;
using kernels::Rows;

// Rows of an input, both ends included; none if first > last.
struct Span {
  int first, last;
};

inline std::function<Span(Rows)> same_rows() {
  return [](Rows rows) { return Span{rows.first, rows.first + rows.count - 1}; };
}

template <class In, class Out>
struct Layer {
  using Bounds = Config<BoundOf<Out>>;
  std::vector<Map<ValueOf<In>>> inputs;
  Placement out;                      // extents
  int out_first = 0, out_count = -1;  // channels that the call writes; -1: all
  Bounds config;
  std::function<Span(Rows)> needs;  // of the first input, and of others where they do not say
  std::function<Span(Rows)> others_need = nullptr;
  // Config with planes set; where each input lies; the inputs' addresses.
  std::function<void(const Bounds&, Rows, const std::vector<Placement>&, const std::vector<const In*>&, Out*)>
      run;
};

inline Span clipped(Span s, int h) {
  return {std::max(s.first, 0), std::min(s.last, h - 1)};
}

inline std::function<Span(Rows)> window_rows(const Window& k, int h) {
  return [k, h](Rows rows) {
    const int first = rows.first * k.stride_y - k.pad_y;
    const int last = (rows.first + rows.count - 1) * k.stride_y - k.pad_y + (k.h - 1) * k.dilation_y;
    return clipped({first, last}, h);
  };
}

// [0, h) in pieces, in scan order.
inline std::vector<Rows> random_cut(Generator& random, int h, int bottom_up) {
  std::vector<Rows> cut;
  for (int y = 0; y < h;) {
    const int n = random.one_in(3) ? 1 : random.in(1, h - y);
    cut.push_back({y, n});
    y += n;
  }
  if (bottom_up) std::reverse(cut.begin(), cut.end());
  return cut;
}

// Straight, wrapped once, or a ring that holds `rows` rows at a time and is passed as often as the map is
// high.
inline Placement stream(Generator& random, int h, int w, int c, int rows) {
  Placement p = random.place(h, w, c);
  if (random.one_in(3)) return p;
  p.ring = std::max(rows, 1) + random.in(0, 2);
  p.first = random.in(0, p.ring - 1);
  p.wrapped = p.origin;
  return p;
}

// As write() and surroundings(), but for the rows [first, last] only.
template <class T>
void write_rows(const Map<ValueOf<T>>& map, const Placement& p, Span rows, std::vector<T>& memory) {
  for (int y = rows.first; y <= rows.last; ++y)
    for (int x = 0; x < map.w; ++x)
      for (int k = 0; k < map.c; ++k) memory.at(p.element(y, x, k)) = static_cast<T>(map.at(y, x, k));
}

template <class In, class Out>
std::vector<Out> run_whole(Generator& random, const Layer<In, Out>& layer, const Placement& to) {
  auto config = layer.config;
  std::vector<Placement> places;
  std::vector<std::vector<In>> memories;
  std::vector<const In*> from;
  for (const auto& map : layer.inputs) {
    places.push_back({map.h, map.w, map.c, map.c, map.w * map.c});
    memories.push_back(memory_with<In>(map, places.back(), random));
    from.push_back(memories.back().data());
    if (places.size() == 1 || !layer.others_need) set_in(config, places.back());
  }
  set_out(config, to);
  std::vector<Out> out(to.end());
  layer.run(config, {0, to.h}, places, from, out.data());
  return out;
}

template <class In, class Out>
Span needed(const Layer<In, Out>& layer, size_t input, Rows rows) {
  return input > 0 && layer.others_need ? layer.others_need(rows) : layer.needs(rows);
}

template <class In, class Out>
int rows_held(const Layer<In, Out>& layer, size_t input, const std::vector<Rows>& cut) {
  int held = 1;
  for (const Rows& rows : cut) {
    const Span s = needed(layer, input, rows);
    held = std::max(held, s.last - s.first + 1);
  }
  return held;
}

template <class In, class Out>
void check_ranges(Generator& random, Layer<In, Out> layer) {
  layer.config.bottom_up = random.in(0, 1), layer.config.ordered = random.in(0, 1);
  layer.config.parallel = random.one_in(10);
  if constexpr (std::is_same_v<In, float>)  // sums of these depend on their order
    for (auto& map : layer.inputs)
      for (double& x : map.v) x = static_cast<float>(x * 0.7310586);
  const Placement plain{layer.out.h, layer.out.w, layer.out.c, layer.out.c, layer.out.w * layer.out.c};
  const std::vector<Out> expected = run_whole(random, layer, plain);
  const int first = layer.out_first, end = layer.out_count < 0 ? plain.c : first + layer.out_count;
  const std::vector<Rows> cut = random_cut(random, plain.h, layer.config.bottom_up);
  int highest = 1;
  for (const Rows& rows : cut) highest = std::max(highest, rows.count);
  const Placement to = stream(random, plain.h, plain.w, plain.c, highest);
  std::vector<Placement> places;
  for (const auto& map : layer.inputs) {
    places.push_back(stream(random, map.h, map.w, map.c, rows_held(layer, places.size(), cut)));
    if (places.size() == 1 || !layer.others_need) set_in(layer.config, places.back());
  }
  set_out(layer.config, to);
  for (const Rows& rows : cut) {
    std::vector<std::vector<In>> memories;
    std::vector<const In*> from;
    for (size_t i = 0; i < places.size(); ++i) {
      memories.push_back(random.values<In>(places[i].end(), 0, 127));
      write_rows<In>(layer.inputs[i], places[i], needed(layer, i, rows), memories.back());
    }
    for (size_t i = 0; i < places.size(); ++i) from.push_back(memories[i].data() + places[i].row_start(0));
    std::vector<Out> wanted = random.values<Out>(to.end(), 0, 127);
    std::vector<Out> memory = wanted;
    for (int y = rows.first; y < rows.first + rows.count; ++y)
      for (int x = 0; x < to.w; ++x)
        for (int k = first; k < end; ++k)
          wanted.at(to.element(y, x, k)) = expected.at(plain.element(y, x, k));
    layer.run(layer.config, rows, places, from, memory.data() + to.start());
    ASSERT_EQ(memory, wanted) << describe("in", places[0]) << describe("out", to) << " rows " << rows.first
                              << "+" << rows.count << " bottom_up " << layer.config.bottom_up << " ordered "
                              << layer.config.ordered;
  }
}

inline constexpr int kCases = cases(120, 4);

// make(random): a layer.
template <class Make>
void sweep(unsigned seed, Make make) {
  Generator random(seed);
  for (int i = 0; i < kCases && !testing::Test::HasFatalFailure(); ++i) check_ranges(random, make(random));
}

}  // namespace n2d2::kernels_test
