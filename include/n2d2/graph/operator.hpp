// What must every operator answer? Its type, fields, shapes and plain float meaning; and where it has them,
// its gradient, its meaning in integers, the range of its values, and what it is on maps that lie on their
// side.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "n2d2/base/fields.hpp"
#include "n2d2/base/random.hpp"
#include "n2d2/base/registry.hpp"
#include "n2d2/graph/integer_form.hpp"
#include "n2d2/tensor/tensor.hpp"

namespace n2d2::graph {

struct IntegerArgs;  // integers.hpp
struct TurnedNode;   // turn.hpp

/// Which random numbers a training step draws: Rng(seed, "<node>", step, first_sample + n) for sample n.
struct RandomKey {
  uint64_t seed = 0;
  std::string_view node;
  uint64_t step = 0;
  int64_t first_sample = 0;
  Rng sample(int64_t n, std::string_view purpose) const {
    return Rng(seed, std::string(purpose) + ":" + std::string(node), step,
               static_cast<uint64_t>(first_sample + n));
  }
};

/// Tensors are dense float32 N,C,H,W (Layout::Nchw), weights in their logical order. `out` is allocated.
struct ForwardArgs {
  std::span<const Tensor* const> in;
  std::span<Tensor* const> out;
  bool training = false;
  RandomKey random;
  /// What forward leaves for backward (BatchNorm: batch mean and biased variance). Null when not training.
  std::vector<Tensor>* saved = nullptr;
};

/// Gradients are of a loss to be descended. d_in[i] is null when nobody needs it, else allocated and to be
/// overwritten (not added to).
struct BackwardArgs {
  std::span<const Tensor*const> in, out, d_out;
  std::span<Tensor* const> d_in;
  RandomKey random;
  const std::vector<Tensor>* saved = nullptr;
};

class Operator {
 public:
  virtual ~Operator() = default;
  /// "Conv": the name of the type, also in graph text and in the registry.
  virtual std::string_view type() const = 0;
  virtual std::unique_ptr<Operator> clone() const = 0;
  virtual bool equals(const Operator& other) const = 0;
  /// Every field that differs from its default or must be given, as text.
  virtual std::vector<std::pair<std::string, std::string>> fields_text() const = 0;
  virtual void read(const KeySource& section, const KeySource& config, Diagnostics& diagnostics) = 0;

  /// Output shapes from input shapes (data inputs first, then parameters). Throws ModelError, message only
  /// ("input 1 has 3 channels, weights expect 16"): the graph adds node and place. Element types, layouts and
  /// scales are not the operator's business: quantization decides them.
  virtual std::vector<Shape> infer(std::span<const Shape> in) const = 0;
  /// Plain loops: the definition, not the fast path.
  virtual void forward(const ForwardArgs& args) const = 0;
  /// False when the operator has no gradient.
  virtual bool backward(const BackwardArgs&) const { return false; }
  /// The function whose gradient backward() gives at these inputs, where that is not forward(): one that
  /// rounds holds what the rounding adds. Null: forward() itself.
  virtual std::unique_ptr<Operator> surrogate(std::span<const Tensor* const>) const { return nullptr; }

  /// What quantization derives its numbers from; `in` as for infer(). None where nothing is said.
  virtual IntegerForm integer_form(std::span<const Shape> in) const;
  /// The definition in integers, of a quantized node whose form is not None: obvious loops over one sample.
  virtual void integers(const IntegerArgs& args) const;
  /// Intervals that the outputs do not leave, before Node::clamp, given those of the inputs (of constants:
  /// open) and their shapes. Outputs that are left out are open.
  virtual std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const;
  /// Its meaning when height and width are exchanged in every map; ModelError where it has none.
  virtual void turned(TurnedNode& node) const;

  /// What input `slot` is: "" for data, else the name of a parameter as in weight files: "weights", "biases",
  /// "scales", "means", "variances", "slopes", "operands", "SAT_Alpha", "LSQ_StepSize".
  virtual std::string_view input_role(size_t) const { return ""; }
  /// Training computes something over the whole batch (BatchNorm), so a batch cannot be cut into blocks.
  virtual bool mixes_samples() const { return false; }
  /// After a training step: takes what forward saved into the state inputs (BatchNorm: running statistics).
  /// `in` are the node's inputs, data inputs null; `batch` is the number of samples.
  virtual void absorb(const std::vector<Tensor>&, std::span<Tensor* const>, const Shape&) const {}
};

/// Clip values and steps of learnt activation quantizers.
inline bool is_learnt_step(std::string_view role) {
  return role == "SAT_Alpha" || role == "LSQ_StepSize";
}
/// Weights, biases, scales, slopes and steps are learnt; means and variances are state, operands are fixed.
inline bool is_learnt(std::string_view role) {
  return role == "weights" || role == "biases" || role == "scales" || role == "slopes" ||
         is_learnt_step(role);
}

/// Gives an operator type with `static constexpr const char* kType` and `fields()` its bookkeeping.
template <class Self>
class OperatorBase : public Operator {
 public:
  std::string_view type() const override { return Self::kType; }
  std::unique_ptr<Operator> clone() const override { return std::make_unique<Self>(self()); }
  bool equals(const Operator& other) const override {
    return other.type() == type() && equal_fields(self(), static_cast<const Self&>(other));
  }
  std::vector<std::pair<std::string, std::string>> fields_text() const override {
    return print_fields(self());
  }
  void read(const KeySource& section, const KeySource& config, Diagnostics& diagnostics) override {
    read_fields(static_cast<Self&>(*this), section, config, diagnostics);
  }

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
};

/// A registered operator type.
struct OperatorEntry {
  std::function<std::unique_ptr<Operator>()> make;
  std::vector<FieldHelp> fields;
};
using OperatorRegistry = Registry<OperatorEntry>;

template <class Op>
void register_operator(OperatorRegistry& registry) {
  registry.add(Op::kType, {[] { return std::make_unique<Op>(); }, describe_fields<Op>()});
}

}  // namespace n2d2::graph
