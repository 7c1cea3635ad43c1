#include "n2d2/program/lower.hpp"

#include <algorithm>
#include <numeric>

#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/fc.hpp"

namespace n2d2::program {

namespace {

/// Threads pay only in layers of some 10 microseconds, and in networks of about a millisecond.
constexpr int64_t kParallelLayerMacs = 3'000'000, kParallelNetworkMacs = 50'000'000;

int64_t macs_of(const graph::Graph& graph, const graph::Node& node) {
  if (graph::as<ops::Conv>(node) == nullptr && graph::as<ops::Fc>(node) == nullptr) return 0;
  const Shape& out = graph.value(node.outputs.at(0)).type.shape;
  const Shape& weights = graph.value(node.inputs.at(1)).type.shape;
  return out.h() * out.w() * weights.elements();
}

std::set<graph::NodeId> parallel_nodes(const graph::Graph& graph) {
  int64_t total = 0;
  std::set<graph::NodeId> out;
  for (const graph::NodeId id : graph.nodes()) {
    const int64_t macs = macs_of(graph, graph.node(id));
    total += macs;
    if (macs >= kParallelLayerMacs) out.insert(id);
  }
  return total >= kParallelNetworkMacs ? out : std::set<graph::NodeId>{};
}

Bytes round_up(Bytes bytes, Bytes unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Several pixels in one row.
bool is_one_row(const Shape& shape) {
  return shape.h() == 1 && shape.w() > 1;
}

}  // namespace

class ProgramBuilder {
 public:
  ProgramBuilder(const Lowering& lowering, std::span<const graph::NodeId> order,
                 const MemorySettings& settings, const std::set<graph::ValueId>& copied)
      : lowering_(lowering), order_(order), settings_(settings), copied_(copied) {
    program_.graph = lowering.graph_;
    program_.outputs = lowering.outputs_;
    program_.constants = lowering.constants_;
    program_.memories = settings.memories;
    if (program_.memories.empty()) program_.memories.push_back({"default", 0, 1, 0, 0});
  }

  Program build() {
    choose_lanes();
    for (const graph::ValueId input : graph().inputs())
      add_map(input, input == program_.input() ? "env" : graph().value(input).name);
    if (!settings_.input_in_arena) view(program_.maps.at(program_.input())).outside = true;
    for (const graph::NodeId id : order_) add_node(graph().node(id));
    program_.alignment = alignment(element_bytes_);
    return std::move(program_);
  }

 private:
  /// An input of a concatenation that its producer writes in place.
  struct Lane {
    graph::ValueId concat;
    Bytes offset = 0;
  };

  const graph::Graph& graph() const { return program_.graph; }
  const TensorType& type(graph::ValueId id) const { return graph().value(id).type; }
  Bytes element_of(graph::ValueId id) const { return size_bytes(type(id).dtype); }
  View& view(ViewId id) { return program_.views[static_cast<size_t>(id)]; }

  /// Bytes of which the pitches and the places of elements of that size are multiples.
  Bytes alignment(Bytes element) const {
    return settings_.counts_bytes ? std::lcm(settings_.alignment, element) : settings_.alignment * element;
  }

  std::vector<memory::MemoryId> memories_of(const std::string& cell) const {
    return settings_.memories_of ? settings_.memories_of(cell) : std::vector<memory::MemoryId>{};
  }

  std::vector<graph::ValueId> activations_of(const graph::Node& node) const {
    std::vector<graph::ValueId> out;
    for (const graph::ValueId input : node.inputs)
      if (!graph().value(input).is_constant()) out.push_back(input);
    return out;
  }

  bool is_opaque(graph::NodeId id) const {
    return id && lowering_.kernel(id).contract(graph(), graph().node(id)).opaque;
  }
  /// Made or read by an opaque call.
  bool is_at_boundary(graph::ValueId id) const {
    const auto& uses = graph().value(id).uses;
    return is_opaque(graph().value(id).producer) ||
           std::any_of(uses.begin(), uses.end(), [&](const graph::Use& use) { return is_opaque(use.node); });
  }

  void choose_lanes() {
    if (!settings_.lanes) return;
    std::set<graph::ValueId> written;  // by a kernel, or part by part
    for (const graph::NodeId id : order_) {
      const graph::Node& node = graph().node(id);
      const Placement placement = lowering_.kernel(id).placement();
      if (placement == Placement::Parts) {
        const graph::ValueId output = node.outputs.at(0);
        Bytes offset = 0;
        for (const graph::ValueId input : node.inputs) {
          const bool possible =
              written.contains(input) && !lanes_.contains(input) && !copied_.contains(input) &&
              !is_at_boundary(input) && type(input).dtype == type(output).dtype &&
              memories_of(graph().node(graph().value(input).producer).name) == memories_of(node.name);
          if (possible) lanes_[input] = {output, offset};
          offset += type(input).shape.c() * element_of(input);
        }
      }
      if (placement != Placement::Alias) written.insert(node.outputs.begin(), node.outputs.end());
    }
  }

