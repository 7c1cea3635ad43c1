// What do all solvers share? Bookkeeping from fields(), places of messages, and a loop cut into blocks.
#pragma once

#include <algorithm>
#include <concepts>

#include "n2d2/base/parallel.hpp"
#include "n2d2/training/solver.hpp"

namespace n2d2::training {

/// Gives a solver with `static constexpr const char* kType` and `fields()` its bookkeeping.
template <class Self>
class SolverBase : public Solver {
 public:
  std::string_view type() const override { return Self::kType; }
  std::unique_ptr<Solver> clone() const override { return std::make_unique<Self>(self()); }
  void read(const KeySource& keys, Diagnostics& diagnostics) override {
    read_fields(static_cast<Self&>(*this), keys, diagnostics);
  }
  std::vector<std::pair<std::string, std::string>> fields_text() const override {
    return print_fields(self());
  }

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
};

template <class S>
void register_solver(SolverRegistry& registry) {
  registry.add(S::kType, {[] { return std::make_unique<S>(); }, describe_fields<S>()});
}

/// Reports "<subject> <key>: <message>" at the last source that has the key, else at the last source.
void report_at_key(std::span<const KeySource* const> keys, std::string_view key, std::string_view message,
                   std::string hint, Diagnostics& diagnostics);

/// Calls body(begin, end) for consecutive blocks of [0, count), on several threads when there are many: for
/// loops whose iterations are independent.
template <std::invocable<size_t, size_t> Body>
void for_blocks(size_t count, const Body& body) {
  constexpr size_t kBlock = 16384;
  const size_t blocks = (count + kBlock - 1) / kBlock;
  if (blocks <= 1) {
    body(size_t{0}, count);
    return;
  }
  parallel_for(static_cast<int64_t>(blocks), [&](int64_t block, int) {
    const size_t begin = static_cast<size_t>(block) * kBlock;
    body(begin, std::min(begin + kBlock, count));
  });
}

/// min(max(value, lo), hi) of every weight; nothing when neither side bounds.
inline void clamp_weights(std::span<float> weights, const ClampRange& range) {
  if (range == ClampRange{}) return;
  for (float& w : weights) w = std::min(std::max(w, range.lo), range.hi);
}

}  // namespace n2d2::training
