#include "integer_chains.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "n2d2/base/log.hpp"

#include "integer_chain.hpp"
#include "integer_nodes.hpp"

namespace n2d2::onnx {

namespace {

/// Integers up to here are exact in float32 and in double with all that is made of them here.
constexpr double kMostWhole = 0x1p40;
/// Weights beyond 8 bits are left as reals.
constexpr double kMostWeight = 128;

bool is_whole(double x) {
  return std::abs(x) <= kMostWhole && x == std::floor(x);
}

bool all_whole(const Array& array) {
  for (int64_t i = 0; i < array.size(); ++i)
    if (!is_whole(array.at(i))) return false;
  return true;
}

using Names = std::set<std::string, std::less<>>;

/// A tensor of whole numbers: inputs of the file that they are moved from, and its channels, 0 where they are
/// not known.
struct Whole {
  Names inputs;
  int64_t channels = 0;
};

class IntegerChains {
 public:
  explicit IntegerChains(File& file) : file_(file) {
    for (size_t i = 0; i < file.nodes.size(); ++i) {
      for (const std::string& output : file.nodes[i].outputs) maker_[output] = i;
      for (const std::string& input : file.nodes[i].read()) readers_[input].push_back(i);
    }
    for (const std::string& output : file.outputs) kept_.insert(output);
    for (const GraphInput& input : file.inputs)
      if (!input.grid) whole_[input.name] = {{input.name}, input.dims.size() > 1 ? input.dims[1] : 0};
  }

  void run() {
    std::vector<Chain> chains;
    for (size_t i = 0; i < file_.nodes.size(); ++i) {
      if (!file_.nodes[i].domain.empty()) continue;
      const std::optional<Chain> chain = file_.nodes[i].type == "Clip" ? chain_to(i) : std::nullopt;
      if (chain) chains.push_back(*chain);
      const std::optional<Whole> from = chain ? Whole{{}, channels_of(*chain)} : moved(file_.nodes[i]);
      for (const std::string& output : file_.nodes[i].outputs)
        if (from) whole_[output] = *from;
    }
    if (chains.empty()) return;
    for (const Chain& chain : chains)
      for (const std::string& name : chain.parts) read_inputs_of(name);
    for (const Chain& chain : chains) done_.insert(chain.layer.node);
    for (size_t i = 0; i < file_.nodes.size(); ++i)
      if (const auto layer = weighted(i); layer && !done_.contains(i) && reads_whole(*layer)) {
        read_inputs_of(file_.nodes[i].inputs.at(0));
        set_weights(file_, *layer, {1}, 1);
      }
    settle_all(chains);
    for (const Chain& chain : chains) write(chain);
    put_in_place();
    for (GraphInput& input : file_.inputs)
      if (inputs_.contains(input.name)) read_bytes(file_, input);
    tell(chains);
  }

 private:
  // ---- what a tensor is ----------------------------------------------------------------------------------

  ArrayPtr constant(const std::string& name) const {
    if (const auto found = file_.initializers.find(name); found != file_.initializers.end())
      return found->second;
    const auto maker = maker_.find(name);
    if (maker == maker_.end() || file_.nodes[maker->second].type != "Constant") return nullptr;
    const auto& attributes = file_.nodes[maker->second].attributes;
    if (const auto value = attributes.find("value"); value != attributes.end()) return value->second.tensor;
    const auto real = attributes.find("value_float");
    if (real == attributes.end()) return nullptr;
    return std::make_shared<const Array>(Array::of_reals({}, {real->second.real}));
  }

  bool is_read_once(const std::string& name) const {
    const auto found = readers_.find(name);
    return !kept_.contains(name) && found != readers_.end() && found->second.size() == 1;
  }

  static bool has_other_than(const FileNode& node, std::string_view name, double only) {
    const auto found = node.attributes.find(name);
    if (found == node.attributes.end()) return false;
    return found->second.kind == Attribute::Kind::Real ? static_cast<double>(found->second.real) != only
                                                       : static_cast<double>(found->second.integer) != only;
  }

