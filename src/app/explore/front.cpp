#include "front.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>

namespace n2d2::app {

namespace {

/// What there is of an export, the less of each the better.
auto objectives(const Explored& e) {
  const Cost& cost = e.cost;
  const bool counts = cost.instructions > 0;
  return std::array<double, 6>{-e.accuracy.score(),
                               -e.accuracy.agreement(),
                               static_cast<double>(cost.ram),
                               static_cast<double>(cost.flash()),
                               static_cast<double>(counts ? cost.instructions : cost.multiplications),
                               counts ? 0 : static_cast<double>(cost.calls)};
}

}  // namespace

bool dominates(const Explored& a, const Explored& b) {
  if (a.is_refused() || b.is_refused()) return false;
  const auto of_a = objectives(a), of_b = objectives(b);
  if (of_a == of_b)
    return std::tuple(-a.accuracy.sqnr(), a.point.number) < std::tuple(-b.accuracy.sqnr(), b.point.number);
  return std::equal(of_a.begin(), of_a.end(), of_b.begin(), std::less_equal<>());
}

std::vector<std::optional<int>> dominators(std::span<const Explored> all) {
  std::vector<std::optional<int>> out(all.size());
  const auto beaten = [&](const Explored& one) {
    return std::any_of(all.begin(), all.end(), [&](const Explored& other) { return dominates(other, one); });
  };
  for (const Explored& front : all)
    if (!beaten(front))
      for (size_t i = 0; i < all.size(); ++i)
        if (!out[i] && dominates(front, all[i])) out[i] = front.point.number;
  return out;
}

std::vector<size_t> front_of(std::span<const Explored> all) {
  const std::vector<std::optional<int>> beaten_by = dominators(all);
  std::vector<size_t> out;
  for (size_t i = 0; i < all.size(); ++i)
    if (!beaten_by[i] && !all[i].is_refused()) out.push_back(i);
  std::stable_sort(out.begin(), out.end(), [&](size_t a, size_t b) {
    const auto key = [&](const Explored& e) {
      return std::tuple(-e.accuracy.score(), -e.accuracy.agreement(), e.cost.ram, e.point.number);
    };
    return key(all[a]) < key(all[b]);
  });
  return out;
}

}  // namespace n2d2::app
