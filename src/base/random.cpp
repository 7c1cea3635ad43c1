#include "n2d2/base/random.hpp"

#include <cmath>
#include <numbers>

#include "n2d2/base/error.hpp"

namespace n2d2 {

namespace {
uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}
constexpr uint64_t kGolden = 0x9e3779b97f4a7c15ULL;
}  // namespace

uint64_t hash_bytes(std::string_view bytes, uint64_t start) {
  uint64_t hash = start;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

Rng::Rng(uint64_t seed, std::string_view purpose, uint64_t epoch, uint64_t sample)
    : state_(mix(mix(mix(seed + kGolden) ^ hash_bytes(purpose)) + epoch * kGolden) ^ mix(sample + kGolden)) {}

uint64_t Rng::next() {
  state_ += kGolden;
  return mix(state_);
}

double Rng::uniform() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double Rng::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

uint64_t Rng::below(uint64_t bound) {
  N2D2_CHECK(bound > 0, "Rng::below(0)");
  const uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  uint64_t draw = next();
  while (draw >= limit) draw = next();
  return draw % bound;
}

std::vector<int64_t> shuffled(int64_t count, Rng& rng) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) order[static_cast<size_t>(i)] = i;
  for (int64_t i = count - 1; i > 0; --i) {
    const auto j = static_cast<size_t>(rng.below(static_cast<uint64_t>(i) + 1));
    std::swap(order[static_cast<size_t>(i)], order[j]);
  }
  return order;
}

}  // namespace n2d2