  ViewId append(View added) {
    const std::string name = added.name;
    for (int i = 2; !names_.insert(added.name).second; ++i) added.name = fmt::format("{}_{}", name, i);
    program_.views.push_back(std::move(added));
    return static_cast<ViewId>(program_.views.size() - 1);
  }

  /// A view of the value's extents.
  View shaped(graph::ValueId id, const std::string& name, Bytes pixel) {
    const Shape& shape = type(id).shape;
    if (!is_framed(id)) element_bytes_ = std::max(element_bytes_, element_of(id));
    View out;
    out.name = name;
    out.value = id;
    out.type = type(id).dtype;
    out.w = static_cast<int>(shape.h() == 1 ? 1 : shape.w());
    out.h = static_cast<int>(shape.h() == 1 ? shape.w() : shape.h());
    out.c = static_cast<int>(shape.c());
    out.pixel = pixel;
    out.row = out.w * pixel;
    return out;
  }

  /// The view of a value, made when it is first asked for: a lane needs that of its concatenation.
  ViewId add_map(graph::ValueId id, const std::string& cell) {
    if (const auto known = program_.maps.find(id); known != program_.maps.end()) return known->second;
    const Bytes element = element_of(id), used = type(id).shape.c() * element;
    const auto lane = lanes_.find(id);
    View added;
    if (is_framed(id)) {
      const ViewId frame = append(frame_of(id, cell));
      added = shaped(id, cell, used);
      added.host = frame;
    } else if (lane == lanes_.end()) {
      const bool is_packed = used == element || (id == program_.input() && !settings_.input_in_arena);
      added = shaped(id, cell, is_packed ? used : round_up(used, alignment(element)));
      added.memories = memories_of(cell);
    } else {
      const graph::ValueId concat = lane->second.concat;
      const ViewId host = add_map(concat, graph().node(graph().value(concat).producer).name);
      added = shaped(id, cell, view(host).pixel);
      added.host = host;
      added.inside = lane->second.offset;
    }
    added.keep = is_output(id);
    return program_.maps[id] = append(std::move(added));
  }

  /// The scores of a network have more bytes than the elements inside it: a frame with room to lie at a multiple of them
  /// keeps every other place free of it. Maps of several pixels overlap what they are made of, so that all places are such
  /// multiples.
  bool is_framed(graph::ValueId id) const {
    const Shape& shape = type(id).shape;
    return element_of(id) > element_of(program_.input()) && shape.h() * shape.w() == 1 &&
           !lanes_.contains(id);
  }

  /// Bytes around a map of one pixel; place_frames() says where in them it begins.
  View frame_of(graph::ValueId id, const std::string& cell) {
    View out;
    out.name = cell + ".frame";
    out.value = id;
    out.type = DataType::U8;
    out.c = static_cast<int>((type(id).shape.c() + 1) * element_of(id) - 1);
    out.pixel = out.row = out.used();
    out.memories = memories_of(cell);
    return out;
  }

  bool is_output(graph::ValueId id) const {
    return std::any_of(program_.outputs.begin(), program_.outputs.end(),
                       [&](const Output& output) { return output.value == id; });
  }

  void add_node(const graph::Node& node) {
    const Kernel& kernel = lowering_.kernel(node.id);
    Cell cell{node.id, node.name, {}, {}, {}};
    const auto first = static_cast<CallId>(program_.calls.size());
    if (kernel.placement() != Placement::Alias || !add_alias(node)) {
      std::vector<ViewId> outputs;
      for (size_t i = 0; i < node.outputs.size(); ++i)
        outputs.push_back(add_map(node.outputs[i], i == 0 ? node.name : fmt::format("{}.{}", node.name, i)));
      if (kernel.placement() == Placement::Parts)
        add_parts(node, kernel, outputs.at(0));
      else
        add_call(node, kernel, activations_of(node), outputs);
    }
    for (const graph::ValueId output : node.outputs) cell.outputs.push_back(program_.maps.at(output));
    for (auto call = first; call < static_cast<CallId>(program_.calls.size()); ++call)
      cell.calls.push_back(call);
    program_.cells.push_back(std::move(cell));
  }

  /// False where the bytes cannot stay in place.
  bool add_alias(const graph::Node& node) {
    const graph::ValueId output = node.outputs.at(0);
    const ViewId host = program_.maps.at(node.inputs.at(0));
    const View from = view(host);
    const int64_t channels = type(output).shape.c();
    const bool dense = from.used() == from.pixel || from.w * from.h == 1;
    if (channels != from.c && !dense) return false;
    View added = shaped(output, node.name, channels == from.c ? from.pixel : channels * element_of(output));
    added.host = host;
    added.keep = is_output(output);
    added.outside = from.outside;
    program_.maps[output] = append(std::move(added));
    return true;
  }

