#include "n2d2/program/lower.hpp"

#include <algorithm>
#include <numeric>

#include "n2d2/graph/integer_form.hpp"
#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/fc.hpp"

#include "lanes.hpp"
#include "macs.hpp"

namespace n2d2::program {

namespace {

/// Threads pay only in layers of some 10 microseconds, and in networks of about a millisecond. A depthwise
/// layer takes several times as long for its products as others do, and so does one that reads each weight
/// once.
constexpr int64_t kParallelLayerMacs = 3'000'000, kParallelNetworkMacs = 50'000'000;
constexpr int64_t kSlowProduct = 4;

int64_t weight_of(const graph::Node& node) {
  const auto* conv = graph::as<ops::Conv>(node);
  const bool is_depthwise = conv != nullptr && conv->groups > 1 && conv->groups == conv->nb_outputs;
  return is_depthwise || graph::as<ops::Fc>(node) != nullptr ? kSlowProduct : 1;
}

std::set<graph::NodeId> parallel_nodes(const graph::Graph& graph) {
  int64_t total = 0;
  std::set<graph::NodeId> out;
  for (const graph::NodeId id : graph.nodes()) {
    const int64_t macs = macs_of(graph, graph.node(id));
    total += macs;
    if (macs * weight_of(graph.node(id)) >= kParallelLayerMacs) out.insert(id);
  }
  return total >= kParallelNetworkMacs ? out : std::set<graph::NodeId>{};
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
    if (settings_.stream_input) add_source();
    for (const graph::NodeId id : order_) add_node(graph().node(id));
    program_.alignment = alignment(element_bytes_);
    return std::move(program_);
  }

 private:
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

  Placement placement(const graph::Node& node) const { return lowering_.kernel(node.id).placement(); }

  /// Whether a kernel can write it there, or part by part.
  bool may_lie(graph::ValueId id, const graph::Node& concat) const {
    const graph::ValueId made = behind_views(id);
    const graph::NodeId producer = graph().value(made).producer;
    return producer && (made == id || is_dense_vector(made, concat)) && !copied_.contains(id) &&
           placement(graph().node(producer)) != Placement::Alias && !is_at_boundary(made) &&
           type(made).dtype == type(concat.outputs.at(0)).dtype &&
           memories_of(graph().node(producer).name) == memories_of(concat.name);
  }

  /// The map that a value is another view of: what the first of the Reshapes in front of it reads, as long as
  /// nothing else reads what is between. The value itself where it is made by a call.
  graph::ValueId behind_views(graph::ValueId id) const {
    while (const graph::NodeId producer = graph().value(id).producer) {
      const graph::Node& node = graph().node(producer);
      const graph::ValueId source = node.inputs.at(0);
      if (placement(node) != Placement::Alias || !graph().has_single_use(source)) break;
      id = source;
    }
    return id;
  }

  /// Whether a map, made by a call that writes all of it, lies without gaps in a concatenation of vectors.
  bool is_dense_vector(graph::ValueId map, const graph::Node& concat) const {
    const Shape& vector = type(concat.outputs.at(0)).shape;
    const Bytes element = element_of(map), used = type(map).shape.c() * element;
    return vector.h() * vector.w() == 1 && memory::round_up(used, alignment(element)) == used &&
           placement(graph().node(graph().value(map).producer)) == Placement::Own;
  }

  /// The lane of a map, or of the vector that it is seen as.
  std::optional<Lane> lane_of(graph::ValueId id) const {
    std::optional<Lane> lane = lanes_->of(id);
    while (!lane && graph().has_single_use(id)) {
      const graph::Node& user = graph().node(graph().value(id).uses.front().node);
      if (placement(user) != Placement::Alias) break;
      id = user.outputs.at(0);
      lane = lanes_->of(id);
    }
    return lane;
  }

  void choose_lanes() {
    Lanes::Rules rules;
    rules.is_concat = [&](const graph::Node& node) {
      return settings_.lanes && placement(node) == Placement::Parts;
    };
    rules.may_lie = [&](graph::ValueId id, const graph::Node& concat) { return may_lie(id, concat); };
    lanes_.emplace(graph(), order_, std::move(rules));
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
    const std::optional<Lane> lane = lane_of(id);
    View added;
    if (is_framed(id)) {
      const ViewId frame = append(frame_of(id, cell));
      added = shaped(id, cell, used);
      added.host = frame;
    } else if (!lane) {
      const bool is_packed = used == element || (id == program_.input() && is_made_by_caller());
      added = shaped(id, cell, is_packed ? used : memory::round_up(used, alignment(element)));
      added.memories = memories_of(cell);
    } else {
      const ViewId host = host_of(*lane);
      added = shaped(id, cell, lanes_->of(id) ? view(host).pixel : used);
      added.host = host;
      added.inside = lane->offset;
    }
    added.keep = is_output(id);
    return program_.maps[id] = append(std::move(added));
  }

