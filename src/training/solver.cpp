#include "n2d2/training/solver.hpp"

#include <cmath>

#include "solver_base.hpp"

namespace n2d2 {

namespace {

/// An empty side keeps the bound it has.
bool parse_side(std::string_view text, float& bound) {
  text = trim(text);
  if (text.empty()) return true;
  const auto number = parse_real(text);
  if (number) bound = static_cast<float>(*number);
  return number.has_value();
}

}  // namespace

bool ValueText<training::ClampRange>::parse(std::string_view text, training::ClampRange& value) {
  training::ClampRange range;
  const std::vector<std::string> sides = split(trim(text), ':');
  if (trim(text) == "1") range = {-1, 1};
  if (trim(text).empty() || trim(text) == "0" || trim(text) == "1") {
    value = range;
    return true;
  }
  if (sides.size() != 2 || !parse_side(sides[0], range.lo) || !parse_side(sides[1], range.hi)) return false;
  if (range.lo > range.hi) return false;
  value = range;
  return true;
}

std::string ValueText<training::ClampRange>::print(const training::ClampRange& value) {
  if (value == training::ClampRange{}) return "";
  const auto side = [](float bound) { return std::isinf(bound) ? std::string() : print_real(bound); };
  return side(value.lo) + ":" + side(value.hi);
}

}  // namespace n2d2

namespace n2d2::training {

void register_all_solvers(SolverRegistry& registry);

const SolverRegistry& solvers() {
  static const SolverRegistry registry = [] {
    SolverRegistry filled;
    register_all_solvers(filled);
    return filled;
  }();
  return registry;
}

std::unique_ptr<Solver> make_solver(std::string_view type, std::span<const KeySource* const> keys,
                                    Diagnostics& diagnostics) {
  N2D2_CHECK(!keys.empty(), "a solver needs a place to be read from");
  const SolverEntry* entry = solvers().find(type);
  if (entry == nullptr) {
    diagnostics.error(keys.front()->where(),
                      fmt::format("{} {}", keys.front()->subject(), solvers().unknown("solver", type)));
    return nullptr;
  }
  const size_t errors_before = diagnostics.errors().size();
  std::unique_ptr<Solver> solver = entry->make();
  for (const KeySource* source : keys) solver->read(*source, diagnostics);
  if (diagnostics.errors().size() == errors_before) solver->check(keys, diagnostics);
  if (diagnostics.errors().size() != errors_before) return nullptr;
  return solver;
}

std::unique_ptr<Solver> make_solver(std::string_view type, const KeySource& keys, Diagnostics& diagnostics) {
  const KeySource* source = &keys;
  return make_solver(type, {&source, 1}, diagnostics);
}

void report_at_key(std::span<const KeySource* const> keys, std::string_view key, std::string_view message,
                   std::string hint, Diagnostics& diagnostics) {
  const KeySource* holder = keys.back();
  SourceLocation where = holder->where();
  for (const KeySource* source : keys)
    if (const auto found = source->find(key)) {
      holder = source;
      where = found->where;
    }
  diagnostics.error(std::move(where), fmt::format("{} {}: {}", holder->subject(), key, message),
                    std::move(hint));
}

}  // namespace n2d2::training
