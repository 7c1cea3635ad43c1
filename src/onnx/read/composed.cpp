#include "composed.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace n2d2::onnx {

namespace {

/// Relative error of constants that exporters round to a few digits.
constexpr double kRounded = 1e-3;

bool is_near(double value, double wanted) {
  return std::abs(value - wanted) <= kRounded * std::abs(wanted);
}

/// Coefficients of 1, x, x^2, x^3.
using Polynomial = std::array<double, 4>;

std::optional<Polynomial> product(const Polynomial& a, const Polynomial& b) {
  Polynomial out{};
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t k = 0; k < b.size(); ++k) {
      if (a[i] == 0 || b[k] == 0) continue;
      if (i + k >= out.size()) return std::nullopt;
      out[i + k] += a[i] * b[k];
    }
  return out;
}

class Chains {
 public:
  Chains(File& file, const std::set<std::string, std::less<>>& kept) : file_(file), kept_(kept) {
    for (const std::string& output : file.outputs) kept_.insert(output);
    for (const GraphInput& input : file.inputs) data_.insert(input.name);
    for (size_t i = 0; i < file.nodes.size(); ++i) {
      bool reads_data = false;
      for (const std::string& input : file.nodes[i].read()) {
        readers_[input].push_back(i);
        reads_data = reads_data || data_.contains(input);
      }
      for (const std::string& output : file.nodes[i].outputs) {
        if (output.empty()) continue;
        maker_[output] = i;
        if (reads_data) data_.insert(output);
      }
    }
  }

  void run() {
    bool changes = false;
    for (size_t i = 0; i < file_.nodes.size(); ++i) changes = compose_at(i) || changes;
    if (changes) drop_unread();
  }

 private:
  bool compose_at(size_t i) {
    const std::string& type = file_.nodes[i].type;
    if (!file_.nodes[i].domain.empty() || !data_.contains(file_.nodes[i].outputs.at(0))) return false;
    if (type == "Erf" || type == "Tanh") return gelu(i);
    if (type == "Sqrt") return normalization(i) || unit_length(i);
    return false;
  }

  // ---- what a tensor is ----------------------------------------------------------------------------------

  const FileNode* maker(const std::string& name) const {
    const auto found = maker_.find(name);
    return found == maker_.end() ? nullptr : &file_.nodes[found->second];
  }
  const FileNode* maker(const std::string& name, std::string_view type) const {
    const FileNode* node = maker(name);
    return node != nullptr && node->domain.empty() && node->type == type ? node : nullptr;
  }
  /// The array of a constant; null for others.
  const Array* constant(const std::string& name) const {
    if (const auto found = file_.initializers.find(name); found != file_.initializers.end())
      return found->second.get();
    const FileNode* node = maker(name, "Constant");
    if (node == nullptr) return nullptr;
    const auto value = node->attributes.find("value");
    return value != node->attributes.end() ? value->second.tensor.get() : nullptr;
  }
  std::optional<double> number(const std::string& name) const {
    const Array* array = constant(name);
    if (array != nullptr) return array->size() == 1 ? std::optional(array->at(0)) : std::nullopt;
    const FileNode* node = maker(name, "Constant");
    if (node == nullptr) return std::nullopt;
    if (const auto real = node->attributes.find("value_float"); real != node->attributes.end())
      return static_cast<double>(real->second.real);
    return std::nullopt;
  }
  bool is_number(const std::string& name, double wanted) const {
    const std::optional<double> value = number(name);
    return value && is_near(*value, wanted);
  }
  /// The only node that reads what the node makes; -1 where there are others, or it leaves the network.
  std::ptrdiff_t reader(size_t i) const {
    const std::string& name = file_.nodes[i].outputs.at(0);
    const auto found = readers_.find(name);
    if (kept_.contains(name) || found == readers_.end() || found->second.size() != 1) return -1;
    return static_cast<std::ptrdiff_t>(found->second[0]);
  }
  /// The index of that reader, if it is an operator of two inputs of this type.
  std::optional<size_t> reader(size_t i, std::string_view type) const {
    const std::ptrdiff_t next = reader(i);
    if (next < 0) return std::nullopt;
    const FileNode& node = file_.nodes[static_cast<size_t>(next)];
    if (!node.domain.empty() || node.type != type || node.inputs.size() != 2) return std::nullopt;
    return static_cast<size_t>(next);
  }
  /// The input of node `i` that is not this one.
  const std::string& other(size_t i, const std::string& name) const {
    const std::vector<std::string>& inputs = file_.nodes[i].inputs;
    return inputs[0] == name ? inputs[1] : inputs[0];
  }

