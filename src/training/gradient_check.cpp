#include "n2d2/training/gradient_check.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "n2d2/base/parallel.hpp"

#include "target_classes.hpp"

namespace n2d2::training {

namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::ValueId;

// ---- a derivative by differences
// ---------------------------------------------------------------------------

/// A number that follows from one float.
using Function = std::function<double(float)>;

struct Slope {
  double value = 0;
  bool is_smooth = false;
};

/// Central differences with steps that become smaller, until three in a row agree and the slopes of both
/// sides are alike: that is where neither curvature nor rounding counts; two may agree by chance. Not smooth
/// when none do. `scale`: a slope that is not small.
Slope slope_of(const Function& f, float x, double step, double scale) {
  constexpr int kSteps = 7, kInARow = 3;
  constexpr double kShrink = 4;
  constexpr double kAgree = 0.25 * kGradientTolerance;  // how far two differences may be apart
  constexpr double kBend = 0.02;  // and both sides, which at a bend differ for every step
  const double at = f(x);
  double before = 0;
  for (int i = 0, alike = 0; i < kSteps; ++i, step /= kShrink) {
    const auto right = static_cast<float>(x + step), left = static_cast<float>(x - step);
    if (right == x || left == x) break;
    const double high = f(right), low = f(left), to_right = double{right} - x, to_left = double{x} - left;
    const double slope = (high - low) / (to_right + to_left);
    const double bend = std::abs((high - at) / to_right - (at - low) / to_left);
    const double size = std::max(scale, std::abs(slope));
    alike = i > 0 && std::abs(slope - before) <= kAgree * size ? alike + 1 : 1;
    if (alike >= kInARow && bend <= kBend * size) return {slope, true};
    before = slope;
  }
  return {before, false};
}

double largest(std::span<const float> values) {
  double most = 0;
  for (const float value : values) most = std::max(most, std::abs(double{value}));
  return most;
}

bool is_finite(const Tensor& tensor) {
  const auto values = tensor.span();
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

/// A few values of `gradient` against the slopes of `f`, the function of the same values in `at`. `reach` is
/// the largest number that f adds up.
void compare(const Tensor& gradient, const Tensor& at, double reach,
             const std::function<double(const Tensor&)>& f, Rng& rng, CheckedGradient& out) {
  constexpr int64_t kValues = 4, kDraws = 16;
  constexpr double kFirstStep = 0.25, kWithoutValues = 0.1;  // of the largest value; of a tensor of zeros
  constexpr double kNegligible = 1e-4;  // a change that moves no output by more counts as none
  const auto gradients = gradient.span();
  const double size = largest(at.span()), step = size > 0 ? kFirstStep * size : kWithoutValues;
  const double scale = std::max({largest(gradients), kNegligible * kFirstStep * reach / step, 1e-30});
  const auto less = [](float a, float b) { return std::abs(a) < std::abs(b); };
  auto next = std::max_element(gradients.begin(), gradients.end(), less) - gradients.begin();
  Tensor changed = at;
  std::set<int64_t> tried;
  for (int64_t draw = 0; draw < kDraws && out.checked < kValues; ++draw) {
    if (tried.insert(next).second) {
      float& value = changed.span()[static_cast<size_t>(next)];
      const float before = value;
      const auto with = [&](float now) {
        value = now;
        return f(changed);
      };
      const Slope slope = slope_of(with, before, step, scale);
      value = before;
      const double found = gradients[static_cast<size_t>(next)];
      const double deviation = std::abs(found - slope.value) / std::max(scale, std::abs(slope.value));
      (slope.is_smooth ? out.checked : out.left_out) += 1;
      if (slope.is_smooth && (out.checked == 1 || deviation > out.deviation)) {
        out.deviation = deviation;
        out.gradient = found;
        out.difference = slope.value;
      }
    }
    next = static_cast<int64_t>(rng.below(gradients.size()));
  }
}

// ---- one layer
// ---------------------------------------------------------------------------------------------

/// The first samples of a batch.
Tensor first_samples(const Tensor& batch, int64_t samples) {
  if (batch.shape().n() <= samples) return batch;
  Tensor out(batch.shape().with_batch(samples));
  std::copy_n(batch.span().begin(), out.elements(), out.span().begin());
  return out;
}

/// A node with what it reads, as a function of its inputs.
class Layer {
 public:
  Layer(const Graph& graph, const Node& node, const compute::Executor& executor, uint64_t seed)
      : node_(node), key_{seed, node.name, 0, 0} {
    constexpr int64_t kFew = 2;
    const int64_t samples = node.op->mixes_samples() ? kGradientSamples : kFew;
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const Tensor value = executor.read(node.inputs[slot]);
      in_.push_back(is_data(slot) ? first_samples(value, samples) : value);
    }
    const int64_t run = in_.front().shape().n();  // data inputs come first
    for (const ValueId output : node.outputs)
      out_.emplace_back(graph.value(output).type.shape.with_batch(run));
    surrogate_ = node.op->surrogate(pointers(in_));
  }

  bool is_data(size_t slot) const { return node_.op->input_role(slot).empty(); }
  const Tensor& input(size_t slot) const { return in_[slot]; }
  const std::vector<Tensor>& outputs() const { return out_; }

  /// The outputs for the inputs as they are, with `value` for one of them, of the function that gradients are
  /// of.
  void run(size_t slot, const Tensor& value) { run(surrogate_ ? *surrogate_ : *node_.op, slot, value); }
  void run(const graph::Operator& op, size_t slot, const Tensor& value) {
    std::vector<const Tensor*> in = pointers(in_);
    in[slot] = &value;
    std::vector<Tensor*> out;
    for (Tensor& tensor : out_) out.push_back(&tensor);
    saved_.clear();
    op.forward({in, out, true, key_, &saved_});
  }

  /// Gradients of the inputs that are wanted, for those of the outputs.
  std::vector<Tensor> gradients(const std::vector<Tensor>& d_out, const std::vector<bool>& wanted) {
    run(*node_.op, 0, in_[0]);
    std::vector<Tensor> d_in(in_.size());
    std::vector<Tensor*> targets;
    for (size_t slot = 0; slot < in_.size(); ++slot) {
      if (wanted[slot]) d_in[slot] = Tensor(in_[slot].shape());
      targets.push_back(wanted[slot] ? &d_in[slot] : nullptr);
    }
    const std::vector<const Tensor*> in = pointers(in_), out = pointers(out_), d = pointers(d_out);
    if (!node_.op->backward({in, out, d, targets, key_, &saved_}))
      throw ModelError(graph::subject(node_) + ": has no gradient, cannot be trained through", node_.origin);
    return d_in;
  }

 private:
  static std::vector<const Tensor*> pointers(const std::vector<Tensor>& tensors) {
    std::vector<const Tensor*> out;
    for (const Tensor& tensor : tensors) out.push_back(&tensor);
    return out;
  }

  const Node& node_;
  std::unique_ptr<graph::Operator> surrogate_;
  graph::RandomKey key_;
  std::vector<Tensor> in_, out_, saved_;
};

/// A node of the way that gradients take.
struct Passed {
  const Node* node;
  std::vector<bool> wanted;  ///< of each input
};

/// "weights", or where several inputs are data "input 2".
std::string name_of(const Node& node, size_t slot) {
  const std::string_view role = node.op->input_role(slot);
  if (!role.empty()) return std::string(role);
  return node.inputs.size() > 1 && node.op->input_role(1).empty() ? fmt::format("input {}", slot + 1)
                                                                  : "input";
}

void require_finite(const Node& node, const std::string& what, const Tensor& values) {
  if (!is_finite(values))
    throw ModelError(fmt::format("{}: {} of samples of Learn are not finite, no gradient can be checked",
                                 graph::subject(node), what),
                     node.origin, "smaller initial weights, or samples of a smaller range");
}

std::vector<CheckedGradient> check_layer(const Graph& graph, const Passed& passed,
                                         const compute::Executor& executor, uint64_t seed) {
  const Node& node = *passed.node;
  Layer layer(graph, node, executor, seed);
  Rng rng(seed, "gradient check of " + node.name);
  std::vector<Tensor> d_out;
  for (const Tensor& out : layer.outputs()) {
    Tensor& seeds = d_out.emplace_back(out.shape());
    // None near 0, and of one sign: where two slopes meet, their difference shows. Of both signs where a
    // statistic is part of every output: what rounding does to it adds up otherwise.
    for (float& value : seeds.span()) {
      const bool is_turned = node.op->mixes_samples() && rng.chance(0.5);
      value = static_cast<float>(rng.uniform(0.5, 1)) * (is_turned ? -1.0F : 1.0F);
    }
  }
  const std::vector<Tensor> gradients = layer.gradients(d_out, passed.wanted);
  double reach = 0;
  for (const Tensor& out : layer.outputs()) {
    require_finite(node, "its outputs", out);
    reach = std::max(reach, largest(out.span()));
  }
  std::vector<CheckedGradient> found;
  for (size_t slot = 0; slot < gradients.size(); ++slot) {
    if (!passed.wanted[slot]) continue;
    const auto sum = [&](const Tensor& value) {
      layer.run(slot, value);
      double total = 0;
      for (size_t i = 0; i < d_out.size(); ++i)
        for (size_t k = 0; k < d_out[i].span().size(); ++k)
          total += double{d_out[i].span()[k]} * layer.outputs()[i].span()[k];
      return total;
    };
    require_finite(node, "the gradients of its " + name_of(node, slot), gradients[slot]);
    CheckedGradient& one = found.emplace_back();
    one.layer = graph::subject(node);
    one.of = name_of(node, slot);
    one.where = node.origin;
    compare(gradients[slot], layer.input(slot), reach, sum, rng, one);
  }
  return found;
}

// ---- the network
// -------------------------------------------------------------------------------------------

/// Nodes that gradients pass on their way from the seeds to what learns, in the order in which they run.
std::vector<Passed> way_of_gradients(const Graph& graph, std::span<const ValueId> seeds) {
  const std::vector<NodeId> order = graph.schedule();
  std::set<ValueId> learns, reached(seeds.begin(), seeds.end());
  std::vector<Passed> all;
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    Passed& passed = all.emplace_back(Passed{&node, {}});
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const std::string_view role = node.op->input_role(slot);
      passed.wanted.push_back(role.empty() ? learns.contains(node.inputs[slot]) : graph::is_learnt(role));
      if (passed.wanted.back()) learns.insert(node.outputs.begin(), node.outputs.end());
    }
  }
  std::vector<Passed> out;
  for (auto passed = all.rbegin(); passed != all.rend(); ++passed) {
    const Node& node = *passed->node;
    if (std::none_of(node.outputs.begin(), node.outputs.end(),
                     [&](ValueId output) { return reached.contains(output); }) ||
        std::find(passed->wanted.begin(), passed->wanted.end(), true) == passed->wanted.end())
      continue;
    for (size_t slot = 0; slot < node.inputs.size(); ++slot)
      if (passed->wanted[slot]) reached.insert(node.inputs[slot]);
    out.push_back(*passed);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

/// Whether output - want is the gradient of the cross-entropy: the wanted values of a position add up to 1.
bool is_gradient_of_loss(const TrainingTarget& target, int64_t outputs) {
  const data::TargetOptions& options = target.target.options();
  return target.loss != Loss::CrossEntropy || options.data_as_target ||
         std::abs(options.target_value + static_cast<double>(outputs - 1) * options.default_value - 1) < 1e-6;
}

/// The loss of a target as a function of the value that gets its gradient.
CheckedGradient check_loss(const Graph& graph, const TrainingTarget& target,
                           const compute::Executor& executor, const Tensor& batch,
                           std::span<const int> labels, uint64_t seed) {
  const ValueId value = seeded_value(graph, target.value, target.loss);
  const NodeId producer = graph.value(target.value).producer;
  const auto output_for = [&](const Tensor& seeded) {
    if (value == target.value) return seeded;
    Tensor output(graph.value(target.value).type.shape.with_batch(seeded.shape().n()));
    const Tensor* in = &seeded;
    Tensor* out = &output;
    graph.op(producer).forward({{&in, 1}, {&out, 1}, true, {}, nullptr});
    return output;
  };
  const Tensor at = executor.read(value);
  const LossResult loss = loss_of_batch(target, executor.read(target.value), labels, batch);
  CheckedGradient out;
  const std::string& name = graph.value(target.value).name;
  out.layer = producer ? graph::subject(graph.node(producer)) : name;
  out.of = "loss";
  if (producer) out.where = graph.node(producer).origin;
  Rng rng(seed, "gradient check of the loss of " + name);
  compare(
      loss.gradient, at, std::abs(loss.loss),
      [&](const Tensor& seeded) { return loss_of_batch(target, output_for(seeded), labels, batch).loss; },
      rng, out);
  return out;
}

}  // namespace

