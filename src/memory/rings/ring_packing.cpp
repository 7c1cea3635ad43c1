#include "ring_packing.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "n2d2/base/error.hpp"

#include "place/placement.hpp"

namespace n2d2::memory {

namespace {

constexpr std::string_view kMinSize = "OptimizeMaxLifetimeMinSizeFirst";
constexpr std::string_view kMaxSize = "OptimizeMaxLifetimeMaxSizeFirst";
constexpr std::string_view kMaxHole = "OptimizeMaxHoleMaxLifetimeFirst";

}  // namespace

std::vector<Bytes> place_rings(std::span<const Ring> rings, std::span<const int> order, Bytes alignment) {
  std::vector<Bytes> offsets(rings.size(), 0);
  std::vector<std::vector<Extent>> busy;  // at each time, by address
  std::vector<Extent> forbidden;          // offsets start < x < end
  for (const int id : order) {
    const Ring& ring = rings[static_cast<size_t>(id)];
    const auto end = static_cast<size_t>(ring.first + ring.length());
    if (busy.size() < end) busy.resize(end);
    forbidden.clear();
    for (int i = 0; i < ring.length(); ++i)
      for (const Extent& other : busy[static_cast<size_t>(ring.first + i)])
        for (const Extent& own : ring.taken[static_cast<size_t>(i)])
          forbidden.push_back({other.start - own.end, other.end - own.start});
    std::sort(forbidden.begin(), forbidden.end(),
              [](const Extent& a, const Extent& b) { return a.start < b.start; });
    Bytes offset = 0;
    for (const Extent& gone : forbidden) {
      if (offset <= gone.start) break;
      if (offset < gone.end) offset = round_up(gone.end, alignment);
    }
    offsets[static_cast<size_t>(id)] = offset;
    for (int i = 0; i < ring.length(); ++i)
      for (const Extent& own : ring.taken[static_cast<size_t>(i)])
        busy[static_cast<size_t>(ring.first + i)].push_back({offset + own.start, offset + own.end});
  }
  return offsets;
}

std::vector<int> ring_order(std::span<const Ring> rings, std::string_view strategy) {
  const auto key = [&](int id) -> std::tuple<Bytes, Bytes> {
    const Ring& ring = rings[static_cast<size_t>(id)];
    if (strategy == kMinSize) return {-ring.length(), ring.size};
    if (strategy == kMaxSize) return {-ring.length(), -ring.size};
    return {-ring.hole, -ring.length()};
  };
  std::vector<int> order;
  if (strategy != kMinSize && strategy != kMaxSize && strategy != kMaxHole) return order;
  order.resize(rings.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
  return order;
}

Bytes peak_of(std::span<const Ring> rings, std::span<const Bytes> offsets) {
  Bytes peak = 0;
  for (size_t i = 0; i < rings.size(); ++i) peak = std::max(peak, offsets[i] + rings[i].size);
  return peak;
}

std::vector<Bytes> pack_rings(std::span<const Ring> rings, std::string_view strategy, Bytes alignment,
                              std::vector<Bytes> none) {
  if (strategy == "None") return none;
  const auto placed = [&](std::string_view name) {
    return place_rings(rings, ring_order(rings, name), alignment);
  };
  if (strategy == kMinSize || strategy == kMaxSize || strategy == kMaxHole) return placed(strategy);
  if (strategy != "OptimizeBest")
    throw ConfigError("MemoryManagerStrategy: no rings under '" + std::string(strategy) + "'");
  std::vector<Bytes> best = std::move(none);
  for (const std::string_view name : std::array{kMaxHole, kMaxSize, kMinSize}) {
    auto offsets = placed(name);
    if (peak_of(rings, offsets) < peak_of(rings, best)) best = std::move(offsets);
  }
  return best;
}

}  // namespace n2d2::memory