  /// A tensor as a polynomial in x.
  std::optional<Polynomial> polynomial(const std::string& name, const std::string& x, int depth = 0) const {
    constexpr int kDeepest = 8;
    if (name == x) return Polynomial{0, 1};
    if (const auto value = number(name)) return Polynomial{*value};
    const FileNode* node = maker(name);
    if (node == nullptr || depth > kDeepest || node->inputs.size() != 2 || !node->domain.empty())
      return std::nullopt;
    const auto a = polynomial(node->inputs[0], x, depth + 1);
    if (!a) return std::nullopt;
    const auto b = polynomial(node->inputs[1], x, depth + 1);
    if (!b) return std::nullopt;
    if (node->type == "Mul") return product(*a, *b);
    const std::optional<double> value = number(node->inputs[1]);
    if (node->type == "Div" && value && *value != 0) return product(*a, {1 / *value});
    if (node->type == "Pow" && value && (*value == 2 || *value == 3)) {
      const auto square = product(*a, *a);
      return square && *value == 3 ? product(*square, *a) : square;
    }
    if (node->type != "Add") return std::nullopt;
    Polynomial sum = *a;
    for (size_t k = 0; k < sum.size(); ++k) sum[k] += (*b)[k];
    return sum;
  }

  // ---- Gelu ----------------------------------------------------------------------------------------------

  /// Whether the function of this node is that of a Gelu of x.
  bool is_share(const FileNode& node, const std::string& x) const {
    const auto of = polynomial(node.inputs.at(0), x);
    if (!of || (*of)[0] != 0 || (*of)[2] != 0) return false;
    if (node.type == "Erf") return is_near((*of)[1], std::numbers::sqrt2 / 2) && (*of)[3] == 0;
    const double slope = std::sqrt(2 * std::numbers::inv_pi);
    return is_near((*of)[1], slope) && is_near((*of)[3], slope * 0.044715);
  }

  /// 1 + erf or 1 + tanh, times x and one half in any order.
  bool gelu(size_t i) {
    const FileNode share = file_.nodes[i];
    std::optional<size_t> at = reader(i, "Add");
    if (!at || !is_number(other(*at, share.outputs.at(0)), 1)) return false;
    std::string x;
    double factor = 1;
    for (;;) {
      const std::string value = file_.nodes[*at].outputs.at(0);
      at = reader(*at, "Mul");
      if (!at) return false;
      const std::string& by = other(*at, value);
      if (const auto constant = number(by)) {
        factor *= *constant;
      } else {
        if (!x.empty()) return false;
        x = by;
        if (!is_share(share, x) && !is_scaled(share, by, x, factor)) return false;
      }
      if (!x.empty() && is_near(factor, 0.5)) break;
    }
    FileNode& last = file_.nodes[*at];
    FileNode made;
    made.name = last.name, made.type = "Gelu", made.opset = 20;
    made.inputs = {x}, made.outputs = last.outputs;
    Attribute way;
    way.kind = Attribute::Kind::Text;
    way.text = share.type == "Erf" ? "none" : "tanh";
    made.attributes["approximate"] = way;
    put(*at, std::move(made));
    return true;
  }
  /// x times a constant, which goes into the factor.
  bool is_scaled(const FileNode& share, const std::string& by, std::string& x, double& factor) const {
    const FileNode* node = maker(by, "Mul");
    if (node == nullptr || node->inputs.size() != 2) return false;
    for (const size_t slot : {0, 1}) {
      const auto constant = number(node->inputs[slot]);
      if (!constant || !is_share(share, node->inputs[1 - slot])) continue;
      x = node->inputs[1 - slot];
      factor *= *constant;
      return true;
    }
    return false;
  }

  // ---- normalizations ------------------------------------------------------------------------------------

