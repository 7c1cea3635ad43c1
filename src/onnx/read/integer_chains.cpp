#include "integer_chains.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "n2d2/base/log.hpp"

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

/// One number, or one for each output.
using Row = std::vector<double>;

double at(const Row& row, size_t i) {
  return row[row.size() == 1 ? 0 : i];
}

/// A layer with weights: where its outputs are among the axes of its weights, and of what it makes.
struct Weighted {
  size_t node = 0;
  ArrayPtr weights;
  size_t axis = 0;
  size_t rank = 0;  ///< of its result
  int64_t outputs() const { return weights->dims[axis]; }
};

/// floor((k x + l) / d) of what the layer makes, within bounds.
struct Chain {
  Weighted layer;
  Row factor{1}, offset{0};
  double divisor = 1;
  double lowest = 0, highest = 0;
  std::vector<size_t> nodes;  ///< behind the layer, the Clip last
};

class Chains {
 public:
  explicit Chains(File& file) : file_(file) {
    for (size_t i = 0; i < file.nodes.size(); ++i) {
      for (const std::string& output : file.nodes[i].outputs) maker_[output] = i;
      for (const std::string& input : file.nodes[i].read()) readers_[input].push_back(i);
    }
    for (const std::string& output : file.outputs) kept_.insert(output);
    for (const GraphInput& input : file.inputs)
      if (!input.grid) whole_[input.name] = {input.name};
  }

  void run() {
    std::vector<Chain> chains;
    for (size_t i = 0; i < file_.nodes.size(); ++i) {
      if (!file_.nodes[i].domain.empty()) continue;
      const std::optional<Chain> chain = file_.nodes[i].type == "Clip" ? chain_to(i) : std::nullopt;
      if (chain) chains.push_back(*chain);
      const std::optional<Names> from = chain ? Names{} : inputs_behind(file_.nodes[i]);
      for (const std::string& output : file_.nodes[i].outputs)
        if (from) whole_[output] = *from;
    }
    if (chains.empty()) return;
    for (const Chain& chain : chains) read_inputs_of(chain.layer);
    for (const Chain& chain : chains) done_.insert(chain.layer.node);
    for (size_t i = 0; i < file_.nodes.size(); ++i)
      if (const auto layer = weighted(i); layer && !done_.contains(i) && reads_whole(*layer)) {
        read_inputs_of(*layer);
        set_weights(*layer, {1}, 1);
      }
    for (const Chain& chain : chains) write(chain);
    put_in_place();
    read_integers();
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

  void read_inputs_of(const Weighted& layer) {
    const Names& names = whole_.find(file_.nodes[layer.node].inputs.at(0))->second;
    inputs_.insert(names.begin(), names.end());
  }

  /// Inputs of the file that a node moves whole numbers of; nothing where it makes others.
  std::optional<Names> inputs_behind(const FileNode& node) const {
    static const std::set<std::string_view> kMoving{"Concat",  "Dropout", "Flatten",   "Gather",   "Identity",
                                                    "MaxPool", "Pad",     "Relu",      "Reshape",  "Slice",
                                                    "Split",   "Squeeze", "Transpose", "Unsqueeze"};
    if (!kMoving.contains(node.type) || node.inputs.empty()) return std::nullopt;
    Names out;
    for (size_t i = 0; i < (node.type == "Concat" ? node.inputs.size() : 1); ++i) {
      const auto found = whole_.find(node.inputs[i]);
      if (found == whole_.end()) return std::nullopt;
      out.insert(found->second.begin(), found->second.end());
    }
    return out;
  }

  // ---- a chain -------------------------------------------------------------------------------------------

  /// The numbers of a constant next to a tensor of this rank; nothing where they vary over another axis than
  /// the channels.
  std::optional<Row> row_of(const std::string& name, const Weighted& layer) const {
    const ArrayPtr array = constant(name);
    if (!array || array->size() == 0 || array->dims.size() > layer.rank) return std::nullopt;
    Row out;
    for (int64_t i = 0; i < array->size(); ++i) out.push_back(array->at(i));
    if (out.size() == 1) return out;
    const size_t before = layer.rank - array->dims.size();
    for (size_t i = 0; i < array->dims.size(); ++i)
      if (array->dims[i] != (i + before == 1 ? layer.outputs() : 1)) return std::nullopt;
    return out;
  }

  /// A bound of Clip.
  std::optional<double> bound(const FileNode& clip, std::string_view attribute, size_t slot) const {
    if (const auto found = clip.attributes.find(attribute); found != clip.attributes.end())
      return static_cast<double>(found->second.real);
    if (slot >= clip.inputs.size() || clip.inputs[slot].empty()) return std::nullopt;
    const ArrayPtr array = constant(clip.inputs[slot]);
    return array && array->size() == 1 ? std::optional(array->at(0)) : std::nullopt;
  }

  static Row joined(const Row& a, const Row& b, const std::function<double(double, double)>& join) {
    Row out;
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) out.push_back(join(at(a, i), at(b, i)));
    return out;
  }

