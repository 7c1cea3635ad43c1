// An ONNX model with its stimuli and reference values.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

#include "n2d2/base/log.hpp"
#include "n2d2/compute/executor.hpp"
#include "n2d2/compute/integer.hpp"
#include "n2d2/export/graph_files.hpp"
#include "n2d2/passes/pipelines.hpp"
#include "n2d2/quantize/quantize_graph.hpp"
#include "n2d2/targets/target.hpp"
#include "n2d2/tensor/integer_types.hpp"
#include "n2d2/tensor/npy.hpp"

#include "readme.hpp"

#ifndef N2D2_VERSION
#error "N2D2_VERSION comes from CMake"
#endif

namespace n2d2::targets::onnx {

namespace {

using exporter::FileTree;
using exporter::Stimulus;
using n2d2::onnx::Form;

/// Keys of the export parameters.
struct Parameters : SharedParameters {
  bool implicit_casting = true;
  bool fake_quantization = false;
  int operator_set = n2d2::onnx::kWrittenOpset;

  template <class V>
  static void fields(V&& v) {
    using P = Parameters;
    SharedParameters::fields(v);
    v("ImplicitCasting", &P::implicit_casting, help("no Cast operators; only 1"));
    v("FakeQuantization", &P::fake_quantization, help("whole numbers in float operators"));
    v("OperatorSet", &P::operator_set, help("13, or 21: weights of 4 bits as INT4, values of 16 bits"));
  }
};

Form form_of(const Request& request, const Parameters& parameters) {
  if (!request.is_integer()) return Form::Float;
  return parameters.fake_quantization ? Form::FakeQuantization : Form::Qdq;
}

template <class T>
void scale_into(const Tensor& steps, double scale, Tensor& out) {
  for (int64_t i = 0; i < steps.elements(); ++i)
    out.data<float>()[i] = static_cast<float>(steps.data<T>()[i] * scale);
}

Tensor real_values(const Tensor& steps, double scale) {
  Tensor out(steps.shape());
  switch (steps.dtype()) {
    case DataType::I8:
      scale_into<int8_t>(steps, scale, out);
      break;
    case DataType::U8:
      scale_into<uint8_t>(steps, scale, out);
      break;
    case DataType::I16:
      scale_into<int16_t>(steps, scale, out);
      break;
    case DataType::U16:
      scale_into<uint16_t>(steps, scale, out);
      break;
    default:
      throw InternalError(fmt::format("an output of {}", to_string(steps.dtype())), __FILE__, __LINE__);
  }
  return out;
}

/// What a layer made of one stimulus, under the name of its tensor in the file.
struct LayerValues {
  std::string tensor;
  Tensor values;
};

/// The network in process: outputs, and reference values of every layer.
class Peer {
 public:
  Peer(const graph::Graph& graph, Form form) : graph_(graph), form_(form) {
    if (form == Form::Float)
      floats_.emplace(graph, compute::ExecutorOptions{.backend = compute::Backend::OneDnn});
    else
      integers_.emplace(graph);
  }

  /// Every output of the network: integers, or the floats of a float network.
  std::vector<Tensor> run(const Tensor& batch) const {
    if (integers_) return integers_->outputs(steps_of(batch));
    floats_->forward(batch);
    std::vector<Tensor> out;
    for (const graph::ValueId id : graph_.outputs()) out.push_back(floats_->read(id));
    return out;
  }

  double step(size_t output) const {
    return integers_ ? graph_.value(graph_.outputs().at(output)).type.quant->scale.at(0) : 1;
  }

  /// Real values of every output.
  std::vector<Tensor> outputs(const Tensor& batch) const {
    std::vector<Tensor> out = run(batch);
    for (size_t t = 0; integers_ && t < out.size(); ++t) out[t] = real_values(out[t], step(t));
    return out;
  }