  /// What a mean or a sum over some axes is of, and the axes.
  struct Mean {
    std::string of;
    std::vector<int64_t> axes;
  };
  std::optional<Mean> mean(const std::string& name, std::string_view type = "ReduceMean") const {
    const FileNode* node = maker(name, type);
    if (node == nullptr || node->inputs.empty()) return std::nullopt;
    Mean out{node->inputs[0], {}};
    if (const auto keeps = node->attributes.find("keepdims");
        keeps != node->attributes.end() && keeps->second.integer == 0)
      return std::nullopt;
    if (const auto axes = node->attributes.find("axes"); axes != node->attributes.end())
      out.axes = axes->second.integers;
    else if (node->inputs.size() > 1)
      if (const Array* list = constant(node->inputs[1]); list != nullptr && list->is_integer)
        out.axes = list->integers;
    return out.axes.empty() ? std::nullopt : std::optional(out);
  }
  /// What is squared to make this.
  std::string squared(const std::string& name) const {
    const FileNode* node = maker(name);
    if (node == nullptr || node->inputs.size() != 2) return "";
    const bool is_square = (node->type == "Mul" && node->inputs[0] == node->inputs[1]) ||
                           (node->type == "Pow" && number(node->inputs[1]) == 2.0);
    return is_square ? node->inputs[0] : "";
  }
  /// x where this is x less its mean over these axes.
  std::string centered(const std::string& name, const std::vector<int64_t>& axes) const {
    const FileNode* node = maker(name, "Sub");
    if (node == nullptr || node->inputs.size() != 2) return "";
    const std::optional<Mean> taken = mean(node->inputs[1]);
    return taken && taken->of == node->inputs[0] && taken->axes == axes ? taken->of : "";
  }

