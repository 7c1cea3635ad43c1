#include "n2d2/program/run.hpp"

#include <algorithm>
#include <cstring>

namespace n2d2::program {

namespace {

/// Calls visit(bytes from the start of the view to a pixel) for the pixels of a map in the order of its value, whose
/// one row is a column of the view.
template <class Visit>
void for_pixels(const View& view, Visit visit) {
  for (int y = 0; y < view.h; ++y)
    for (int x = 0; x < view.w; ++x) visit(view.row_at(y) + x * view.pixel);
}

/// Sample `n` of an N,C,H,W tensor into the view at `to`.
void store_sample(const Tensor& values, int64_t n, const View& view, std::byte* to) {
  const Shape& s = values.shape();
  const int64_t element = size_bytes(values.dtype()), pixels = s.h() * s.w();
  const auto* from = static_cast<const std::byte*>(values.raw()) + n * s.c() * pixels * element;
  int64_t index = 0;
  for_pixels(view, [&](Bytes pixel) {
    for (int64_t c = 0; c < s.c(); ++c)
      std::memcpy(to + pixel + c * element, from + (c * pixels + index) * element,
                  static_cast<size_t>(element));
    ++index;
  });
}

}  // namespace

Arena::Arena(const Program& program) {
  for (const Memory& memory : program.memories)
    memories_.emplace_back(Shape{memory.peak + 2 * kGuardBytes}, DataType::I8);
  const TensorType& type = program.graph.value(program.input()).type;
  if (!program.input_in_arena()) input_ = Tensor(type.shape, type.dtype);
}

void* Arena::at(const Place& place) {
  Tensor& memory = memories_.at(static_cast<size_t>(place.memory));
  return static_cast<std::byte*>(memory.raw()) + kGuardBytes + place.offset;
}

void* Arena::at(const View& view) {
  return view.outside ? input_.raw() : at(view.place.value());
}

void Arena::fill(std::byte value) {
  for (Tensor& memory : memories_)
    std::memset(memory.raw(), std::to_integer<int>(value), static_cast<size_t>(memory.bytes()));
}

void Arena::fill(const FreeBytes& bytes, std::byte value) {
  for (int64_t i = 0; i < bytes.count; ++i)
    std::memset(at(Place{bytes.memory, bytes.offset + i * bytes.stride}), std::to_integer<int>(value),
                static_cast<size_t>(bytes.size));
}

bool Arena::guards_hold(std::byte value) const {
  return std::all_of(memories_.begin(), memories_.end(), [&](const Tensor& memory) {
    const auto* first = static_cast<const std::byte*>(memory.raw());
    const auto* last = first + memory.bytes() - kGuardBytes;
    const auto holds = [&](std::byte b) { return b == value; };
    return std::all_of(first, first + kGuardBytes, holds) && std::all_of(last, last + kGuardBytes, holds);
  });
}

namespace {

/// What a run has started, ended with it.
struct States {
  States() = default;
  States(const States&) = delete;
  States& operator=(const States&) = delete;
  ~States() {
    for (const auto& [end, state] : started) (*end)(state);
  }
  std::vector<std::pair<const HostEnd*, void*>> started;
};

}  // namespace

Runner::Runner(const Program& program) : program_(program) {
  for (const Call& call : program.calls) {
    calls_.push_back(call.kernel->host(program, call));
    N2D2_CHECK(calls_.back() != nullptr, "'{}' does not run in process", call.kernel->name());
    starts_.push_back(call.kernel->host_start(program, call));
    ends_.push_back(call.kernel->host_end(program, call));
  }
}

void Runner::run(CallId id, Rows rows, Arena& arena) const {
  const Call& call = program_.call(id);
  std::vector<const void*> in;
  std::vector<void*> out;
  for (const ViewId view : call.in) in.push_back(arena.at(program_.view(view)));
  for (const ViewId view : call.out) out.push_back(arena.at(program_.view(view)));
  if (rows.count < 0) rows.count = program_.view(call.out.at(0)).h - rows.first;
  calls_[static_cast<size_t>(id)]({in, out, rows, call.scratch ? arena.at(*call.scratch) : nullptr,
                                   call.state ? arena.at(*call.state) : nullptr});
}

void Runner::run(const Tensor& values, int64_t sample, Arena& arena, const RunHooks& hooks) const {
  if (hooks.start) hooks.start(arena);
  States states;
  for (size_t call = 0; call < starts_.size(); ++call) {
    const auto& place = program_.calls[call].state;
    if (!place || !starts_[call]) continue;
    starts_[call](arena.at(*place));
    if (ends_[call]) states.started.emplace_back(&ends_[call], arena.at(*place));
  }
  const View& input = program_.map_of(program_.input());
  store_sample(values, sample, input, static_cast<std::byte*>(arena.at(input)));
  if (hooks.after_cell) hooks.after_cell(nullptr, arena);
  for (const Cell& cell : program_.cells) {
    for (const CallId call : cell.calls) {
      if (hooks.before_call) hooks.before_call(call, arena);
      run(call, program_.call(call).rows, arena);
      if (hooks.after_call) hooks.after_call(call, arena);
    }
    if (hooks.after_cell) hooks.after_cell(&cell, arena);
  }
  if (hooks.before_call) hooks.before_call(static_cast<CallId>(program_.calls.size()), arena);
}

Tensor read_value(const Program& program, graph::ValueId value, Arena& arena) {
  const TensorType& type = program.graph.value(value).type;
  const View& view = program.map_of(value);
  Tensor out(type.shape, type.dtype, Layout::Nhwc);
  const auto* from = static_cast<const std::byte*>(arena.at(view));
  auto* to = static_cast<std::byte*>(out.raw());
  for_pixels(view, [&](Bytes pixel) {
    std::memcpy(to, from + pixel, static_cast<size_t>(view.used()));
    to += view.used();
  });
  return out;
}

std::vector<LayerValues> run_layers(const Program& program, const Tensor& values, const RunHooks& hooks) {
  std::vector<LayerValues> out;
  Arena arena(program);
  RunHooks all = hooks;
  all.after_cell = [&](const Cell* cell, Arena& of_run) {
    if (hooks.after_cell) hooks.after_cell(cell, of_run);
    if (cell == nullptr) return out.push_back({nullptr, 0, read_value(program, program.input(), of_run)});
    const graph::Node& node = program.graph.node(cell->node);
    for (size_t i = 0; i < node.outputs.size(); ++i)
      out.push_back({cell, i, read_value(program, node.outputs[i], of_run)});
  };
  Runner(program).run(values, 0, arena, all);
  return out;
}

}  // namespace n2d2::program