  /// The network input first, then layers in the order of the graph.
  std::vector<LayerValues> layers(const Tensor& sample) const {
    std::vector<LayerValues> out;
    if (integers_) {
      std::map<graph::ValueId, Tensor> values = integers_->run(steps_of(sample));
      const auto add = [&](graph::ValueId id) {
        out.push_back({graph_.value(id).name + "_quantized", as_written(std::move(values.at(id)))});
      };
      add(graph_.inputs().at(0));
      for (const graph::NodeId id : graph_.schedule())
        for (const graph::ValueId value : graph_.node(id).outputs) add(value);
      return out;
    }
    compute::Executor executor(graph_, {.backend = compute::Backend::Reference});
    executor.forward(sample);
    for (const graph::NodeId id : graph_.schedule())
      for (const graph::ValueId value : graph_.node(id).outputs)
        out.push_back({graph_.value(value).name, executor.read(value)});
    return out;
  }

 private:
  Tensor steps_of(const Tensor& batch) const {
    return quantize::quantize_input(batch, *graph_.value(graph_.inputs().at(0)).type.quant);
  }

  /// Signed integers of a QDQ model lie 128 higher (onnx::zero_point).
  Tensor as_written(Tensor tensor) const {
    if (form_ != Form::Qdq || tensor.dtype() != DataType::I8) return tensor;
    Tensor out(tensor.shape(), DataType::U8, tensor.layout());
    std::transform(tensor.span<int8_t>().begin(), tensor.span<int8_t>().end(), out.span<uint8_t>().begin(),
                   [](int8_t q) { return static_cast<uint8_t>(q + 128); });
    return out;
  }

  const graph::Graph& graph_;
  Form form_;
  std::optional<compute::IntegerExecutor> integers_;
  mutable std::optional<compute::Executor> floats_;
};

/// Samples one behind the other.
Tensor joined(const std::vector<Tensor>& parts) {
  const Shape& one = parts.at(0).shape();
  int64_t count = 0;
  for (const Tensor& part : parts) count += part.shape().n();
  Tensor out(one.with_batch(count), parts[0].dtype());
  auto* to = static_cast<std::byte*>(out.raw());
  for (const Tensor& part : parts) {
    std::memcpy(to, part.raw(), static_cast<size_t>(part.bytes()));
    to += part.bytes();
  }
  return out;
}

std::string stimulus_name(size_t index, size_t count) {
  return fmt::format("env{:0{}}", index, std::to_string(count - 1).size());
}

std::string classes_text(const Stimulus& stimulus) {
  std::vector<std::string> targets;
  for (const auto& classes : stimulus.expected)
    targets.push_back(classes.empty() ? "input" : fmt::format("{}", fmt::join(classes, ",")));
  return join(targets, ";");
}

void write_stimuli(std::span<const Stimulus> stimuli, FileTree& tree) {
  std::string list;
  for (size_t i = 0; i < stimuli.size(); ++i) {
    const std::string path = "stimuli/" + stimulus_name(i, stimuli.size()) + ".npy";
    tree.write(path, npy(stimuli[i].input));
    list += fmt::format("{} {} {}\n", path, classes_text(stimuli[i]), stimuli[i].name);
  }
  tree.write("stimuli.list", list);
}

/// reference/output_<target>.npy: the real values of each output for all stimuli.
void write_outputs(const Peer& peer, std::span<const Stimulus> stimuli, FileTree& tree) {
  constexpr size_t kBatch = 64;
  std::vector<std::vector<Tensor>> targets;
  for (size_t first = 0; first < stimuli.size(); first += kBatch) {
    std::vector<Tensor> batch;
    for (size_t i = first; i < std::min(stimuli.size(), first + kBatch); ++i)
      batch.push_back(stimuli[i].input);
    std::vector<Tensor> outputs = peer.outputs(joined(batch));
    targets.resize(outputs.size());
    for (size_t t = 0; t < outputs.size(); ++t) targets[t].push_back(std::move(outputs[t]));
  }
  for (size_t t = 0; t < targets.size(); ++t)
    tree.write(fmt::format("reference/output_{}.npy", t), npy(joined(targets[t])));
}

/// reference/<stimulus>/<nnn>.npy, and which tensor nnn is.
void write_references(const Peer& peer, std::span<const Stimulus> stimuli, int wanted, FileTree& tree) {
  std::string list;
  for (size_t i = 0; i < std::min(stimuli.size(), static_cast<size_t>(wanted)); ++i) {
    const std::vector<LayerValues> layers = peer.layers(stimuli[i].input);
    list.clear();
    for (size_t l = 0; l < layers.size(); ++l) {
      const std::string file = fmt::format("{:03}.npy", l);
      tree.write("reference/" + stimulus_name(i, stimuli.size()) + "/" + file, npy(layers[l].values));
      list += fmt::format("{} {}\n", file, layers[l].tensor);
    }
  }
  if (!list.empty()) tree.write("reference/tensors.txt", list);
}

class ModelBuild final : public Build {
 public:
  ModelBuild(graph::Graph graph, std::vector<Output> outputs, const Request& request,
             const Parameters& parameters)
      : graph_(std::move(graph)),
        outputs_(std::move(outputs)),
        parameters_(parameters),
        form_(form_of(request, parameters)),
        model_(n2d2::onnx::write_model(graph_, {form_, N2D2_VERSION, parameters.operator_set})),
        peer_(graph_, form_) {}

