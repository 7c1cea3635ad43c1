#include "points.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "n2d2/config/ini_document.hpp"
#include "n2d2/tensor/integer_types.hpp"

namespace n2d2::app {

namespace {

constexpr int kThirds = 3;
/// Widths that weights are stored in or that values have beside bytes. Weights of 3 and of 5 to 7 bits take
/// as much as those of 4 and 8, and so do narrow ones of layers that read 16 bits.
constexpr int kNarrow = 4, kWide = 16;

int thirds_above(BudgetLevel level) {
  return level == BudgetLevel::TwoThirds ? 2 : 1;
}

bool says_budget(const Options& o) {
  return !o.export_parameters.empty() && config::read_ini(o.export_parameters).has_key("", "MemoryBudget");
}

}  // namespace

std::string text_of(BudgetLevel level) {
  switch (level) {
    case BudgetLevel::Given:
      return "given";
    case BudgetLevel::Unlimited:
      return "none";
    case BudgetLevel::TwoThirds:
      return "2/3";
    case BudgetLevel::OneThird:
      return "1/3";
    case BudgetLevel::Least:
      return "min";
  }
  return "";
}

std::string memory_budget(BudgetLevel level, int64_t whole, int64_t least) {
  switch (level) {
    case BudgetLevel::Given:
      return "";
    case BudgetLevel::Unlimited:
      return "0";
    case BudgetLevel::Least:
      return "min";
    default:
      return std::to_string(least + std::max<int64_t>(0, whole - least) * thirds_above(level) / kThirds);
  }
}

int IntegerSetting::bits_of_values() const {
  return activation_bits > 0 ? activation_bits : std::max(nb_bits, kBitsOfByte);
}

std::string Point::name() const {
  std::string level = text_of(budget);
  if (const size_t slash = level.find('/'); slash != std::string::npos) level.replace(slash, 1, "of");
  return fmt::format("w{}_v{}_e{}_{}", integers.bits_of_weights(), integers.bits_of_values(), integers.effort,
                     level);
}

Axes axes_of(const Options& o) {
  Axes out;
  if (o.is_typed("nbbits"))
    out.widths = {{static_cast<int>(o.nb_bits)}};
  else
    out.widths = {{kBitsOfByte}, {kNarrow}, {kBitsOfByte, kWide}};
  if (o.is_typed("quant-effort"))
    out.efforts = {static_cast<int>(o.quant_effort)};
  else
    out.efforts = {0, 1, 2};
  if (says_budget(o))
    out.budgets = {BudgetLevel::Given};
  else
    out.budgets = {BudgetLevel::Unlimited, BudgetLevel::TwoThirds, BudgetLevel::OneThird, BudgetLevel::Least};
  return out;
}

std::vector<Point> points_of(const Axes& axes) {
  std::vector<Point> out;
  int group = 0;
  for (const int effort : axes.efforts)
    for (IntegerSetting setting : axes.widths) {
      setting.effort = effort;
      for (const BudgetLevel budget : axes.budgets)
        out.push_back({static_cast<int>(out.size()) + 1, group, setting, budget});
      ++group;
    }
  return out;
}

}  // namespace n2d2::app
