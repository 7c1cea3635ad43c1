#include "instructions.hpp"

#include <algorithm>
#include <map>

#include "n2d2/base/text.hpp"
#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/matmul.hpp"
#include "n2d2/ops/recurrent.hpp"
#include "n2d2/program/kernel.hpp"

#include "costs.hpp"
#include "work.hpp"

namespace n2d2::targets::cortexm {

namespace {

/// The name of what copies the input and of what chooses classes, which are no kernels of the program.
constexpr std::string_view kCopy = "copy of the input", kClasses = "argmax";

/// Instructions of each term of work_of_any() where nothing was counted, and what their sum is called.
constexpr std::string_view kRoughly = "rough figure";
constexpr double kRough[] = {300, 60, 60, 12, 10, 25, 4, 2.5};
/// Instructions of a product of a recurrent layer or of two maps, and of a gate beside its products.
constexpr double kRoughProduct = 4.5, kRoughGate = 150;
/// How many times more a core with two registers an instruction takes.
constexpr double kRoughOfPairs = 2.5;

/// What a product takes more where its weight is read from a field of narrow.hpp, on all machines.
constexpr std::string_view kFields = "weights of fewer bits";
constexpr double kOfField = 8.5;

double products_of(const CallShape& s, const std::vector<program::Rows>& turns) {
  double rows = 0;
  for (const program::Rows& turn : turns) rows += turn.count;
  return rows * s.out_w * s.out_c * s.kernel_w * s.kernel_h * s.in_c / s.groups;
}

void read_fields(const program::ConfigFields& fields, CallShape& shape) {
  const std::map<std::string_view, int*> members{
      {"in_w", &shape.in_w},
      {"in_h", &shape.in_h},
      {"in_c", &shape.in_c},
      {"in_pixel", &shape.in_pixel},
      {"in_row", &shape.in_row},
      {"in_ring", &shape.in_ring},
      {"out_w", &shape.out_w},
      {"out_h", &shape.out_h},
      {"out_c", &shape.out_c},
      {"out_pixel", &shape.out_pixel},
      {"out_row", &shape.out_row},
      {"out_ring", &shape.out_ring},
      {"bottom_up", &shape.bottom_up},
      {"kernel_w", &shape.kernel_w},
      {"pool_w", &shape.kernel_w},
      {"kernel_h", &shape.kernel_h},
      {"pool_h", &shape.kernel_h},
      {"stride_x", &shape.stride_x},
      {"stride_y", &shape.stride_y},
      {"dilation_x", &shape.dilation_x},
      {"dilation_y", &shape.dilation_y},
      {"pad_x", &shape.pad_x},
      {"pad_y", &shape.pad_y},
      {"groups", &shape.groups},
      {"border_top", &shape.border_top},
      {"border_bottom", &shape.border_bottom},
      {"border_left", &shape.border_left},
      {"border_right", &shape.border_right},
      {"tile_pixels", &shape.tile_pixels},
      {"piece_bytes", &shape.piece_bytes},
  };
  for (const program::ConfigField& field : fields)
    if (const auto found = members.find(field.name); found != members.end())
      if (const auto value = parse_integer(field.text)) *found->second = static_cast<int>(*value);
}

CallShape shape_of(const program::Program& program, const program::Call& call) {
  CallShape shape;
  const program::Config config = call.kernel->config(program, call);
  read_fields(config.fields, shape);
  for (const program::ConfigFields& input : config.of_inputs) read_fields(input, shape);
  shape.inputs = static_cast<int>(std::max<size_t>(1, call.in.size()));
  if (!call.in.empty()) shape.is_signed = program.view(call.in.front()).type == DataType::I8;
  for (const program::ConstantId id : call.constants)
    if (const program::Constant& constant = program.constant(id); constant.storage.is_narrow())
      (constant.fields ? shape.is_narrow : shape.has_fields) = true;
  const graph::Node& node = program.node(call);
  if (const auto* conv = graph::as<ops::Conv>(node)) {
    shape.is_depthwise = conv->is_depthwise(shape.in_c);
  } else if (node.op->type() == "Fc") {
    shape.kernel_w = shape.in_w, shape.kernel_h = shape.in_h, shape.out_w = shape.out_h = 1;
  } else {
    shape.is_depthwise = true;  // each output is made of its own channel
  }
  return shape;
}

std::string_view factors_of(const program::Program& program, const program::Call& call) {
  const graph::Node& node = program.node(call);
  return node.rescale && !node.rescale->multiplier.empty() ? "fixed" : "float";
}

/// Adds up the instructions of layer after layer.
class Counter {
 public:
  Counter(const program::Program& program, const Core& core)
      : program_(program), machine_(machine_of(core)) {}