  /// The layer, and the nodes between it and a Clip whose input is a Floor.
  std::optional<Chain> chain_to(size_t clip) const {
    Chain chain;
    const auto lowest = bound(file_.nodes[clip], "min", 1), highest = bound(file_.nodes[clip], "max", 2);
    if (!lowest || !highest || !is_whole(*lowest) || !is_whole(*highest) || *lowest >= *highest)
      return std::nullopt;
    chain.lowest = *lowest, chain.highest = *highest;
    std::vector<size_t> back{clip};
    std::string name = file_.nodes[clip].inputs.at(0);
    const auto step = [&]() -> const FileNode* {
      const auto maker = maker_.find(name);
      if (maker == maker_.end() || !is_read_once(name)) return nullptr;
      back.push_back(maker->second);
      return &file_.nodes[maker->second];
    };
    const FileNode* node = step();
    if (node == nullptr || !node->domain.empty() || node->type != "Floor") return std::nullopt;
    name = node->inputs.at(0);
    while ((node = step()) != nullptr) {
      if (const auto layer = weighted(back.back())) {
        back.pop_back();
        if (!reads_whole(*layer)) return std::nullopt;
        chain.layer = *layer;
        std::reverse(back.begin(), back.end());
        chain.nodes = back;
        return read_factors(chain) ? std::optional(chain) : std::nullopt;
      }
      const size_t slot = node->inputs.size() == 2 && constant(node->inputs[0]) ? 1 : 0;
      if (!is_affine(*node) || !constant(node->inputs[1 - slot])) return std::nullopt;
      if (slot == 1 && (node->type == "Div" || node->type == "Sub")) return std::nullopt;
      name = node->inputs[slot];
    }
    return std::nullopt;
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
      if (!row || !apply(chain, node.type, *row)) return false;
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

  std::string add(const std::string& name, Array array) {
    file_.initializers[name] = std::make_shared<const Array>(std::move(array));
    return name;
  }

  /// Gives the layer weights that are its integers times |k| / d, with this step, of k's sign.
  void set_weights(const Weighted& layer, const Row& factor, double divisor) {
    const Array& old = *layer.weights;
    int64_t inner = 1;
    for (size_t i = layer.axis + 1; i < old.dims.size(); ++i) inner *= old.dims[i];
    Array made = Array::of_reals(old.dims, old.reals);
    made.steps.resize(made.reals.size());
    double largest = 0;
    for (size_t i = 0; i < made.reals.size(); ++i) {
      const auto o = static_cast<size_t>(static_cast<int64_t>(i) / inner % layer.outputs());
      const double k = at(factor, o), w = k < 0 ? -old.reals[i] : old.reals[i];
      largest = std::max(largest, w < 0 ? -w : w + 1);
      made.steps[i] = static_cast<float>((k == 0 ? 1 : std::abs(k)) / divisor);
      made.reals[i] = static_cast<float>(k == 0 ? 0 : old.reals[i] * k / divisor);
    }
    made.lowest = -1, made.highest = 1;
    while (static_cast<double>(-made.lowest) < largest) made.lowest *= 2;
    made.highest = -made.lowest - 1;
    FileNode& node = file_.nodes[layer.node];
    node.inputs[1] = add(node.outputs.at(0) + "/weights", std::move(made));
  }

  /// What biases in whole units of the sums are wrong by, at most, in steps of the result.
  double error_of(const Chain& chain) const {
    double largest = 0;
    for (size_t o = 0; o < static_cast<size_t>(chain.layer.outputs()); ++o) {
      const double k = std::abs(at(chain.factor, o));
      if (k == 0) continue;
      const double bias = (at(chain.offset, o) - (chain.divisor - 1) / 2) / k;
      largest = std::max(largest, std::abs(bias - std::round(bias)) * k / chain.divisor);
    }
    return largest;
  }

  void write(const Chain& chain) {
    const FileNode clip = file_.nodes[chain.nodes.back()];
    FileNode& layer = file_.nodes[chain.layer.node];
    const std::string& name = clip.outputs.at(0);
    Row old = *biases(layer, chain.layer.outputs());
    std::vector<float> made;
    for (size_t o = 0; o < old.size(); ++o)
      made.push_back(static_cast<float>(
          (old[o] * at(chain.factor, o) + at(chain.offset, o) - (chain.divisor - 1) / 2) / chain.divisor));
    set_weights(chain.layer, chain.factor, chain.divisor);
    const std::string role =
        add(name + "/biases", Array::of_reals({static_cast<int64_t>(made.size())}, made));
    if (layer.type == "MatMul") layer.type = "Gemm";
    layer.inputs.resize(3);
    layer.inputs[2] = role;
    layer.outputs = {name + "/sum"};
    for (const size_t i : chain.nodes) dropped_.insert(i);
    behind_[chain.layer.node] = rounding(clip, chain);
  }

  static Attribute real(double value) {
    Attribute out;
    out.kind = Attribute::Kind::Real, out.real = static_cast<float>(value);
    return out;
  }

  /// Rounds to the integers of a Clip.
  std::vector<FileNode> rounding(const FileNode& clip, const Chain& chain) {
    const std::string& name = clip.outputs.at(0);
    const bool is_signed = chain.lowest < 0;
    int64_t highest = is_signed ? 127 : 255;
    while (static_cast<double>(highest) < chain.highest ||
           (is_signed && static_cast<double>(-highest - 1) > chain.lowest))
      highest = 2 * highest + 1;
    Array zero = Array::of_integers({}, {0});
    zero.lowest = is_signed ? -highest - 1 : 0, zero.highest = highest;
    const std::vector<std::string> grid{add(name + "/scale", Array::of_reals({}, {1})),
                                        add(name + "/zero", std::move(zero))};
    FileNode quantize = clip, bounds = clip, reals = clip;
    quantize.type = "QuantizeLinear", reals.type = "DequantizeLinear";
    quantize.attributes.clear(), bounds.attributes.clear(), reals.attributes.clear();
    quantize.inputs = {name + "/sum", grid[0], grid[1]}, quantize.outputs = {name + "/all"};
    bounds.inputs = {name + "/all"}, bounds.outputs = {name + "/integers"};
    bounds.attributes = {{"max", real(chain.highest)}, {"min", real(chain.lowest)}};
    reals.inputs = {name + "/integers", grid[0], grid[1]};
    return {quantize, bounds, reals};
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

  /// Inputs of the file are integers from 0 to 255, which nodes in front of all make reals of scale 1.
  void read_integers() {
    std::vector<FileNode> front;
    for (GraphInput& input : file_.inputs) {
      if (!inputs_.contains(input.name)) continue;
      input.grid = Grid{{1}, {0}, 0, 255};
      Array zero = Array::of_integers({}, {0});
      zero.lowest = 0, zero.highest = 255;
      const std::string scale = add(input.name + "/scale", Array::of_reals({}, {1})),
                        made = input.name + "/reals";
      add(input.name + "/zero", std::move(zero));
      std::string from = input.name;
      for (const auto& [type, to] :
           {std::pair("DequantizeLinear", input.name + "/given"),
            std::pair("QuantizeLinear", input.name + "/integers"), std::pair("DequantizeLinear", made)}) {
        FileNode node;
        node.type = type, node.name = to, node.opset = file_.opset;
        node.inputs = {std::exchange(from, to), scale, input.name + "/zero"}, node.outputs = {to};
        front.push_back(std::move(node));
      }
      for (FileNode& node : file_.nodes)
        std::replace(node.inputs.begin(), node.inputs.end(), input.name, made);
    }
    file_.nodes.insert(file_.nodes.begin(), front.begin(), front.end());
  }

  void tell(const std::vector<Chain>& chains) const {
    double error = 0;
    for (const Chain& chain : chains) error = std::max(error, error_of(chain));
    std::string names;
    for (const std::string& name : inputs_) names += (names.empty() ? "'" : ", '") + name + "'";
    log::notice(
        "{}: layers that compute integers in float tensors: {}; biases in whole units of their sums move "
        "a result by at most {:.2g} of a step before it is rounded",
        file_.path, chains.size(), error);
    if (!names.empty()) log::notice("{}: inputs read as integers from 0 to 255: {}", file_.path, names);
  }

  File& file_;
  std::map<std::string, size_t, std::less<>> maker_;
  std::map<std::string, std::vector<size_t>, std::less<>> readers_;
  Names kept_, inputs_;
  std::map<std::string, Names, std::less<>>
      whole_;  ///< tensors of whole numbers, and the inputs they are moved from
  std::set<size_t> done_, dropped_;
  std::map<size_t, std::vector<FileNode>> behind_;
};

/// Widths that DORY notes at each node.
void drop_widths(File& file) {
  std::set<std::string> names;
  for (FileNode& node : file.nodes)
    for (auto it = node.attributes.begin(); it != node.attributes.end();) {
      const bool is_width = node.domain.empty() && it->first.ends_with("_bits");
      if (is_width) names.insert(it->first);
      it = is_width ? node.attributes.erase(it) : std::next(it);
    }
  if (names.empty()) return;
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  log::notice("{}: the attributes {} of its nodes change nothing", file.path, list);
}

}  // namespace

void compose_integer_chains(File& file) {
  drop_widths(file);
  const auto is_floor = [](const FileNode& node) { return node.type == "Floor"; };
  if (std::any_of(file.nodes.begin(), file.nodes.end(), is_floor)) Chains(file).run();
}

}  // namespace n2d2::onnx