  std::string summary() const override {
    return fmt::format("model.onnx: {:.2f} KiB\n", static_cast<double>(model_.size()) / 1024);
  }
  bool runs() const override { return true; }
  std::vector<Tensor> run(const Tensor& batch) const override { return peer_.run(batch); }
  double step(size_t output) const override { return peer_.step(output); }

  void write(const exporter::Samples& samples, FileTree& tree) const override {
    const std::span<const Stimulus> stimuli = samples.stimuli;
    tree.write("model.onnx", model_);
    tree.write("README.md", readme(graph_, outputs_, form_, parameters_.operator_set));
    for (const auto& [path, content] : exporter::graph_files(graph_)) tree.write(path, content);
    write_stimuli(stimuli, tree);
    if (parameters_.reference_stimuli == 0) return;
    write_outputs(peer_, stimuli, tree);
    write_references(peer_, stimuli, parameters_.reference_stimuli, tree);
  }

 private:
  graph::Graph graph_;
  std::vector<Output> outputs_;
  Parameters parameters_;
  Form form_;
  std::string model_;
  Peer peer_;  ///< of graph_
};

class ModelExport final : public Export {
 public:
  ModelExport(const Request& request, const Parameters& parameters)
      : Export(request), parameters_(parameters) {}

  std::vector<std::string_view> pipeline(Stage stage) const override {
    auto names = Export::pipeline(stage);
    if (!request().is_integer()) {
      std::erase(names, "remove_terminal_softmax");
      std::erase(names, "lower_deconv");  // a runtime has transposed convolutions
    }
    return names;
  }
  bool refuses(const graph::Graph& graph, const graph::Node& node, Diagnostics& findings) const override {
    const std::optional<QuantParams>& out = graph.value(node.outputs.at(0)).type.quant;
    if (request().is_integer() && out && out->bits > request().bits) {
      findings.error(node.origin,
                     fmt::format("export ONNX: {}: its output has {} bits, the model {}", subject(node),
                                 out->bits, request().bits),
                     "a graph that was quantized for '-export ONNX', or with OutputNbBits=8");
      return true;
    }
    const std::optional<QuantParams>& in = graph.value(node.inputs.at(0)).type.quant;
    const bool is_plain = takes_zero_points() && in && in->zero_point == std::floor(in->zero_point);
    if (in && in->zero_point != 0 && !is_plain) {
      findings.error(node.origin,
                     fmt::format("export ONNX: {}: '{}' has a zero point that is no integer of a QDQ model",
                                 subject(node), graph.value(node.inputs[0]).name),
                     "a graph that was quantized for '-export ONNX', or with InputZeroPoint=0");
      return true;
    }
    return n2d2::onnx::find_without_form(graph, node, findings);
  }
  bool takes_zero_points() const override {
    return form_of(request(), parameters_) == Form::Qdq && request().bits == kBitsOfByte;
  }
  bool has_plain_zero_points() const override { return true; }
  std::unique_ptr<const Build> build(graph::Graph graph, std::vector<Output> outputs) const override {
    return std::make_unique<ModelBuild>(std::move(graph), std::move(outputs), request(), parameters_);
  }

