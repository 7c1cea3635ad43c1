#include <algorithm>
#include <cstring>

#include "n2d2/program/loop_nest.hpp"

#include "own_kernel.hpp"

namespace n2d2::program {

namespace {

/// The loops, run in process.
class LoopNestKernel final : public OwnKernel {
 public:
  std::string_view name() const override { return "loop_nest"; }
  HostCall host(const Program& program, const Call& call) const override {
    std::vector<HostCall> steps;
    for (const Call& step : call.steps) steps.push_back(step.kernel->host(program, step));
    return [&program, &call, steps = std::move(steps), shift = scratch_shift(call)](const HostArgs& args) {
      auto* const scratch = static_cast<std::byte*>(args.scratch) + shift;
      for (int r = 0; r < args.rows.count; ++r) {
        const bool is_up = call.scan == memory::Scan::BottomUp;
        run_row(program, call, steps, args, scratch, args.rows.first + (is_up ? args.rows.count - 1 - r : r));
      }
    };
  }

 private:
  static void run_row(const Program& program, const Call& call, const std::vector<HostCall>& steps,
                      const HostArgs& args, std::byte* scratch, int row) {
    const std::vector<Rows> rows = rows_of_steps(program, call.steps, row);
    const size_t last = steps.size() - 1;
    const auto at = [&](ViewId id, auto* of_call) {
      const View& view = program.view(id);
      return view.in_scratch ? static_cast<decltype(of_call)>(scratch + view.inside) : of_call;
    };
    const auto run = [&](size_t step, int slice) {
      if (rows[step].count <= 0) return;
      const void* in = at(call.steps[step].in[0], args.in[0]);
      void* out = at(call.steps[step].out[0], args.out[0]);
      steps[step]({std::span(&in, 1), std::span(&out, 1), rows[step], nullptr, nullptr, slice});
    };
    const View& sums = program.view(call.steps[last].in[0]);
    std::memset(scratch + sums.inside, 0, static_cast<size_t>(sums.row));
    for (int slice = 0; slice < call.slices; ++slice)
      for (size_t step = 0; step < last; ++step) run(step, slice);
    run(last, 0);
  }
};

}  // namespace

const Kernel& loop_nest_kernel() {
  static const LoopNestKernel kernel;
  return kernel;
}

Rows rows_read(const Window& window, Rows rows, int height) {
  if (window.kind == Window::Kind::Whole) return {0, height};
  if (window.kind != Window::Kind::Rows) return rows;
  const int begin = rows.first * window.stride - window.pad;
  const int end = begin + (rows.count - 1) * window.stride + window.extent;
  const int first = std::max(0, begin);
  return {first, std::min(end, height) - first};
}

std::vector<Rows> rows_of_steps(const Program& program, std::span<const Call> steps, int row) {
  std::vector<Rows> out(steps.size(), Rows{row, 1});
  for (size_t s = steps.size() - 1; s > 0; --s)
    out[s - 1] = rows_read(steps[s].contract.windows.at(0), out[s], program.view(steps[s].in[0]).h);
  return out;
}

Bytes scratch_shift(const Call& call) {
  const Bytes offset = call.scratch.value().offset;
  return memory::round_up(offset, kScratchAlignment) - offset;
}

}  // namespace n2d2::program
