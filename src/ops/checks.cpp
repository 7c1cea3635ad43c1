#include "checks.hpp"

namespace n2d2::ops {

void expect_inputs(std::span<const Shape> in, size_t least, size_t most) {
  if (in.size() >= least && in.size() <= most) return;
  std::string expected = std::to_string(least);
  if (most == least + 1)
    expected += fmt::format(" or {}", most);
  else if (most > least)
    expected = fmt::format("at least {}", least);
  throw ModelError(fmt::format("expected {} {}, got {}", expected,
                               least == 1 && most == 1 ? "input" : "inputs", in.size()));
}

void expect_map(std::span<const Shape> in, size_t slot) {
  const Shape& shape = in[slot];
  bool fine = shape.rank() == 4;
  for (const int64_t extent : shape.dims()) fine = fine && extent >= 1;
  if (!fine)
    throw ModelError(fmt::format("input {} has shape {}, expected N,C,H,W with extents of at least 1", slot,
                                 shape.text()));
}

void expect_parameter(std::span<const Shape> in, size_t slot, std::string_view role, const Shape& expected) {
  if (!(in[slot] == expected))
    throw ModelError(fmt::format("{} have shape {}, expected {}", role, in[slot].text(), expected.text()));
}

const Shape& expect_one_map(std::span<const Shape> in) {
  expect_inputs(in, 1, 1);
  expect_map(in, 0);
  return in[0];
}

void expect_at_least(std::string_view field, int64_t value, int64_t least) {
  if (value < least) throw ModelError(fmt::format("{} is {}, expected at least {}", field, value, least));
}

void expect_at_most(std::string_view field, int64_t value, int64_t most) {
  if (value > most) throw ModelError(fmt::format("{} is {}, expected at most {}", field, value, most));
}

}  // namespace n2d2::ops
