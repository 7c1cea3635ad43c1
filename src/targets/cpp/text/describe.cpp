#include "describe.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "n2d2/base/text.hpp"
#include "n2d2/ops/part.hpp"
#include "n2d2/program/constants.hpp"
#include "n2d2/program/schedule.hpp"
#include "n2d2/targets/footprint.hpp"

#include "choose/choose_forms.hpp"
#include "project_text.hpp"
#include "readme.hpp"
#include "report.hpp"

namespace n2d2::targets::cpp {

namespace {

using report::Layer;
using report::Report;

std::string bytes_text(int64_t bytes) {
  return with_thousands(bytes) + " bytes";
}

report::MemoryMap memory_map(const PlannedNetwork& network) {
  constexpr double kKib = 1024;
  const plot::Timeline timeline = memory_timeline(network);
  report::MemoryMap out;
  out.steps = timeline.x_names;
  if (const memory::StepId step = peak_step(network); step != memory::kNone) out.peak_step = step;
  for (const plot::Box& box : timeline.boxes)
    out.boxes.push_back({box.label, box.x0, box.x1, std::llround(box.y0 * kKib), std::llround(box.y1 * kKib),
                         box.group, box.stripes > 1 ? box.stripe_fill : 1});
  int64_t below = 0;
  const std::vector<program::Memory>& memories = network.program().memories;
  for (const program::Memory& memory : memories) {
    const std::string of = memories.size() > 1 ? " of " + memory.name : "";
    if (memory.lower_bound != memory.peak) out.levels.push_back({"least" + of, below + memory.lower_bound});
    out.levels.push_back({"peak" + of, below + memory.peak});
    if (memory.capacity > 0 && memories.size() == 1) out.levels.push_back({"there is", memory.capacity});
    below += memory.peak;
  }
  return out;
}

/// Layers of the network by their names; those in a part, too.
class LayersByName {
 public:
  explicit LayersByName(Report& report) {
    for (Layer& layer : report.layers) layers_.emplace(layer.name, &layer);
  }
  Layer* find(const std::string& name) const {
    const auto found = layers_.find(name);
    return found == layers_.end() ? nullptr : found->second;
  }
  /// The layers that a node of the program is.
  std::vector<Layer*> of(const graph::Node& node) const {
    std::vector<Layer*> out;
    const auto add = [&](const std::string& name) {
      if (Layer* layer = find(name)) out.push_back(layer);
    };
    if (const auto* part = graph::as<ops::Part>(node))
      for (const graph::NodeId id : part->graph.schedule()) add(part->graph.node(id).name);
    else
      add(node.name);
    return out;
  }