GradientCheck check_gradients(Graph graph, std::span<const TrainingTarget> targets, const Tensor& all,
                              std::span<const int> all_labels, uint64_t seed) {
  const Tensor batch = first_samples(all, kGradientSamples);
  const auto each = static_cast<int64_t>(all_labels.size()) / all.shape().n();
  const std::span<const int> labels = all_labels.first(static_cast<size_t>(each * batch.shape().n()));
  TargetClasses(graph, targets).set(graph, targets, labels);
  compute::Executor executor(graph, {.backend = compute::Backend::Reference, .training = true, .seed = seed});
  executor.forward(batch);
  std::vector<ValueId> seeds;
  for (const TrainingTarget& target : targets)
    seeds.push_back(seeded_value(graph, target.value, target.loss));
  GradientCheck out;
  const std::vector<Passed> layers = way_of_gradients(graph, seeds);
  std::vector<std::vector<CheckedGradient>> found(layers.size());
  parallel_for(static_cast<int64_t>(layers.size()), [&](int64_t i, int) {
    const auto at = static_cast<size_t>(i);
    found[at] = check_layer(graph, layers[at], executor, seed);
  });
  for (const auto& of_layer : found)
    out.gradients.insert(out.gradients.end(), of_layer.begin(), of_layer.end());
  for (const TrainingTarget& target : targets)
    if (is_gradient_of_loss(target, graph.value(target.value).type.shape.c()))
      out.gradients.push_back(check_loss(graph, target, executor, batch, labels, seed));
    else
      out.exceptions.push_back(fmt::format("loss of '{}': the wanted values of a sample do not add up to 1",
                                           graph.value(target.value).name));
  return out;
}

}  // namespace n2d2::training
