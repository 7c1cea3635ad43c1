// Which random numbers belong to this purpose? A function of (seed, purpose, epoch, sample), never of the
// order in which work is done.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace n2d2 {

/// A small generator (SplitMix64: Steele, Lea, Flood 2014) started from a key.
class Rng {
 public:
  explicit Rng(uint64_t seed, std::string_view purpose = {}, uint64_t epoch = 0, uint64_t sample = 0);

  uint64_t next();
  /// Uniform in [0, 1), 53 bits.
  double uniform();
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Standard normal (Box-Muller 1958), two uniforms a call.
  double normal();
  /// Uniform integer in [0, bound), without modulo bias. bound >= 1.
  uint64_t below(uint64_t bound);
  bool chance(double probability) { return uniform() < probability; }

 private:
  uint64_t state_;
};

/// The integers [0, count) in random order (Fisher-Yates).
std::vector<int64_t> shuffled(int64_t count, Rng& rng);

/// 64-bit hash of bytes (FNV-1a), for keys; not for security.
uint64_t hash_bytes(std::string_view bytes, uint64_t start = 0xcbf29ce484222325ULL);

}  // namespace n2d2