 private:
  Parameters parameters_;
};

class Onnx final : public Target {
 public:
  std::string_view summary() const override { return "an ONNX model: QDQ, float or fake quantization"; }
  std::vector<ParameterTable> parameters() const override {
    return {{"", is_global_section, describe_fields<Parameters>()}};
  }
  std::unique_ptr<const Export> configure(const ParameterSections& sections, const Request& request,
                                          Diagnostics& findings) const override {
    Parameters parameters;
    for (const auto& [name, keys] : sections)
      if (name.empty()) read(parameters, *keys, findings);
    judge(request, parameters, findings);
    return std::make_unique<ModelExport>(request, parameters);
  }

 private:
  static void read(Parameters& parameters, const KeySource& keys, Diagnostics& findings) {
    read_fields(parameters, keys, findings);
    if (!parameters.implicit_casting)
      findings.error(keys.find("ImplicitCasting")->where,
                     fmt::format("{} ImplicitCasting: expected 1, got '0'", keys.subject()),
                     "QuantizeLinear and DequantizeLinear change types, and FakeQuantization changes none");
    using n2d2::onnx::kWrittenOpset, n2d2::onnx::kWrittenOpsetOfFewBits;
    if (parameters.operator_set != kWrittenOpset && parameters.operator_set != kWrittenOpsetOfFewBits)
      findings.error(keys.find("OperatorSet")->where,
                     fmt::format("{} OperatorSet: expected {} or {}, got '{}'", keys.subject(), kWrittenOpset,
                                 kWrittenOpsetOfFewBits, parameters.operator_set),
                     "21 has integers of 4 and 16 bits");
  }

  static void judge(const Request& request, const Parameters& parameters, Diagnostics& findings) {
    const bool fakes = parameters.fake_quantization;
    if (fakes && !request.is_integer())
      findings.error({}, fmt::format("FakeQuantization=1: -nbbits {} has no integers", request.bits),
                     "-nbbits 8");
    if (request.bits == -16)
      findings.error({}, "-export ONNX -nbbits -16: the model is written with floats of 32 bits",
                     "-nbbits -32");
    const bool has_words = parameters.operator_set >= n2d2::onnx::kWrittenOpsetOfFewBits;
    if (request.is_integer() && !fakes && !has_words && request.bits > 8)
      findings.error({},
                     fmt::format("-export ONNX -nbbits {}: QuantizeLinear of operator set {} has 8 bits",
                                 request.bits, n2d2::onnx::kWrittenOpset),
                     "-nbbits 8, or OperatorSet=21 or FakeQuantization=1 in the export parameters");
    if (!findings.has_errors() && request.is_integer() && request.rescaling != RescaleMode::FloatingPoint)
      log::notice(
          "-act-rescaling-mode {}: the ONNX model rescales in floats; a layer's integers can differ by one "
          "step from those of the score and the reference",
          ValueText<RescaleMode>::print(request.rescaling));
  }
};

}  // namespace

}  // namespace n2d2::targets::onnx

namespace n2d2::targets {

void register_onnx(Targets& registry);
void register_onnx(Targets& registry) {
  registry.add("ONNX", std::make_shared<onnx::Onnx>());
}

}  // namespace n2d2::targets
