#include "n2d2/program/run.hpp"

#include <algorithm>
#include <cstring>

#include "n2d2/program/schedule.hpp"

namespace n2d2::program {

namespace {

/// Calls visit(bytes from the start of the view to a pixel) for the pixels of rows in the order of the value,
/// whose one row is a column of the view.
template <class Visit>
void for_pixels(const View& view, Rows rows, Visit visit) {
  for (int y = rows.first; y < rows.first + rows.count; ++y)
    for (int x = 0; x < view.w; ++x) visit(view.row_at(y) + x * view.pixel);
}

/// Rows of a map from row 0 of its view at `from` into a packed tensor.
void copy_rows(const View& view, Rows rows, const std::byte* from, Tensor& out) {
  auto* to = static_cast<std::byte*>(out.raw()) + int64_t{rows.first} * view.w * view.used();
  for (int y = rows.first; y < rows.first + rows.count; ++y)
    for (int x = 0; x < view.w; ++x, to += view.used())
      std::memcpy(to, from + view.row_at(y) + x * view.pixel, static_cast<size_t>(view.used()));
}

/// Rows of sample `n` of an N,C,H,W tensor into the view at `to`.
void store_rows(const Tensor& values, int64_t n, Rows rows, const View& view, std::byte* to) {
  const Shape& s = values.shape();
  const int64_t element = size_bytes(values.dtype()), pixels = s.h() * s.w();
  const auto* from = static_cast<const std::byte*>(values.raw()) + n * s.c() * pixels * element;
  int64_t index = int64_t{rows.first} * view.w;
  for_pixels(view, rows, [&](Bytes pixel) {
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
    if (calls_.back() == nullptr)
      throw ExportError(fmt::format("kernel '{}' of '{}' does not run in process: its host() is null",
                                    call.kernel->name(), program.node(call).name),
                        {}, "host() of a kernel gives the function that the exported program calls");
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
  if (rows.count < 0) rows = rows_of(program_, call);
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
  const auto store = [&](Rows rows) {
    store_rows(values, sample, rows, input, static_cast<std::byte*>(arena.at(input)));
  };
  ScheduleVisitor visitor;
  visitor.run = [&](CallId id, Rows rows) {
    program_.call(id).is_source() ? store(rows) : run(id, rows, arena);
  };
  visitor.ran = [&](const Region& of, CallId call, int turn) {
    if (hooks.after_rows) hooks.after_rows(of, call, turn, arena);
  };
  /// With its region; nothing for a call that ran with the first one of it.
  const auto run_unit = [&](CallId call) {
    const Region* region = program_.region_of(call);
    if (region != nullptr && region->first != call) return;
    const Unit unit = region == nullptr ? Unit{call, call + 1, nullptr} : Unit{call, region->end(), region};
    if (hooks.before_call) hooks.before_call(call, arena);
    visit_schedule(program_, unit, visitor);
    for (CallId done = unit.first; done < unit.end && hooks.after_call; ++done) hooks.after_call(done, arena);
  };
  if (program_.streams_input())
    run_unit(0);
  else
    store({0, input.h});
  if (hooks.after_cell) hooks.after_cell(nullptr, arena);
  for (const Cell& cell : program_.cells) {
    for (const CallId call : cell.calls) run_unit(call);
    if (hooks.after_cell) hooks.after_cell(&cell, arena);
  }
  if (hooks.before_call) hooks.before_call(static_cast<CallId>(program_.calls.size()), arena);
}

Tensor read_value(const Program& program, graph::ValueId value, Arena& arena) {
  const TensorType& type = program.graph.value(value).type;
  const View& view = program.map_of(value);
  Tensor out(type.shape, type.dtype, Layout::Nhwc);
  copy_rows(view, {0, view.h}, static_cast<const std::byte*>(arena.at(view)), out);
  return out;
}

namespace {

/// The outputs of cells, collected while they are made.
class Collector {
 public:
  explicit Collector(const Program& program) : p_(program) {
    for (const Region& region : p_.regions) maps_.push_back(streamed_maps(p_, region));
  }

  void after_cell(const Cell* cell, Arena& arena) {
    if (cell == nullptr) return add(nullptr, 0, p_.input(), arena);
    const graph::Node& node = p_.graph.node(cell->node);
    for (size_t i = 0; i < node.outputs.size(); ++i) add(cell, i, node.outputs[i], arena);
  }

  void after_rows(const Region& region, CallId call, int turn, Arena& arena) {
    for (const StreamedMap& map : maps_[static_cast<size_t>(&region - p_.regions.data())]) {
      if (map.last != call) continue;
      const graph::ValueId value =
          map.cell ? p_.graph.node(p_.cells[*map.cell].node).outputs.at(map.output) : p_.input();
      const TensorType& type = p_.graph.value(value).type;
      Tensor& to = streamed_.try_emplace(value, type.shape, type.dtype, Layout::Nhwc).first->second;
      const View& view = p_.map_of(value);
      copy_rows(view, map.pace.added(turn, view.h), static_cast<const std::byte*>(arena.at(view)), to);
    }
  }

  std::vector<LayerValues> take() { return std::move(out_); }

 private:
  void add(const Cell* cell, size_t output, graph::ValueId value, Arena& arena) {
    const auto streamed = streamed_.find(value);
    out_.push_back(
        {cell, output,
         streamed == streamed_.end() ? read_value(p_, value, arena) : std::move(streamed->second)});
  }

  const Program& p_;
  std::vector<std::vector<StreamedMap>> maps_;  // of each region
  std::map<graph::ValueId, Tensor> streamed_;
  std::vector<LayerValues> out_;
};

}  // namespace

std::vector<LayerValues> run_layers(const Program& program, const Tensor& values, const RunHooks& hooks) {
  Collector collector(program);
  Arena arena(program);
  RunHooks all = hooks;
  all.after_cell = [&](const Cell* cell, Arena& of_run) {
    if (hooks.after_cell) hooks.after_cell(cell, of_run);
    collector.after_cell(cell, of_run);
  };
  all.after_rows = [&](const Region& region, CallId call, int turn, Arena& of_run) {
    if (hooks.after_rows) hooks.after_rows(region, call, turn, of_run);
    collector.after_rows(region, call, turn, of_run);
  };
  Runner(program).run(values, 0, arena, all);
  return collector.take();
}

}  // namespace n2d2::program