  /// The scores of a network have more bytes than the elements inside it: a frame with room to lie at a
  /// multiple of them keeps every other place free of it. Maps of several pixels overlap what they are made
  /// of, so that all places are such multiples. So are those of a concatenation, which several steps write.
  bool is_framed(graph::ValueId id) const {
    const bool is_wider = element_of(id) > element_of(program_.input());
    return is_wider && type(id).shape.h() * type(id).shape.w() == 1 && !lane_of(id) && !is_joined(id);
  }

  bool is_joined(graph::ValueId id) const {
    const graph::NodeId producer = graph().value(id).producer;
    return producer && graph::integer_form(graph(), graph().node(producer)).scale == graph::ScaleOf::Shared;
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

  /// The caller knows no gaps.
  bool is_made_by_caller() const { return !settings_.input_in_arena || settings_.stream_input; }

  void add_source() {
    N2D2_CHECK(settings_.input_in_arena, "an input outside the arena does not come row by row");
    Call source;
    source.kernel = &source_kernel();
    source.out = {program_.maps.at(program_.input())};
    source.overlap = settings_.overlap;
    program_.calls.push_back(std::move(source));
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
        add_parts(node, kernel);
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

  /// The map of its concatenation.
  ViewId host_of(const Lane& lane) {
    return add_map(lane.concat, graph().node(graph().value(lane.concat).producer).name);
  }

  /// Whether it is written there by its own kernel, or part by part.
  bool lies_at(graph::ValueId id, const Lane& at) const {
    const std::optional<Lane> lane = lanes_->of(id);
    return lane && lanes_->outermost(*lane) == at;
  }

  /// One call for each input that is not in place already, or for those parts of it that are not: also for
  /// each part where another concatenation has some of them.
  void add_parts(const graph::Node& node, const Kernel& kernel) {
    Bytes offset = 0;
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const graph::ValueId input = node.inputs[slot];
      const Lane place{node.outputs.at(0), offset};
      offset += type(input).shape.c() * element_of(input);
      if (lies_at(input, lanes_->outermost(place))) continue;
      const std::vector<Part> parts = lanes_->parts(input);
      const auto at = [&](const Part& part) { return Lane{place.concat, place.offset + part.offset}; };
      std::vector<Part> missing;
      for (const Part& part : parts) {
        const Lane there = lanes_->outermost(at(part));
        if (!lies_at(part.value, there) && copies_.insert(there).second) missing.push_back(part);
      }
      const Part whole{input, 0, offset - place.offset};
      const auto holder = [&](const Part& part) { return lanes_->innermost(at(part), part.size).concat; };
      const bool is_one = std::all_of(parts.begin(), parts.end(),
                                      [&](const Part& part) { return holder(part) == holder(whole); });
      if (missing.size() == parts.size() && is_one) missing = {whole};
      for (const Part& part : missing) {
        const std::string suffix =
            missing.size() > 1 ? fmt::format("{}_{}", slot, part.offset) : std::to_string(slot);
        add_copy(node, kernel, part, at(part), slot, suffix);
      }
    }
  }

  void add_copy(const graph::Node& node, const Kernel& kernel, const Part& part, const Lane& place,
                size_t slot, const std::string& suffix) {
    const Lane lane = lanes_->innermost(place, part.size);
    const ViewId host = host_of(lane);
    View copy = view(host);
    copy.name = fmt::format("{}.{}", node.name, suffix);
    copy.value = place.concat;
    copy.c = static_cast<int>(type(part.value).shape.c());
    copy.host = host;
    copy.inside = lane.offset;
    copy.keep = false;
    copy.memories.clear();
    add_call(node, kernel, {part.value}, {append(std::move(copy))});
    Call& call = program_.calls.back();
    call.contract.windows = {kernel.contract(graph(), node).windows.at(slot)};
    call.suffix = "_in" + suffix;
  }

  void add_call(const graph::Node& node, const Kernel& kernel, const std::vector<graph::ValueId>& inputs,
                const std::vector<ViewId>& outputs) {
    Call call;
    call.kernel = &kernel;
    call.form = lowering_.forms_.at(node.id);
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

  /// A call is turned as a whole, or reads its maps of one row as such.
  void settle_rows(Call& call) {
    const auto maps = [&](const auto& use) {
      for (ViewId& id : call.in) use(id);
      for (ViewId& id : call.out) use(id);
    };
    std::vector<Shape> shapes;
    maps([&](ViewId& id) { shapes.push_back(type(view(id).value).shape); });
    call.turned = is_turned(shapes);
    if (call.turned) return;
    maps([&](ViewId& id) {
      if (is_one_row(type(view(id).value).shape)) id = row_view(id);
    });
  }

  /// Maps that do not wrap.
  void settle_pixels(Call& call) {
    for (ViewId& id : call.in) id = row_view(id);
    for (ViewId& id : call.out) id = row_view(id);
  }

  /// Returns a view of the bytes of `host` as one row. Such a view inside a map keeps the map from wrapping.
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
  std::optional<Lanes> lanes_;
  std::set<Lane> copies_;  ///< of parts, made so far in outermost concatenations
  std::map<ViewId, ViewId> rows_;
  std::set<std::string> names_;
  Bytes element_bytes_ = 1;
};

namespace {

/// The first form of a kernel that fits; the last one where the kernel says that none does.
Choice own_choice(const KernelLibrary& library, const graph::Graph& graph, const graph::Node& node,
                  const Kernel* kernel) {
  Choice out;
  for (const Choice& choice : library.choices(graph, node))
    if (choice.kernel == kernel && (out.kernel == nullptr || !out.why_not.empty())) out = choice;
  return out;
}

}  // namespace

Lowering::Lowering(graph::Graph graph, std::vector<Output> outputs, const KernelLibrary& library,
                   const Refuse& refuse, const Asked& asked)
    : graph_(std::move(graph)), outputs_(std::move(outputs)), parallel_(parallel_nodes(graph_)) {
  for (const graph::NodeId id : graph_.schedule()) {
    const graph::Node& node = graph_.node(id);
    std::string reasons;
    const auto found = asked.find(id);
    const Kernel* kernel =
        found != asked.end() ? found->second.kernel : library.choose(graph_, node, reasons);
    if (kernel == nullptr) {
      refuse(node, reasons);
      continue;
    }
    const Form form =
        found != asked.end() ? found->second.form : own_choice(library, graph_, node, kernel).form;
    kernels_[id] = kernel;
    forms_[id] = form.name;
    for (Constant& constant : kernel->pack(graph_, node)) {
      if (!form.reads_packed) constant.packed = nullptr;
      if (!form.reads_narrow) constant.storage = {};
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

namespace {

/// Whether a view lies in the other, directly or not.
bool lies_in(const Program& program, ViewId inner, ViewId outer) {
  for (ViewId at = program.view(inner).host; at != kNone; at = program.view(at).host)
    if (at == outer) return true;
  return false;
}

/// Whether a concatenation lies in one that does not read it.
bool is_nested(const Program& program, graph::ValueId id) {
  const ViewId host = program.view(program.maps.at(id)).host;
  if (host == kNone) return false;
  const graph::ValueId outer = program.view(host).value;
  const auto map = program.maps.find(outer);
  if (outer == id || map == program.maps.end() || map->second != host) return false;
  const auto reads = [&](graph::ValueId by, graph::ValueId value) {
    const graph::NodeId producer = program.graph.value(by).producer;
    if (!producer) return false;
    const auto& inputs = program.graph.node(producer).inputs;
    return std::find(inputs.begin(), inputs.end(), value) != inputs.end();
  };
  return !reads(outer, id) && !reads(id, outer);
}

}  // namespace

std::vector<graph::ValueId> lanes_of(const Program& program) {
  std::vector<graph::ValueId> out;
  const auto add = [&](graph::ValueId id) {
    if (std::find(out.begin(), out.end(), id) == out.end()) out.push_back(id);
  };
  for (const Cell& cell : program.cells) {
    if (cell.outputs.empty()) continue;
    for (const graph::ValueId input : program.graph.node(cell.node).inputs)
      if (const auto map = program.maps.find(input);
          map != program.maps.end() && lies_in(program, map->second, cell.outputs.front()))
        add(input);
  }
  for (const Cell& cell : program.cells)
    if (!cell.outputs.empty()) {
      const graph::ValueId output = program.graph.node(cell.node).outputs.at(0);
      if (is_nested(program, output)) add(output);
    }
  return out;
}

}  // namespace n2d2::program