  /// A layer whose weights are whole numbers of at most 8 bits, as is a bias.
  std::optional<Weighted> weighted(size_t i) const {
    const FileNode& node = file_.nodes[i];
    const bool is_conv = node.type == "Conv", is_gemm = node.type == "Gemm";
    if (!node.domain.empty() || !(is_conv || is_gemm || node.type == "MatMul") || node.inputs.size() < 2)
      return std::nullopt;
    Weighted out{i, constant(node.inputs[1]), 0, 2};
    if (!out.weights || out.weights->is_integer || !out.weights->steps.empty() || out.weights->size() == 0 ||
        out.weights->dims.size() < 2)
      return std::nullopt;
    const auto fits = [](float w) { return is_whole(w) && -kMostWeight <= w && w < kMostWeight; };
    if (!std::all_of(out.weights->reals.begin(), out.weights->reals.end(), fits)) return std::nullopt;
    if (is_conv) out.rank = out.weights->dims.size();
    if (!is_conv && out.weights->dims.size() != 2) return std::nullopt;
    if (is_gemm && (has_other_than(node, "alpha", 1) || has_other_than(node, "beta", 1))) return std::nullopt;
    if (is_gemm && has_other_than(node, "transA", 0)) return std::nullopt;
    if (!is_conv) out.axis = is_gemm && has_other_than(node, "transB", 0) ? 0 : 1;
    if (node.inputs.size() > 2 && !node.inputs[2].empty() && !biases(node, out.outputs()))
      return std::nullopt;
    return out;
  }

  /// Whole numbers, one for each output.
  std::optional<Row> biases(const FileNode& node, int64_t outputs) const {
    if (node.inputs.size() < 3 || node.inputs[2].empty()) return Row(static_cast<size_t>(outputs), 0);
    const ArrayPtr array = constant(node.inputs[2]);
    if (!array || array->is_integer || !all_whole(*array)) return std::nullopt;
    if (array->size() != 1 && array->size() != outputs) return std::nullopt;
    Row out;
    for (int64_t o = 0; o < outputs; ++o) out.push_back(array->at(array->size() == 1 ? 0 : o));
    return out;
  }

  bool reads_whole(const Weighted& layer) const {
    return whole_.contains(file_.nodes[layer.node].inputs.at(0));
  }

  void read_inputs_of(const std::string& name) {
    const Names& names = whole_.find(name)->second.inputs;
    inputs_.insert(names.begin(), names.end());
  }

  int64_t channels_of(const Chain& chain) const {
    return chain.kind == Chain::Kind::Sum ? whole_.find(chain.parts[0])->second.channels
                                          : chain.layer.outputs();
  }

  /// Whether the value of a border is a whole number.
  bool pads_whole(const FileNode& node) const {
    if (has_other_than(node, "value", 0)) return false;
    if (node.inputs.size() < 3 || node.inputs[2].empty()) return true;
    const ArrayPtr value = constant(node.inputs[2]);
    return value && all_whole(*value);
  }

  /// The whole numbers that a node moves; nothing where it makes others.
  std::optional<Whole> moved(const FileNode& node) const {
    static const std::set<std::string_view> kMoving{"Concat",  "Dropout", "Flatten",   "Gather",   "Identity",
                                                    "MaxPool", "Pad",     "Relu",      "Reshape",  "Slice",
                                                    "Split",   "Squeeze", "Transpose", "Unsqueeze"};
    static const std::set<std::string_view> kKeeping{"Dropout", "Identity", "MaxPool", "Relu"};
    if (!kMoving.contains(node.type) || node.inputs.empty()) return std::nullopt;
    if (node.type == "Pad" && !pads_whole(node)) return std::nullopt;
    Whole out;
    for (size_t i = 0; i < (node.type == "Concat" ? node.inputs.size() : 1); ++i) {
      const auto found = whole_.find(node.inputs[i]);
      if (found == whole_.end()) return std::nullopt;
      out.inputs.insert(found->second.inputs.begin(), found->second.inputs.end());
      out.channels = kKeeping.contains(node.type) ? found->second.channels : 0;
    }
    return out;
  }

  // ---- a chain -------------------------------------------------------------------------------------------