  /// The square root of a mean of squares: what is divided by it.
  bool normalization(size_t root) {
    const FileNode* sum = maker(file_.nodes[root].inputs.at(0), "Add");
    if (sum == nullptr || sum->inputs.size() != 2) return false;
    const size_t slot = number(sum->inputs[1]) ? 0 : 1;
    const std::optional<double> epsilon = number(sum->inputs[1 - slot]);
    const std::optional<Mean> variance = mean(sum->inputs[slot]);
    if (!epsilon || !variance || !(*epsilon >= 0)) return false;
    const std::string off = squared(variance->of);
    if (off.empty()) return false;
    const std::string x = centered(off, variance->axes);
    FileNode made;
    made.type = x.empty() ? "RMSNormalization" : "LayerNormalization";
    made.opset = file_.nodes[root].opset;
    made.inputs = {x.empty() ? off : x};
    std::optional<size_t> last = divided(root, off, variance->axes);
    if (!last && !x.empty()) last = scaled_apart(root, x, variance->axes, made);
    if (!last) return false;
    made.attributes["epsilon"] = real_of(*epsilon);
    made.attributes["axes"].kind = Attribute::Kind::Ints;
    made.attributes["axes"].integers = variance->axes;
    if (made.inputs.size() == 1) take_constant(last, "Mul", made);
    const bool has_biases = made.type == "LayerNormalization";
    if (has_biases && made.inputs.size() == 2) take_constant(last, "Add", made);
    made.name = file_.nodes[*last].name;
    made.outputs = file_.nodes[*last].outputs;
    put(*last, std::move(made));
    return true;
  }
  static Attribute real_of(double value) {
    Attribute out;
    out.kind = Attribute::Kind::Real, out.real = static_cast<float>(value);
    return out;
  }
  /// The node that divides x, or what is taken for x less its mean, by the root.
  std::optional<size_t> divided(size_t root, const std::string& off, const std::vector<int64_t>& axes) const {
    const std::string name = file_.nodes[root].outputs.at(0);
    const auto is_off = [&](const std::string& by) {
      if (by == off) return true;
      const std::string x = centered(off, axes);
      return !x.empty() && centered(by, axes) == x;
    };
    if (const auto quotient = reader(root, "Div"))
      if (file_.nodes[*quotient].inputs[1] == name && is_off(file_.nodes[*quotient].inputs[0]))
        return quotient;
    const std::ptrdiff_t next = reader(root);
    if (next < 0) return std::nullopt;
    const FileNode& one = file_.nodes[static_cast<size_t>(next)];
    const bool is_inverse = one.type == "Reciprocal" ||
                            (one.type == "Div" && one.inputs.at(1) == name && is_number(one.inputs[0], 1));
    if (!is_inverse) return std::nullopt;
    const auto times = reader(static_cast<size_t>(next), "Mul");
    return times && is_off(other(*times, one.outputs.at(0))) ? times : std::nullopt;
  }
  /// Takes the constant of a product or sum that alone reads the last node, if it has one value for each of
  /// the elements that are normalized.
  void take_constant(std::optional<size_t>& last, std::string_view type, FileNode& made) const {
    const auto next = reader(*last, type);
    if (!next) return;
    const std::string& name = other(*next, file_.nodes[*last].outputs.at(0));
    if (!is_of_features(name)) return;
    made.inputs.push_back(name);
    last = next;
  }
  /// A constant that is one number, or varies along one axis.
  bool is_of_features(const std::string& name) const {
    const Array* array = constant(name);
    if (array == nullptr || array->is_integer) return false;
    const auto is_long = [](int64_t extent) { return extent != 1; };
    return std::count_if(array->dims.begin(), array->dims.end(), is_long) <= 1;
  }
  /// x f + (b - m f) with the mean m and f = 1 / root, or that times the scales: its last node. The scales
  /// and b become inputs of the node that is made.
  std::optional<size_t> scaled_apart(size_t root, const std::string& x, const std::vector<int64_t>& axes,
                                     FileNode& made) const {
    std::ptrdiff_t inverse = reader(root);
    if (inverse < 0 || file_.nodes[static_cast<size_t>(inverse)].type != "Reciprocal") return std::nullopt;
    auto factor = static_cast<size_t>(inverse);
    std::string scales;
    if (const auto times = reader(factor, "Mul")) {
      scales = other(*times, file_.nodes[factor].outputs.at(0));
      if (!is_of_features(scales)) return std::nullopt;
      factor = *times;
    }
    const std::string& f = file_.nodes[factor].outputs.at(0);
    const auto users = readers_.find(f);
    if (kept_.contains(f) || users == readers_.end() || users->second.size() != 2) return std::nullopt;
    std::optional<size_t> of_x, of_mean;
    for (const size_t user : users->second) {
      const FileNode& node = file_.nodes[user];
      if (!node.domain.empty() || node.type != "Mul" || node.inputs.size() != 2) return std::nullopt;
      const std::string& by = other(user, f);
      const std::optional<Mean> taken = mean(by);
      if (by == x)
        of_x = user;
      else if (taken && taken->of == x && taken->axes == axes)
        of_mean = user;
    }
    if (!of_x || !of_mean) return std::nullopt;
    const std::string &xf = file_.nodes[*of_x].outputs.at(0), mf = file_.nodes[*of_mean].outputs.at(0);
    std::optional<size_t> last = reader(*of_mean, "Sub");
    std::string biases;
    if (last && file_.nodes[*last].inputs == std::vector<std::string>{xf, mf}) {
      if (reader(*of_x, "Sub") != last) return std::nullopt;
    } else {
      const std::ptrdiff_t off = reader(*of_mean);
      if (last && file_.nodes[*last].inputs[1] == mf)
        biases = file_.nodes[*last].inputs[0];
      else if (off < 0 || file_.nodes[static_cast<size_t>(off)].type != "Neg")
        return std::nullopt;
      if (!biases.empty() && !is_of_features(biases)) return std::nullopt;
      last = reader(static_cast<size_t>(off), "Add");
      if (!last || reader(*of_x, "Add") != last) return std::nullopt;
    }
    if (!scales.empty() || !biases.empty()) made.inputs.push_back(scales);
    if (!biases.empty()) made.inputs.push_back(biases);
    return last;
  }

  // ---- vectors of length 1 -------------------------------------------------------------------------------