  void begin(std::string name, std::string layer) {
    layers_.emplace_back();
    layers_.back().name = std::move(name), layers_.back().layer = std::move(layer);
  }
  /// Adds work that is of no call.
  void add(std::string_view kernel, const WorkOf& of, const Work& work) { add(kernel, "", of, work, 0); }
  void add(const program::Call& call, const std::vector<program::Rows>& turns) {
    const std::string_view kernel = call.kernel->name();
    const CallShape shape = shape_of(program_, call);
    const auto count = [&](const WorkOf& of) {
      Work work(of.terms.size());
      for (const program::Rows& rows : turns)
        if (rows.count > 0) of.add(shape, rows, work);
      return work;
    };
    if (const auto* layer = graph::as<ops::Recurrent>(program_.node(call)))
      return add_roughly(kernel, factors_of(program_, call), rough_of(*layer, call));
    if (const auto* product = graph::as<ops::MatMul>(program_.node(call)))
      return add_roughly(kernel, factors_of(program_, call), rough_of(*product, call));
    const WorkOf& of = work_of(kernel);
    add(kernel, factors_of(program_, call), of, count(of), rough(count(work_of_any())));
    if (!shape.has_fields) return;
    const double products = products_of(shape, turns);
    layers_.back().instructions += products * kOfField;
    layers_.back().terms.push_back({std::string(kernel), std::string(factors_of(program_, call)),
                                    std::string(kFields), products, kOfField});
  }
  std::vector<LayerInstructions> take() { return std::move(layers_); }

 private:
  /// A sequence computes rows of weights, a gate each.
  double rough_of(const ops::Recurrent& layer, const program::Call& call) const {
    const Shape& steps = program_.graph.value(program_.node(call).inputs.at(0)).type.shape;
    const double gates = static_cast<double>(layer.rows() * steps.h() * steps.w());
    const double sum = kRoughProduct * static_cast<double>(layer.products(steps)) + kRoughGate * gates;
    return sum * (machine_ == "pairs" ? kRoughOfPairs : 1);
  }
  double rough_of(const ops::MatMul& product, const program::Call& call) const {
    const graph::Node& node = program_.node(call);
    const auto products =
        static_cast<double>(product.products(program_.graph.value(node.inputs.at(0)).type.shape,
                                             program_.graph.value(node.outputs.at(0)).type.shape));
    return kRoughProduct * products * (machine_ == "pairs" ? kRoughOfPairs : 1);
  }
  void add_roughly(std::string_view kernel, std::string_view factors, double rough) {
    layers_.back().is_rough = true;
    layers_.back().instructions += rough;
    layers_.back().terms.push_back(
        {std::string(kernel), std::string(factors), std::string(kRoughly), 1, rough});
  }
  /// `rough`: the instructions where nothing was counted of the kernel.
  void add(std::string_view kernel, std::string_view factors, const WorkOf& of, const Work& work,
           double rough) {
    LayerInstructions& layer = layers_.back();
    const auto put = [&](std::string_view what, double times, double each) {
      layer.instructions += times * each;
      layer.terms.push_back({std::string(kernel), std::string(factors), std::string(what), times, each});
    };
    const Cost* cost = cost_of(machine_, kernel, factors);
    layer.is_rough = layer.is_rough || cost == nullptr;
    if (cost == nullptr) cost = cost_like(machine_, kernel, factors);
    for (size_t t = 0; t < work.size(); ++t)
      if (work[t] != 0) put(of.terms[t], work[t], cost == nullptr ? 0 : cost->of(of.terms[t]));
    if (cost == nullptr) put(kRoughly, 1, rough);
  }
  double rough(const Work& work) const {
    double sum = 0;
    for (size_t t = 0; t < work.size(); ++t) sum += kRough[t] * work[t];
    return sum * (machine_ == "pairs" ? kRoughOfPairs : 1);
  }

  const program::Program& program_;
  std::string_view machine_;
  std::vector<LayerInstructions> layers_;
};

/// The rows that each execution of a call makes.
std::vector<program::Rows> turns_of(const program::Program& program, program::CallId id) {
  const program::Call& call = program.call(id);
  const int height = program.view(call.out.at(0)).h;
  std::vector<program::Rows> out;
  if (const program::Region* region = program.region_of(id)) {
    for (int turn = 0; turn < region->turns; ++turn)
      out.push_back(region->paces[static_cast<size_t>(id - region->first)].in(turn, height));
    return out;
  }
  const int count = call.rows.count < 0 ? height - call.rows.first : call.rows.count;
  return {{call.rows.first, count}};
}

/// Bytes that one call copies, and pixels with their classes that another one compares.
Work work_of_ends(double calls, double pixels, double elements) {
  Work work(work_of_any().terms.size());
  work[0] = calls, work[2] = pixels, work[5] = elements;
  return work;
}

}  // namespace

std::vector<LayerInstructions> instructions_of(const program::Program& program, const Core& core) {
  Counter counter(program, core);
  counter.begin("env", "env");
  const program::View& input = program.map_of(program.input());
  const auto elements =
      static_cast<double>(input.outside ? 0 : program.graph.value(program.input()).type.shape.elements());
  counter.add(kCopy, work_of_any(), work_of_ends(1, input.c > 1 ? elements / input.c : 0, elements));
  for (const program::Cell& cell : program.cells) {
    counter.begin(cell.identifier, cell.name);
    for (const program::CallId id : cell.calls) {
      const program::Call& call = program.call(id);
      if (!call.is_loop_nest()) counter.add(call, turns_of(program, id));
      for (const program::Call& step : call.steps) counter.add(step, {{0, program.view(step.out.at(0)).h}});
    }
  }
  counter.begin("classes", "classes");
  for (const program::Output& output : program.outputs) {
    const Shape& shape = program.graph.value(output.value).type.shape;
    const double pixels = shape.h() * shape.w();
    counter.add(kClasses, work_of_any(), work_of_ends(1, pixels, pixels * shape.c()));
  }
  return counter.take();
}

}  // namespace n2d2::targets::cortexm