  /// The numbers of a constant next to a tensor of this rank; nothing where they vary over another axis than
  /// the channels.
  std::optional<Row> row_of(const std::string& name, const Weighted& layer) const {
    const ArrayPtr array = constant(name);
    if (!array || array->size() == 0) return std::nullopt;
    Row out;
    for (int64_t i = 0; i < array->size(); ++i) out.push_back(array->at(i));
    if (out.size() == 1) return out;
    if (array->dims.size() > layer.rank) return std::nullopt;
    const size_t before = layer.rank - array->dims.size();
    for (size_t i = 0; i < array->dims.size(); ++i)
      if (array->dims[i] != (i + before == 1 ? layer.outputs() : 1)) return std::nullopt;
    return out;
  }

  /// A bound of Clip.
  std::optional<double> bound(const FileNode& clip, std::string_view attribute, size_t slot) const {
    if (const auto found = clip.attributes.find(attribute); found != clip.attributes.end())
      return found->second.kind == Attribute::Kind::Real ? std::optional<double>(found->second.real)
                                                         : std::nullopt;
    if (slot >= clip.inputs.size() || clip.inputs[slot].empty()) return std::nullopt;
    const ArrayPtr array = constant(clip.inputs[slot]);
    return array && array->size() == 1 ? std::optional(array->at(0)) : std::nullopt;
  }

  static Row joined(const Row& a, const Row& b, const std::function<double(double, double)>& join) {
    Row out;
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) out.push_back(join(at(a, i), at(b, i)));
    return out;
  }

  /// A layer of whole weights, an average or a sum that is to be rounded.
  std::optional<Chain> source(size_t i) const {
    const FileNode& node = file_.nodes[i];
    Chain out;
    if (const auto layer = weighted(i); layer && reads_whole(*layer))
      out.layer = *layer;
    else if (const auto average = averaging(i))
      out.kind = Chain::Kind::Average, out.layer = *average,
      out.divisor = static_cast<double>(average->weights->dims[2] * average->weights->dims[3]);
    else
      return is_affine(node) && node.type == "Add" ? sum(i) : std::nullopt;
    out.parts = {node.inputs.at(0)};
    return out;
  }

  /// Two tensors of whole numbers, each times a whole number.
  std::optional<Chain> sum(size_t i) const {
    Chain out;
    out.kind = Chain::Kind::Sum, out.layer.node = i;
    for (std::string name : file_.nodes[i].inputs) {
      double weight = 1;
      for (auto found = whole_.find(name); found == whole_.end(); found = whole_.find(name)) {
        const auto maker = maker_.find(name);
        if (maker == maker_.end() || !is_read_once(name)) return std::nullopt;
        const FileNode& node = file_.nodes[maker->second];
        if (!is_affine(node) || node.type != "Mul") return std::nullopt;
        const size_t slot = constant(node.inputs[0]) ? 1 : 0;
        const ArrayPtr factor = constant(node.inputs[1 - slot]);
        if (!factor || factor->size() != 1 || !is_whole(factor->at(0))) return std::nullopt;
        weight *= factor->at(0);
        out.before.push_back(maker->second);
        name = node.inputs[slot];
      }
      out.parts.push_back(name), out.weights.push_back(weight);
    }
    return out;
  }