 private:
  std::map<std::string, Layer*> layers_;
};

void add_kernels(const PlannedNetwork& network, const LayersByName& layers) {
  for (const FormOfCall& call : forms_of_calls(network.program(), network.why))
    if (Layer* layer = layers.find(call.layer); layer != nullptr && layer->kernel.empty())
      layer->kernel = call.kernel, layer->form = call.form, layer->why = call.why;
  for (const program::Call& call : network.program().calls)
    if (call.contract.opaque)
      for (Layer* layer : layers.of(network.program().node(call)))
        layer->kernel = call.kernel->name(), layer->why = "in '" + network.program().node(call).name + "'";
}

void add_steps(const PlannedNetwork& network, const LayersByName& layers, const report::MemoryMap& map) {
  const program::Program& program = network.program();
  const auto note = [&](const program::Call& call, int64_t step) {
    if (call.is_source()) return;
    for (Layer* layer : layers.of(program.node(call)))
      if (!layer->step) layer->step = step, layer->ram = report::bytes_in_use(map, step);
  };
  int64_t step = 0;
  for (const program::Unit& unit : program::units_of(program)) {
    for (program::CallId call = unit.first; call < unit.end; ++call) {
      for (const program::Call& inner : program.call(call).steps) note(inner, step);
      note(program.call(call), step);
    }
    ++step;
  }
}

void add_flash(const program::Program& program, const LayersByName& layers) {
  for (const program::Cell& cell : program.cells) {
    const std::vector<Layer*> of_cell = layers.of(program.graph.node(cell.node));
    if (of_cell.empty()) continue;
    int64_t bytes = 0;
    for (const program::ConstantId id : program::constants_of(program, cell))
      bytes += program::stored_bytes(program.constant(id));
    of_cell.front()->flash = bytes;
  }
}

/// Bytes by the roles of constants, in their order.
std::vector<report::NamedBytes> flash_by_kind(const program::Program& program) {
  std::vector<report::NamedBytes> out;
  for (const program::Constant& constant : program.constants) {
    auto found = std::find_if(out.begin(), out.end(),
                              [&](const report::NamedBytes& kind) { return kind.name == constant.role; });
    if (found == out.end()) found = out.insert(found, {constant.role, 0});
    found->bytes += program::stored_bytes(constant);
  }
  return out;
}

void add_input(const PlannedNetwork& network, report::Feed& feed) {
  const TensorType& type = network.input_type();
  feed.facts.push_back(
      {"input", fmt::format("{} rows of {} pixels of {} channels, the channels of a pixel together",
                            type.shape.h(), type.shape.w(), type.shape.c())});
  feed.facts.push_back({"element", element_type(type.dtype)});
  if (!type.quant) return;
  feed.facts.push_back({"scale", fmt::format("{}", type.quant->scale.at(0))});
  feed.facts.push_back({"zero point", fmt::format("{}", type.quant->zero_point)});
}

report::Tile memory_tile(const PlannedNetwork& network) {
  int64_t arena = 0;
  bool is_bounded = false;
  for (const program::Memory& memory : network.program().memories)
    arena += memory.peak, is_bounded = is_bounded || memory.capacity > 0;
  const int64_t stack = network.options.platform.stack_bytes;
  return {"RAM", bytes_text(arena + stack),
          fmt::format("arena {}, stack at most {}", with_thousands(arena), with_thousands(stack)),
          is_bounded ? "good" : "", static_cast<double>(arena + stack)};
}

report::Tile flash_tile(const PlannedNetwork& network) {
  const int64_t weights = parameter_bytes(network, true), others = parameter_bytes(network, false);
  return {"flash", bytes_text(weights + others),
          fmt::format("weights {}, biases and factors {}; code comes on top", with_thousands(weights),
                      with_thousands(others)),
          "", static_cast<double>(weights + others)};
}

/// A microcontroller is a sum of more.
void add_footprint(const Footprint& f, const LayersByName& layers, Report& report) {
  const std::string fits = !f.board ? "" : f.fits(*f.board) ? "good" : "bad";
  report.tiles.push_back(
      {"RAM", bytes_text(f.ram()),
       fmt::format("arena {}, stack at most {}", with_thousands(f.arena), with_thousands(f.stack)), fits,
       static_cast<double>(f.ram())});
  report.tiles.push_back(
      {"flash", bytes_text(f.flash()),
       fmt::format("code about {}, weights {}, biases and factors {}", with_thousands(f.code),
                   with_thousands(f.weights), with_thousands(f.biases)),
       fits, static_cast<double>(f.flash())});
  report.tiles.push_back({"instructions", instructions_text(f.instructions(), f.is_rough()),
                          f.board ? "on " + std::string(f.board->name) : "on " + f.core, "",
                          f.instructions()});
  for (const LayerInstructions& counted : f.layers)
    if (Layer* layer = layers.find(counted.layer)) layer->instructions = std::llround(counted.instructions);
}

}  // namespace

void describe(const PlannedNetwork& network, Report& report) {
  const LayersByName layers(report);
  report.memory = memory_map(network);
  add_kernels(network, layers);
  add_steps(network, layers, report.memory);
  add_flash(network.program(), layers);
  if (network.options.platform.footprint) {
    add_footprint(network.options.platform.footprint(network.program()), layers, report);
  } else {
    report.tiles.push_back(memory_tile(network));
    report.tiles.push_back(flash_tile(network));
  }
  report.flash = flash_by_kind(network.program());
  if (network.options.platform.footprint) {
    const Footprint footprint = network.options.platform.footprint(network.program());
    report.flash.insert(report.flash.begin(), {"code, about", footprint.code});
    report.flash.push_back({"between arrays", footprint.filling});
  }
  add_input(network, report.feed);
  report.feed.call = call_example(network);
  for (const auto& [what, value] : figures_of(network)) report.about.push_back({what, value});
}

}  // namespace n2d2::targets::cpp
