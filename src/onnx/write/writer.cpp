#include "n2d2/onnx/writer.hpp"

#include <set>

#include "writer_node.hpp"

namespace n2d2::onnx {

void register_all_write(WriteRegistry& registry);

const WriteRegistry& write_rules() {
  static const WriteRegistry registry = [] {
    WriteRegistry out;
    register_all_write(out);
    return out;
  }();
  return registry;
}

namespace {

constexpr const char* kNoForm = "has no ONNX form here";

/// Steps of the whole integer range that a value may have.
Clamp steps_of(const QuantParams& quant) {
  return {static_cast<float>(quant.lowest()), static_cast<float>(quant.highest())};
}

/// False, with a finding: the node has no form.
bool write_node(WrittenModel& written, const graph::Node& node, Diagnostics& findings) {
  const WriteRule* rule = write_rules().find(node.op->type());
  try {
    if (rule == nullptr) throw ModelError(kNoForm);
    NodeWriter writer(written, node);
    (*rule)(writer);
    return true;
  } catch (const ModelError& error) {
    const Diagnostic& reason = error.findings().front();
    findings.error(node.origin, fmt::format("export ONNX: {}: {}", subject(node), reason.message),
                   reason.hint);
    return false;
  }
}

class Writer {
 public:
  Writer(const graph::Graph& graph, const WriteOptions& options)
      : written_{graph, options.form, ModelBuilder(options.version, options.opset), {}, {}}, graph_(graph) {}

  std::string write() {
    check_bits();
    for (const graph::ValueId id : graph_.values())
      if (!graph_.value(id).is_constant()) model().reserve(graph_.value(id).name);
    for (const graph::ValueId id : graph_.inputs()) input(graph_.value(id));
    for (const graph::NodeId id : graph_.schedule()) node(graph_.node(id));
    findings_.finish<ExportError>();
    std::set<graph::ValueId> declared;  // several targets may watch one value
    for (const graph::ValueId id : graph_.outputs())
      if (declared.insert(id).second) output(graph_.value(id));
    return model().finish();
  }

 private:
  ModelBuilder& model() { return written_.model; }

  void check_bits() {
    for (const graph::ValueId id : graph_.values()) {
      const graph::Value& value = graph_.value(id);
      if (value.is_constant()) continue;
      N2D2_CHECK((written_.form != Form::Float) == value.type.quant.has_value(),
                 "'{}' does not suit the form of the file", value.name);
      N2D2_CHECK(value.type.layout == Layout::Nchw, "'{}' has its bytes in another order", value.name);
      const int most = model().opset() >= kWrittenOpsetOfFewBits ? 16 : 8;
      if (written_.form != Form::Qdq || value.type.quant->bits <= most) continue;
      throw ExportError(fmt::format("export ONNX: {} bits: QuantizeLinear of operator set {} has {}",
                                    value.type.quant->bits, model().opset(), most),
                        {},
                        "-nbbits 8, or OperatorSet=21 (up to 16 bits) or FakeQuantization=1 in the export "
                        "parameters");
    }
  }

  void input(const graph::Value& value) {
    const Shape& shape = value.type.shape;
    model().add_input(value.name, shape.dims());
    written_.values[value.id] = {quantized_input(value), ""};
  }

  std::string quantized_input(const graph::Value& value) {
    if (written_.form == Form::Float) return value.name;
    const QuantParams& quant = *value.type.quant;
    if (written_.form == Form::Qdq)
      return quantize_pair(
          written_,
          bound_reals(written_, value.name, quant, quant.lowest(), quant.highest(), false, value.name), quant,
          value.name, value.name + "_dequantized");
    const std::string steps =
        model().add("Div", {value.name, model().reals(value.name + "_scale", {}, {quant.scale.at(0)})}, {},
                    value.name + "_Div");
    const std::string bounded = add_clamp(model(), steps, steps_of(quant), value.name);
    return model().add("Round", {bounded}, {}, value.name + "_quantized");
  }

  void node(const graph::Node& node) {
    if (!write_node(written_, node, findings_))
      written_.values[node.outputs.at(0)] = {graph_.value(node.outputs.at(0)).name, ""};
  }

  void output(const graph::Value& value) {
    const WrittenValue& made = written_.values.at(value.id);
    const Shape& shape = value.type.shape;
    const bool flat = made.map.empty();
    const std::string tensor = flat ? made.flat : made.map;
    std::string name = value.name;
    if (!value.producer) {  // a graph input that is an output, too
      name = model().unique(value.name + "_out");
      model().name_last(tensor, name);
    } else if (written_.form == Form::FakeQuantization) {
      const std::string scale = model().reals(value.name + "_scale", {}, {value.type.quant->scale.at(0)});
      model().name_last(model().add("Mul", {tensor, scale}, {}, value.name + "_Mul"), name);
    }
    model().add_output(name, flat ? Extents{1, shape.c()} : shape.dims());
  }

  WrittenModel written_;
  const graph::Graph& graph_;
  Diagnostics findings_;
};

}  // namespace

std::string write_model(const graph::Graph& graph, const WriteOptions& options) {
  return Writer(graph, options).write();
}

bool find_without_form(const graph::Graph& graph, const graph::Node& node, Diagnostics& findings) {
  WrittenModel alone{graph, Form::Float, ModelBuilder(""), {}, {}};
  for (const graph::ValueId id : node.inputs)
    if (!graph.value(id).is_constant()) alone.values[id] = {graph.value(id).name, ""};
  return !write_node(alone, node, findings);
}

std::vector<std::string> written_operators() {
  return write_rules().names();
}

}  // namespace n2d2::onnx
