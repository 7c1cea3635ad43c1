// Which layers need more bits so that a network in integers decides well enough? The fewest that are found.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace n2d2::app {

/// A layer whose values may have 16 bits, or whose weights may have 8.
struct Candidate {
  std::string layer;
  double gain = 0;    ///< share of the noise at the outputs that is gone when these are floats
  int64_t bytes = 0;  ///< what it takes by itself: of planned RAM for values, of flash for weights
};

/// The parts of a network that may have more bits.
struct Candidates {
  std::vector<Candidate> values, weights;
};

/// Which candidates have them, by their places.
struct Widening {
  std::vector<bool> values, weights;
  friend auto operator<=>(const Widening&, const Widening&) = default;
};

/// What a network in integers came to on the samples that it is judged by.
struct Figures {
  int64_t right = 0, decisions = 0;
  /// Decisions that are missing to what is asked for, of the output that lacks most; 0 or less: it is
  /// reached.
  int64_t lacking = 0;
  double snr = 0;                     ///< of the outputs against floats, in dB
  int64_t ram = 0, flash = 0;         ///< bytes: of the memory plan, of all parameters
  int64_t products = 0, of_wide = 0;  ///< multiplications of a sample, and those of 16-bit values
  bool holds() const { return lacking <= 0; }
};

/// Returns none where no kernel computes such widths.
using Measure = std::function<std::optional<Figures>(const Widening&)>;

struct Rung {
  std::string what;
  Widening widening;
  Figures figures;
};

/// What was found.
struct Climbed {
  /// Steps on the way, the last one is the one to take: what it has no candidate can be left out of.
  std::vector<Rung> rungs;
  /// Whether all choices of fewer values with 16 bits were measured, and fail.
  bool is_fewest = false;
};

/// Widens values in the order of what they gain a byte, those that cost none first, until what is asked for
/// is reached, and takes back what is not needed. Candidates that `measure` does not take beside those before
/// them are passed over. Where 16 bits for all of them are not enough, weights get
/// 8 bits in the same way, the largest taken back first; then both get more. Among at most 12 values, all
/// choices of fewer are measured, too, and of equally many the one with the least RAM is taken. `first`: of
/// no candidate. The last rung does not hold where nothing that was tried does.
Climbed climb(const Candidates& candidates, const Figures& first, const Measure& measure);

}  // namespace n2d2::app