  /// Whether the node only keeps what it reads from being 0, by a bound or a sum.
  bool is_guard(const FileNode& node) const {
    constexpr double kMost = 1e-6;
    if (!node.domain.empty() || node.inputs.empty()) return false;
    std::optional<double> least;
    if (node.type == "Clip" && node.inputs.size() > 1)
      least = number(node.inputs[1]);
    else if (node.type == "Clip") {
      const auto given = node.attributes.find("min");
      if (given != node.attributes.end()) least = static_cast<double>(given->second.real);
    } else if ((node.type == "Max" || node.type == "Add") && node.inputs.size() == 2) {
      least = number(node.inputs[1]);
      if (!least) least = number(node.inputs[0]);
    }
    return least && *least >= 0 && *least <= kMost;
  }
  /// Where the tensor comes from in front of such a node.
  std::string unguarded(const std::string& name) const {
    const FileNode* node = maker(name);
    if (node == nullptr || !is_guard(*node)) return name;
    return node->inputs.size() > 1 && number(node->inputs[0]) ? node->inputs[1] : node->inputs[0];
  }

  /// x divided by the root of the sum of its squares over one axis, perhaps repeated by an Expand.
  bool unit_length(size_t root) {
    const std::optional<Mean> sum = mean(unguarded(file_.nodes[root].inputs.at(0)), "ReduceSum");
    const std::string x = sum && sum->axes.size() == 1 ? squared(sum->of) : "";
    if (x.empty()) return false;
    std::ptrdiff_t next = reader(root);
    std::string length = file_.nodes[root].outputs.at(0);
    const auto step = [&] {
      length = file_.nodes[static_cast<size_t>(next)].outputs.at(0);
      next = reader(static_cast<size_t>(next));
    };
    while (next >= 0) {
      const FileNode& node = file_.nodes[static_cast<size_t>(next)];
      const bool repeats = node.domain.empty() && node.type == "Expand" && node.inputs[0] == length;
      if (!repeats && !is_guard(node)) break;
      step();
    }
    if (next < 0) return false;
    const FileNode& by = file_.nodes[static_cast<size_t>(next)];
    if (!by.domain.empty()) return false;
    if (by.type == "Reciprocal") {
      step();
      if (next < 0) return false;
    }
    const FileNode& last = file_.nodes[static_cast<size_t>(next)];
    const bool is_product = &last != &by;
    if (!last.domain.empty() || last.inputs.size() != 2 || last.type != (is_product ? "Mul" : "Div"))
      return false;
    const bool fits = last.inputs == std::vector<std::string>{x, length} ||
                      (is_product && last.inputs == std::vector<std::string>{length, x});
    if (!fits) return false;
    FileNode made;
    made.name = last.name, made.type = "LpNormalization", made.opset = last.opset;
    made.inputs = {x}, made.outputs = last.outputs;
    made.attributes["axis"].kind = Attribute::Kind::Int;
    made.attributes["axis"].integer = sum->axes[0];
    put(static_cast<size_t>(next), std::move(made));
    return true;
  }

  // ---- the file ------------------------------------------------------------------------------------------

  void put(size_t i, FileNode made) {
    for (const std::string& input : made.inputs) readers_[input].push_back(i);
    file_.nodes[i] = std::move(made);
  }
  void drop_unread() {
    std::set<std::string, std::less<>> wanted = kept_;
    std::vector<FileNode> nodes;
    for (size_t i = file_.nodes.size(); i-- > 0;) {
      FileNode& node = file_.nodes[i];
      const bool is_read = std::any_of(node.outputs.begin(), node.outputs.end(),
                                       [&](const std::string& name) { return wanted.contains(name); });
      if (!is_read) continue;
      for (const std::string& input : node.read()) wanted.insert(input);
      nodes.push_back(std::move(node));
    }
    std::reverse(nodes.begin(), nodes.end());
    file_.nodes = std::move(nodes);
  }

  File& file_;
  std::set<std::string, std::less<>> kept_;
  /// Tensors that depend on an input of the file.
  std::set<std::string, std::less<>> data_;
  std::map<std::string, size_t, std::less<>> maker_;
  std::map<std::string, std::vector<size_t>, std::less<>> readers_;
};

}  // namespace

void compose(File& file, const std::set<std::string, std::less<>>& kept) {
  Chains(file, kept).run();
}

}  // namespace n2d2::onnx
