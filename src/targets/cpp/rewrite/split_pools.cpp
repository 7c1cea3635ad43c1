#include "split_pools.hpp"

#include <limits>

#include "n2d2/ops/pool.hpp"
#include "n2d2/targets/cpp/kernels.hpp"
#include "n2d2/targets/cpp/layer.hpp"

namespace n2d2::targets::cpp {

namespace {

using program::Rows;
using program::View;
using program::ViewId;

bool is_over_whole_map(const Program& program, const Call& call) {
  if (call.kernel->name() != "average_pool" || call.rows != Rows{} || !call.suffix.empty()) return false;
  const View &in = program.view(call.in[0]), &out = program.view(call.out[0]);
  const auto& pool = *graph::as<ops::Pool>(program.node(call));
  const int64_t taps = int64_t{in.h} * in.w, highest = std::numeric_limits<uint8_t>::max();
  return in.element() == 1 && in.h > 1 && out.h * out.w == 1 && pool.padding == Pads{} &&
         pool.uncounted == Pads{} && int64_t{pool.kernel.x} * pool.kernel.y == taps &&
         taps * highest <= std::numeric_limits<int32_t>::max();
}

/// The running sums: a row for each row of the map, of which a region keeps one.
View sums_of(const View& map, const View& mean) {
  View out;
  out.name = mean.name + ".sums";
  out.value = mean.value;
  out.type = DataType::I32;
  out.h = map.h, out.c = map.c;
  out.pixel = out.row = out.used();
  return out;
}

program::Replacement split_pool(Program& program, const Call& call) {
  if (!is_over_whole_map(program, call)) return std::nullopt;
  const View& map = program.view(call.in[0]);
  const int rows = map.h;
  View sums_view = sums_of(map, program.view(call.out[0]));
  program.views.push_back(std::move(sums_view));
  const auto between = static_cast<ViewId>(program.views.size() - 1);
  Call sums = call, mean = call;
  sums.kernel = kernels().find("pool_sums"), mean.kernel = kernels().find("pool_mean");
  sums.form.clear(), mean.form.clear();
  sums.out = {between}, mean.in = {between};
  sums.constants.clear();
  sums.suffix = "_sums";
  sums.contract = contract_of(1, {Window::Kind::Rows, 1, 0, 1});
  sums.contract.accumulates = true;
  mean.contract = contract_of(1, {Window::Kind::Rows, rows, 1 - rows, 1});
  sums.overlap = false;
  sums.parallel = mean.parallel = false;
  return std::vector<Call>{sums, mean};
}

}  // namespace

program::Expander split_pools() {
  return {"split_pools", split_pool};
}

}  // namespace n2d2::targets::cpp