  /// An average over windows as a layer of ones for each channel.
  std::optional<Weighted> averaging(size_t i) const {
    constexpr int64_t kMostTaps = 1 << 12, kMostChannels = 1 << 12;
    const FileNode& node = file_.nodes[i];
    if (!node.domain.empty() || node.inputs.empty()) return std::nullopt;
    const auto whole = whole_.find(node.inputs[0]);
    if (whole == whole_.end() || whole->second.channels < 1 || whole->second.channels > kMostChannels)
      return std::nullopt;
    Extents window;
    if (node.type == "GlobalAveragePool") {
      const auto declared = file_.declared.find(node.inputs[0]);
      if (declared != file_.declared.end() && declared->second.dims.size() == 4)
        window.assign(declared->second.dims.begin() + 2, declared->second.dims.end());
    } else if (node.type == "AveragePool") {
      const auto counts = node.attributes.find("count_include_pad"), pads = node.attributes.find("pads");
      const bool has_pads = pads != node.attributes.end() &&
                            std::any_of(pads->second.integers.begin(), pads->second.integers.end(),
                                        [](int64_t pad) { return pad != 0; });
      const bool counts_all = counts != node.attributes.end() && counts->second.integer == 1;
      if (node.attributes.contains("auto_pad") || has_other_than(node, "ceil_mode", 0) ||
          node.attributes.contains("dilations") || (has_pads && !counts_all))
        return std::nullopt;
      if (const auto kernel = node.attributes.find("kernel_shape"); kernel != node.attributes.end())
        window = kernel->second.integers;
    }
    if (window.size() != 2 || window[0] < 1 || window[1] < 1 || window[0] > kMostTaps ||
        window[1] > kMostTaps / window[0])
      return std::nullopt;
    const Extents dims{whole->second.channels, 1, window[0], window[1]};
    std::vector<float> ones(static_cast<size_t>(elements_of(dims)), 1);
    return Weighted{i, std::make_shared<const Array>(Array::of_reals(dims, std::move(ones))), 0, 4};
  }

  /// What is rounded, and the nodes between it and a Clip, of which the last is a Floor. A sum of whole
  /// numbers needs none.
  std::optional<Chain> chain_to(size_t clip) const {
    const FileNode& end = file_.nodes[clip];
    if (end.inputs.empty() || end.outputs.empty() || end.outputs[0].empty()) return std::nullopt;
    const auto lowest = bound(file_.nodes[clip], "min", 1), highest = bound(file_.nodes[clip], "max", 2);
    if (!lowest || !highest || !is_whole(*lowest) || !is_whole(*highest) || *lowest >= *highest)
      return std::nullopt;
    std::vector<size_t> back{clip};
    std::string name = file_.nodes[clip].inputs.at(0);
    const auto step = [&]() -> const FileNode* {
      const auto maker = maker_.find(name);
      if (name.empty() || maker == maker_.end() || !is_read_once(name)) return nullptr;
      back.push_back(maker->second);
      return &file_.nodes[maker->second];
    };
    const FileNode* node = step();
    const bool floors = node != nullptr && node->domain.empty() && node->type == "Floor";
    if (floors) name = node->inputs.empty() ? "" : node->inputs[0], node = step();
    for (; node != nullptr; node = step()) {
      if (std::optional<Chain> chain = source(back.back())) {
        back.pop_back();
        std::reverse(back.begin(), back.end());
        chain->nodes = back;
        chain->lowest = *lowest, chain->highest = *highest;
        return read_factors(*chain) && (floors || is_plain_sum(*chain)) ? chain : std::nullopt;
      }
      const size_t slot = node->inputs.size() == 2 && constant(node->inputs[0]) ? 1 : 0;
      if (!is_affine(*node) || !constant(node->inputs[1 - slot])) return std::nullopt;
      if (slot == 1 && (node->type == "Div" || node->type == "Sub")) return std::nullopt;
      name = node->inputs[slot];
    }
    return std::nullopt;
  }

  /// A sum of integers that other chains made.
  bool is_plain_sum(const Chain& chain) const {
    return chain.kind == Chain::Kind::Sum && chain.divisor == 1 &&
           std::all_of(chain.parts.begin(), chain.parts.end(),
                       [&](const std::string& name) { return whole_.find(name)->second.inputs.empty(); });
  }

  static bool is_affine(const FileNode& node) {
    static const std::set<std::string_view> kTypes{"Add", "Div", "Mul", "Sub"};
    return node.domain.empty() && kTypes.contains(node.type) && node.inputs.size() == 2;
  }

  bool read_factors(Chain& chain) const {
    for (const size_t i : chain.nodes) {
      const FileNode& node = file_.nodes[i];
      if (!is_affine(node)) break;  // the Floor
      const std::string& name = node.inputs[constant(node.inputs[0]) ? 0 : 1];
      const std::optional<Row> row = row_of(name, chain.layer);
      const bool is_one = chain.kind != Chain::Kind::Sum || (row && row->size() == 1);
      if (!row || !is_one || !apply(chain, node.type, *row)) return false;
    }
    return std::all_of(chain.factor.begin(), chain.factor.end(), is_whole) &&
           std::all_of(chain.offset.begin(), chain.offset.end(), is_whole) && chain.divisor <= kMostWhole;
  }

