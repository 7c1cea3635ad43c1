#include "output_bits.hpp"

#include "n2d2/base/log.hpp"
#include "n2d2/quantize/wide_outputs.hpp"
#include "n2d2/tensor/integer_types.hpp"

namespace n2d2::targets::cpp {

namespace {

constexpr int kBitsOfScores = 32, kMostBitsOfBytes = 8;

int wanted_bits(const graph::Graph& graph, graph::ValueId output, const Options& options) {
  if (options.parameters.output_bits != 0) return options.parameters.output_bits;
  const bool is_class = graph.value(output).type.shape.c() > 1;
  return is_class && options.bits <= kMostBitsOfBytes ? kBitsOfScores : options.bits;
}

/// Why no kernel makes such an output of the layers; "": each has one.
std::string refuses_wide(const graph::Graph& graph, const std::vector<graph::NodeId>& layers, int bits,
                         const Options& options) {
  graph::Graph trial = graph;
  const auto set = [&](graph::ValueId id, DataType dtype) {
    TensorType type = trial.value(id).type;
    type.dtype = dtype;
    trial.set_type(id, std::move(type));
  };
  for (const graph::ValueId id : trial.node(layers.front()).inputs)
    if (!trial.value(id).is_constant()) set(id, integer_type(options.bits, true));
  for (const graph::NodeId id : layers) set(trial.node(id).outputs.at(0), integer_type(bits, true));
  for (const graph::NodeId id : layers) {
    std::string reasons;
    if (options.platform.library().choose(trial, trial.node(id), reasons) == nullptr)
      return fmt::format("{}: {}", subject(trial.node(id)), reasons);
  }
  return {};
}

}  // namespace

std::vector<int> output_bits(const graph::Graph& graph, std::span<const targets::Output> outputs,
                             const Options& options) {
  std::vector<int> out;
  if (options.bits <= 0) return out;
  for (const targets::Output& output : outputs) {
    const int wanted = wanted_bits(graph, output.value, options);
    out.push_back(quantize::kAsAllOthers);
    if (wanted <= options.bits) continue;
    const quantize::WideChain chain = quantize::wide_chain(graph, output.value);
    std::string reason = chain.why_not;
    if (reason.empty()) reason = refuses_wide(graph, chain.nodes, wanted, options);
    if (reason.empty()) {
      out.back() = wanted;
      continue;
    }
    const std::string text = fmt::format("output '{}' has {} bits instead of {}: {}",
                                         graph.value(output.value).name, options.bits, wanted, reason);
    if (options.parameters.output_bits != 0)
      log::warn("OutputNbBits={}: {}", options.parameters.output_bits, text);
    else
      log::notice("{}", text);
  }
  return out;
}

std::vector<WideMap> wide_maps(const program::Program& program, int bits) {
  std::vector<WideMap> out;
  for (const program::Output& output : program.outputs) {
    const graph::Value& value = program.graph.value(output.value);
    const Shape& shape = value.type.shape;
    if (bits <= 0 || shape.h() * shape.w() == 1 || !value.type.quant || value.type.quant->bits <= bits)
      continue;
    const int64_t narrow = size_bytes(integer_type(bits, true));
    out.push_back({value.name, value.type.quant->bits, shape.elements() * size_bytes(value.type.dtype),
                   shape.elements() * narrow});
  }
  return out;
}

}  // namespace n2d2::targets::cpp
