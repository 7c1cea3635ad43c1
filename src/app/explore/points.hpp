// Which exports does -pareto compare?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command_line/options.hpp"

namespace n2d2::app {

/// How much of the way from the plan without a budget down to the least one the memory gives up.
enum class BudgetLevel {
  Given,      ///< what the parameters say
  Unlimited,  ///< MemoryBudget=0
  TwoThirds,  ///< the least, and two thirds of what is above it
  OneThird,
  Least  ///< MemoryBudget=min
};
/// "given", "none", "2/3", "1/3", "min".
std::string text_of(BudgetLevel level);
/// MemoryBudget for the level between the plan without a budget and the least one, in bytes.
std::string memory_budget(BudgetLevel level, int64_t whole, int64_t least);

/// What decides the integers, and with them the scores.
struct IntegerSetting {
  int nb_bits = 8;          ///< -nbbits
  int activation_bits = 0;  ///< ActivationNbBits of [default]; 0: nothing is said
  int effort = 1;           ///< -quant-effort

  int bits_of_weights() const { return nb_bits; }
  int bits_of_values() const;
  bool has_widths_of(const IntegerSetting& other) const {
    return nb_bits == other.nb_bits && activation_bits == other.activation_bits;
  }
  friend bool operator==(const IntegerSetting&, const IntegerSetting&) = default;
};

/// One export.
struct Point {
  int number = 0;  ///< from 1 on
  int group = 0;   ///< from 0 on: points of a group have one IntegerSetting
  IntegerSetting integers;
  BudgetLevel budget = BudgetLevel::Unlimited;

  /// "w4_v8_e1_2of3": bits of weights and values, effort and budget; the same whatever else is compared.
  std::string name() const;
  bool is_export_of(const Point& other) const { return integers == other.integers && budget == other.budget; }
};

/// What is varied.
struct Axes {
  std::vector<IntegerSetting> widths;  ///< effort does not matter
  std::vector<int> efforts;
  std::vector<BudgetLevel> budgets;
};
/// -nbbits, -quant-effort and MemoryBudget, each where nothing says what it is. ConfigError for a file of
/// -export-parameters that cannot be read.
Axes axes_of(const Options& options);

/// All combinations. Groups with one effort follow each other, so that parts of them (-pareto-part) take
/// about the same time.
std::vector<Point> points_of(const Axes& axes);

}  // namespace n2d2::app