  static bool apply(Chain& chain, const std::string& type, const Row& row) {
    const double one = row[0];
    const auto times = [](double a, double b) { return a * b; };
    if (type == "Div" || (type == "Mul" && row.size() == 1 && one > 0 && one < 1)) {
      const double divisor = type == "Div" ? one : 1 / one;
      if (row.size() != 1 || !(divisor >= 1) || !is_whole(divisor)) return false;
      chain.divisor *= divisor;
    } else if (type == "Mul") {
      chain.factor = joined(chain.factor, row, times), chain.offset = joined(chain.offset, row, times);
    } else {
      const double unit = type == "Sub" ? -chain.divisor : chain.divisor;
      chain.offset = joined(chain.offset, row, [&](double a, double b) { return a + b * unit; });
    }
    return true;
  }

  // ---- what becomes of it --------------------------------------------------------------------------------

  /// All integers come from chains and from inputs, which are bytes.
  void settle_all(std::vector<Chain>& chains) const {
    constexpr double kMostByte = 255;
    double most = kMostByte;
    for (const Chain& chain : chains)
      most = std::max({most, std::abs(chain.lowest), std::abs(chain.highest)});
    for (Chain& chain : chains) {
      if (chain.kind == Chain::Kind::Sum) continue;  // their offset has the unit of products
      const bool is_layer = chain.kind == Chain::Kind::Layer;
      settle(chain, is_layer ? *biases(file_.nodes[chain.layer.node], chain.layer.outputs()) : Row{0}, most);
    }
  }

  void write(const Chain& chain) {
    const FileNode clip = file_.nodes[chain.nodes.back()];
    behind_[chain.layer.node] = write_chain(file_, chain, clip);
    dropped_.insert(chain.nodes.begin(), chain.nodes.end());
    dropped_.insert(chain.before.begin(), chain.before.end());
  }

  void put_in_place() {
    std::vector<FileNode> nodes;
    for (size_t i = 0; i < file_.nodes.size(); ++i) {
      if (dropped_.contains(i)) continue;
      nodes.push_back(std::move(file_.nodes[i]));
      if (const auto found = behind_.find(i); found != behind_.end())
        nodes.insert(nodes.end(), found->second.begin(), found->second.end());
    }
    file_.nodes = std::move(nodes);
  }

  void tell(const std::vector<Chain>& chains) const {
    double moved = 0;
    int64_t exact = 0, all = 0;
    for (const Chain& chain : chains)
      for (const ChainBias& bias : chain.biases) {
        moved = std::max(moved, bias.moved);
        exact += bias.is_exact ? 1 : 0, ++all;
      }
    std::string names;
    for (const std::string& name : inputs_) names += (names.empty() ? "'" : ", '") + name + "'";
    std::string others;
    if (exact < all)
      others = fmt::format(
          "; biases in parts of their sums move results of the others by at most {:.2g} of a "
          "step before they are rounded",
          moved);
    log::notice(
        "{}: layers that compute integers in float tensors: {}; {} of {} outputs with weights are exact for "
        "all inputs{}",
        file_.path, chains.size(), exact, all, others);
    if (!names.empty()) log::notice("{}: inputs read as integers from 0 to 255: {}", file_.path, names);
  }

  File& file_;
  std::map<std::string, size_t, std::less<>> maker_;
  std::map<std::string, std::vector<size_t>, std::less<>> readers_;
  Names kept_, inputs_;
  std::map<std::string, Whole, std::less<>> whole_;
  std::set<size_t> done_, dropped_;
  std::map<size_t, std::vector<FileNode>> behind_;
};

}  // namespace

void compose_integer_chains(File& file) {
  drop_widths(file);
  const auto is_floor = [](const FileNode& node) { return node.type == "Floor"; };
  if (std::any_of(file.nodes.begin(), file.nodes.end(), is_floor)) IntegerChains(file).run();
}

}  // namespace n2d2::onnx