  /// One call for each input that is not in place already.
  void add_parts(const graph::Node& node, const Kernel& kernel, ViewId host) {
    Bytes offset = 0;
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const graph::ValueId input = node.inputs[slot];
      const auto lane = lanes_.find(input);
      const bool in_place =
          lane != lanes_.end() && lane->second.concat == node.outputs.at(0) && lane->second.offset == offset;
      if (!in_place) {
        View part = view(host);
        part.name = fmt::format("{}.{}", node.name, slot);
        part.c = static_cast<int>(type(input).shape.c());
        part.host = host;
        part.inside = offset;
        part.keep = false;
        part.memories.clear();
        add_call(node, kernel, {input}, {append(std::move(part))});
        Call& call = program_.calls.back();
        call.contract.windows = {kernel.contract(graph(), node).windows.at(slot)};
        call.suffix = fmt::format("_in{}", slot);
      }
      offset += type(input).shape.c() * element_of(input);
    }
  }

  void add_call(const graph::Node& node, const Kernel& kernel, const std::vector<graph::ValueId>& inputs,
                const std::vector<ViewId>& outputs) {
    Call call;
    call.kernel = &kernel;
    call.node = node.id;
    call.contract = kernel.contract(graph(), node);
    call.contract.windows.resize(inputs.size(), {Window::Kind::Whole, 1, 0, 1});
    for (const graph::ValueId input : inputs) call.in.push_back(program_.maps.at(input));
    call.out = outputs;
    if (const auto constants = lowering_.constants_of_.find(node.id);
        constants != lowering_.constants_of_.end())
      call.constants = constants->second;
    call.overlap = settings_.overlap && !(settings_.no_overlap && settings_.no_overlap(node.name));
    for (const ViewId id : outputs) call.overlap = call.overlap && !is_framed(view(id).value);
    call.parallel = lowering_.parallel_.contains(node.id);
    if (call.contract.opaque)
      settle_pixels(call);
    else
      settle_rows(call);
    program_.calls.push_back(std::move(call));
  }

  /// All maps of one row, or none.
  void settle_rows(Call& call) {
    const auto maps = [&](const auto& use) {
      for (ViewId& id : call.in) use(id);
      for (ViewId& id : call.out) use(id);
    };
    bool one_row = false, several = false;
    maps([&](ViewId& id) {
      const Shape& shape = type(view(id).value).shape;
      one_row = one_row || is_one_row(shape);
      several = several || shape.h() > 1;
    });
    call.turned = one_row && !several;
    if (!one_row || !several) return;
    maps([&](ViewId& id) {
      if (is_one_row(type(view(id).value).shape)) id = row_view(id);
    });
  }

  /// Maps that do not wrap.
  void settle_pixels(Call& call) {
    for (ViewId& id : call.in) id = row_view(id);
    for (ViewId& id : call.out) id = row_view(id);
  }

  /// The same bytes as one row. Such a name inside keeps its host from wrapping.
  ViewId row_view(ViewId host) {
    const auto known = rows_.find(host);
    if (known != rows_.end()) return known->second;
    View row = view(host);
    row.name += ".row";
    row.w *= row.h, row.h = 1;
    row.row = row.w * row.pixel;
    row.host = host, row.inside = 0;
    row.keep = false;
    row.memories.clear();
    return rows_[host] = append(std::move(row));
  }

  const Lowering& lowering_;
  std::span<const graph::NodeId> order_;
  const MemorySettings& settings_;
  const std::set<graph::ValueId>& copied_;
  Program program_;
  std::map<graph::ValueId, Lane> lanes_;
  std::map<ViewId, ViewId> rows_;
  std::set<std::string> names_;
  Bytes element_bytes_ = 1;
};

Lowering::Lowering(graph::Graph graph, std::vector<Output> outputs, const KernelLibrary& library,
                   const Refuse& refuse)
    : graph_(std::move(graph)), outputs_(std::move(outputs)), parallel_(parallel_nodes(graph_)) {
  for (const graph::NodeId id : graph_.schedule()) {
    const graph::Node& node = graph_.node(id);
    std::string reasons;
    const Kernel* kernel = library.choose(graph_, node, reasons);
    if (kernel == nullptr) {
      refuse(node, reasons);
      continue;
    }
    kernels_[id] = kernel;
    for (Constant& constant : kernel->pack(graph_, node)) {
      constants_of_[id].push_back(static_cast<ConstantId>(constants_.size()));
      constants_.push_back(std::move(constant));
    }
  }
}

Program Lowering::program(std::span<const graph::NodeId> order, const MemorySettings& settings,
                          const std::set<graph::ValueId>& copied) const {
  Program program = ProgramBuilder(*this, order, settings, copied).build();
  rewrite(program, settings.peephole);
  return program;
}

std::vector<graph::ValueId> lanes_of(const Program& program) {
  std::vector<graph::ValueId> out;
  for (const Cell& cell : program.cells) {
    const graph::Node& node = program.graph.node(cell.node);
    if (cell.outputs.empty()) continue;
    for (const graph::ValueId input : node.inputs) {
      const auto map = program.maps.find(input);
      if (map == program.maps.end() || program.view(map->second).host != cell.outputs.front()) continue;
      if (std::find(out.begin(), out.end(), input) == out.end()) out.push_back(input);
    }
  }
  return out;
}

}  // namespace n2d2::program
