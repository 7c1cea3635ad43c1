#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "n2d2/base/log.hpp"
#include "n2d2/compute/executor.hpp"
#include "n2d2/compute/integer.hpp"
#include "n2d2/export/file_tree.hpp"
#include "n2d2/export/graph_files.hpp"
#include "n2d2/export/npy.hpp"
#include "n2d2/onnx/writer.hpp"
#include "n2d2/quantize/options.hpp"
#include "n2d2/quantize/quantize_graph.hpp"

#include "../export_steps.hpp"
#include "../files.hpp"
#include "../score.hpp"
#include "onnx_readme.hpp"

#ifndef N2D2_VERSION
#error "N2D2_VERSION comes from CMake"
#endif

namespace n2d2::app {

namespace {

onnx::Form form_of(const exporter::Options& settings) {
  if (settings.bits < 0) return onnx::Form::Float;
  return settings.parameters.onnx.fake_quantization ? onnx::Form::FakeQuantization : onnx::Form::Qdq;
}

void check(const Options& o, const exporter::Options& settings) {
  const bool fakes = settings.parameters.onnx.fake_quantization;
  Diagnostics diagnostics;
  if (fakes && !o.is_integer())
    diagnostics.error({}, fmt::format("FakeQuantization=1: -nbbits {} has no integers", o.nb_bits),
                      "-nbbits 8");
  if (o.is_integer() && !fakes && o.nb_bits > 8)
    diagnostics.error({},
                      fmt::format("-export ONNX -nbbits {}: QuantizeLinear of operator set {} has 8 bits",
                                  o.nb_bits, onnx::kWrittenOpset),
                      "-nbbits 8, or FakeQuantization=1 in the export parameters");
  diagnostics.finish<ConfigError>();
  if (o.is_integer() && quantize::rescale_mode(o.rescaling) != RescaleMode::FloatingPoint)
    log::notice(
        "-act-rescaling-mode {}: the ONNX model rescales in floats; a layer's integers can differ by one "
        "step from those of the score and the reference",
        o.rescaling);
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

/// The same network in process: scores, and reference values of every layer.
class Peer {
 public:
  explicit Peer(const ExportJob& job) : job_(job) {
    if (form_of(job.settings) != onnx::Form::Float) integers_.emplace(job.net.graph);
  }

  void score() const {
    if (!integers_) return score_network(job_.net, job_.options);
    score_export(job_.net,
                 {[&](const Tensor& batch) { return integers_->outputs(steps_of(batch)); },
                  [&](size_t target) { return scale_of(target); }},
                 job_.options);
  }

  /// Real values of every output of the network: one tensor a target.
  std::vector<Tensor> outputs(const Tensor& batch) const {
    if (!integers_) return float_outputs(batch);
    std::vector<Tensor> out = integers_->outputs(steps_of(batch));
    for (size_t t = 0; t < out.size(); ++t) out[t] = real_values(out[t], scale_of(t));
    return out;
  }

  /// The network input first, then layers in the order of the graph.
  std::vector<LayerValues> layers(const Tensor& sample) const {
    const graph::Graph& graph = job_.net.graph;
    std::vector<LayerValues> out;
    if (integers_) {
      std::map<graph::ValueId, Tensor> values = integers_->run(steps_of(sample));
      const auto add = [&](graph::ValueId id) {
        out.push_back({graph.value(id).name + "_quantized", as_written(std::move(values.at(id)))});
      };
      add(graph.inputs().at(0));
      for (const graph::NodeId id : graph.schedule()) add(graph.node(id).outputs.at(0));
      return out;
    }
    compute::Executor executor(graph, {.backend = compute::Backend::Reference, .seed = job_.net.seed});
    executor.forward(sample);
    for (const graph::NodeId id : graph.schedule()) {
      const graph::ValueId value = graph.node(id).outputs.at(0);
      out.push_back({graph.value(value).name, executor.read(value)});
    }
    return out;
  }

 private:
  Tensor steps_of(const Tensor& batch) const {
    return quantize::quantize_input(batch, *job_.net.graph.value(job_.net.graph.inputs().at(0)).type.quant);
  }

  double scale_of(size_t target) const {
    return job_.net.graph.value(job_.net.graph.outputs().at(target)).type.quant->scale.at(0);
  }

  /// Signed integers of a QDQ model lie 128 higher (onnx::zero_point).
  Tensor as_written(Tensor tensor) const {
    if (form_of(job_.settings) != onnx::Form::Qdq || tensor.dtype() != DataType::I8) return tensor;
    Tensor out(tensor.shape(), DataType::U8, tensor.layout());
    std::transform(tensor.span<int8_t>().begin(), tensor.span<int8_t>().end(), out.span<uint8_t>().begin(),
                   [](int8_t q) { return static_cast<uint8_t>(q + 128); });
    return out;
  }

  std::vector<Tensor> float_outputs(const Tensor& batch) const {
    const graph::Graph& graph = job_.net.graph;
    compute::Executor executor(graph, {.backend = compute::Backend::OneDnn, .seed = job_.net.seed});
    executor.forward(batch);
    std::vector<Tensor> out;
    for (const graph::ValueId id : graph.outputs()) out.push_back(executor.read(id));
    return out;
  }

  const ExportJob& job_;
  std::optional<compute::IntegerExecutor> integers_;
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

std::string classes_text(const exporter::Stimulus& stimulus) {
  std::vector<std::string> targets;
  for (const auto& classes : stimulus.expected) targets.push_back(fmt::format("{}", fmt::join(classes, ",")));
  return join(targets, ";");
}

void write_stimuli(const std::vector<exporter::Stimulus>& stimuli, exporter::FileTree& tree) {
  std::string list;
  for (size_t i = 0; i < stimuli.size(); ++i) {
    const std::string path = "stimuli/" + stimulus_name(i, stimuli.size()) + ".npy";
    tree.write(path, exporter::npy(stimuli[i].input));
    list += fmt::format("{} {} {}\n", path, classes_text(stimuli[i]), stimuli[i].name);
  }
  tree.write("stimuli.list", list);
}

/// reference/output_<target>.npy: the real values of each output for all stimuli.
void write_outputs(const Peer& peer, const std::vector<exporter::Stimulus>& stimuli,
                   exporter::FileTree& tree) {
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
    tree.write(fmt::format("reference/output_{}.npy", t), exporter::npy(joined(targets[t])));
}

/// reference/<stimulus>/<nnn>.npy, and which tensor nnn is.
void write_references(const Peer& peer, const std::vector<exporter::Stimulus>& stimuli, int wanted,
                      exporter::FileTree& tree) {
  std::string list;
  for (size_t i = 0; i < std::min(stimuli.size(), static_cast<size_t>(wanted)); ++i) {
    const std::vector<LayerValues> layers = peer.layers(stimuli[i].input);
    list.clear();
    for (size_t l = 0; l < layers.size(); ++l) {
      const std::string file = fmt::format("{:03}.npy", l);
      tree.write("reference/" + stimulus_name(i, stimuli.size()) + "/" + file,
                 exporter::npy(layers[l].values));
      list += fmt::format("{} {}\n", file, layers[l].tensor);
    }
  }
  if (!list.empty()) tree.write("reference/tensors.txt", list);
}

void export_onnx(const ExportJob& job) {
  const loader::Network& net = job.net;
  const onnx::Form form = form_of(job.settings);
  exporter::ExtraFiles files =
      prepare_graph(job, form == onnx::Form::Float ? Ending::Softmax : Ending::Scores);
  const std::string model = onnx::write_model(net.graph, {form, N2D2_VERSION});
  const Peer peer(job);
  if (job.options.test || job.options.learns()) peer.score();
  const std::vector<exporter::Stimulus> stimuli = export_stimuli(net, job.options);
  const std::string folder = exporter::folder_name(job.settings.type, job.settings.bits);
  exporter::FileTree tree(folder);
  tree.write("model.onnx", model);
  tree.write("README.md", onnx_readme(net, form));
  tree.write("statistics/transformations/transformations.dot", net.data->describe());
  for (auto& file : exporter::graph_files(net.graph)) files.push_back(std::move(file));
  for (const auto& [path, content] : files) tree.write(path, content);
  write_stimuli(stimuli, tree);
  if (job.settings.parameters.reference_stimuli > 0) {
    write_outputs(peer, stimuli, tree);
    write_references(peer, stimuli, job.settings.parameters.reference_stimuli, tree);
  }
  tree.commit();
  print(fmt::format("Exported to '{}' with {} stimuli: model.onnx has {:.2f} KiB\n", folder, stimuli.size(),
                    static_cast<double>(model.size()) / 1024));
}

}  // namespace

void register_onnx(ExportModules& registry);
void register_onnx(ExportModules& registry) {
  registry.add("ONNX", {"an ONNX model: QDQ, float or fake quantization", check, export_onnx});
}

}  // namespace n2d2::app
