#include <algorithm>
#include <cctype>
#include <set>

#include "n2d2/delegates/partition.hpp"
#include "n2d2/graph/integer_form.hpp"
#include "n2d2/program/plan.hpp"

#include "blob.hpp"

extern "C" {
int N2D2_Export_loopback_init(void* handle, const void* blob, size_t size);
int N2D2_Export_loopback_execute(void* handle, const N2D2_Export_Arguments* arguments);
}

namespace n2d2::delegates {

namespace {

/// "U8".
std::string type_name(DataType type) {
  std::string out(to_string(type));
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

/// Whether the node computes with a zero point of an input.
bool reads_zero_points(const graph::Graph& graph, const graph::Node& node) {
  return graph::integer_form(graph, node).reads_zeros &&
         std::any_of(node.inputs.begin(), node.inputs.end(), [&](graph::ValueId id) {
           const TensorType& type = graph.value(id).type;
           return type.quant && type.quant->zero_point != 0;
         });
}

bool has_constant_operand(const graph::Node& node) {
  return node.op->input_role(node.inputs.size() - 1) == "operands";
}

/// What the node reads, weights among it, has as many bits as output 0.
bool has_one_width(const graph::Graph& graph, const graph::Node& node) {
  const auto bytes = [&](graph::ValueId id) { return size_bytes(graph.value(id).type.dtype); };
  const bool is_weighted = graph::integer_form(graph, node).weighted;
  for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
    const bool is_read = !graph.value(node.inputs[slot]).is_constant() || (is_weighted && slot == 1);
    if (is_read && bytes(node.inputs[slot]) != bytes(node.outputs.at(0))) return false;
  }
  return true;
}

/// What of the run time the calls of a program need.
std::vector<std::string> compile_options(const program::Program& program) {
  std::set<std::string> out{"-DN2D2_LOOPBACK_SOME"};
  for (const program::Call& call : program.calls) {
    out.insert("-DN2D2_LOOPBACK_" + std::string(call.kernel->name()));
    out.insert("-DN2D2_LOOPBACK_" + type_name(program.view(call.in.at(0)).type) + "_" +
               type_name(program.view(call.out.at(0)).type));
    out.insert(has_multipliers(program.node(call)) ? "-DN2D2_LOOPBACK_MULTIPLIERS"
                                                   : "-DN2D2_LOOPBACK_FACTORS");
    if (call.in.size() > 2) out.insert("-DN2D2_LOOPBACK_OPERANDS");
  }
  return {out.begin(), out.end()};
}

/// Takes what the kernels of the target take, plans it for itself, and interprets the plan with those
/// kernels.
class Loopback final : public DelegateBase<Loopback> {
 public:
  static constexpr const char* kId = "loopback";
  std::vector<std::string> layers;
  bool copy_blob = false;

  template <class V>
  static void fields(V&& v) {
    v("Layers", &Loopback::layers, help("names of the layers it takes; empty: all it can"));
    v("CopyBlob", &Loopback::copy_blob, help("init copies the blob, which may be overwritten afterwards"));
  }

  std::vector<NodeSet> partition(const graph::Graph& graph, const program::KernelLibrary& kernels,
                                 std::span<const NodeSet> taken) const override {
    return regions_of_layers(graph, taken, kId, layers, [&](const graph::Node& node) -> std::string {
      std::string reasons;
      const auto* kernel = kernels.choose(graph, node, reasons);
      if (kernel == nullptr) return reasons;
      if (!is_in_loopback(kernel->name())) return fmt::format("it does not know '{}'", kernel->name());
      if (kernel->name() == "sum" && node.inputs.size() > most_summands())
        return fmt::format("it adds up to {} inputs", most_summands());
      if (node.rescale && node.rescale->start != 0) return "its blob has no word for where a sum starts";
      if (reads_zero_points(graph, node)) return "its blob has no word for zero points";
      if (node.op->type() == "Border") return "its blob has no word for a fill";
      if (has_constant_operand(node)) return "its blob has no word for constant operands";
      for (const graph::ValueId id : node.outputs)
        if (const DataType type = graph.value(id).type.dtype;
            type == DataType::I32 || !has_one_width(graph, node))
          return fmt::format("'{}' is {}, which its blob has no word for", graph.value(id).name,
                             to_string(type));
      return "";
    });
  }

  Blob preprocess(const graph::Graph& part, const program::KernelLibrary& kernels) const override {
    std::vector<program::Output> outputs;
    for (const graph::ValueId id : part.outputs()) outputs.push_back({id, 0});
    const program::Lowering lowering(part, std::move(outputs), kernels,
                                     [](const graph::Node& node, const std::string& reasons) {
                                       throw ExportError(graph::subject(node) + ": " + reasons, node.origin);
                                     });
    const program::Program program = program::plan(lowering, {}, "delegate 'loopback'").program;
    Blob out;
    out.bytes = blob_of(program, copy_blob);
    out.scratch = program.memories.front().peak;
    out.handle = handle_bytes(copy_blob ? static_cast<Bytes>(out.bytes.size()) : 0);
    out.lasts = !copy_blob;
    out.compile_options = compile_options(program);
    for (size_t cell = 0; cell < program.cells.size(); ++cell)
      out.layers[static_cast<int>(cell)] = {program.cells[cell].name};
    return out;
  }

  Functions functions() const override {
    return {N2D2_Export_loopback_init, N2D2_Export_loopback_execute, nullptr};
  }
};

}  // namespace

void register_loopback(DelegateRegistry& registry);
void register_loopback(DelegateRegistry& registry) {
  register_delegate<Loopback>(registry);
}

}  // namespace n2d2::delegates
