// Do a network in integers and the floats that it came from decide alike, and does one of them decide better?
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "n2d2/data/target.hpp"
#include "n2d2/tensor/deviation.hpp"

namespace n2d2::data {

/// Decisions about what has a label, by who is right.
struct PairedCounts {
  int64_t both = 0, only_floats = 0, only_integers = 0, neither = 0;
};

/// Probability that `a + b` tosses of a coin fall at least as unevenly as a to b, in either direction; 1
/// without any toss. The exact test of McNemar for paired decisions, a and b being the decisions that only
/// one of both has right. Source: McNemar 1947; Agresti, Categorical Data Analysis, 10.1.
double mcnemar_p(int64_t a, int64_t b);

/// Below it, a difference is taken for more than chance.
inline constexpr double kChance = 0.05;

/// Counts over the samples of one target.
class Agreement {
 public:
  explicit Agreement(const Target& target) : target_(target) {}

  /// A batch that was added to both scores last. outputs: N,C,H,W of the same shape, the first float32; step:
  /// real value of one step of `of_integers`.
  void add(const Score& floats, const Score& integers, std::span<const int> labels, const Tensor& of_floats,
           const Tensor& of_integers, double step);

  /// False where the input is what is wanted (DataAsTarget): only the outputs are compared.
  bool has_classes() const { return !target_.options().data_as_target; }
  /// Decisions, with a label or not, and how many of them are the same.
  int64_t decisions() const { return decisions_; }
  int64_t equal() const { return equal_; }
  /// Share of the decisions that are the same; 1 without any.
  double share() const;
  const PairedCounts& paired() const { return paired_; }
  /// mcnemar_p(); none for maps, where the pixels of a picture are no independent tosses, and without labels.
  std::optional<double> p() const;
  const Deviation& outputs() const { return outputs_; }

 private:
  void count(const Score& floats, const Score& integers, const std::vector<int>& expected);

  Target target_;
  Deviation outputs_;
  PairedCounts paired_;
  int64_t decisions_ = 0, equal_ = 0;
  bool has_maps_ = false;
};

}  // namespace n2d2::data
