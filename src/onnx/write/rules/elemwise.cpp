#include "n2d2/ops/elemwise.hpp"

#include <algorithm>

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

using ops::ElemWiseOperation;

bool all_are(const std::vector<float>& values, float what) {
  return std::all_of(values.begin(), values.end(), [&](float x) { return x == what; });
}

/// One ElemWise: its inputs as tensors of one rank, its coefficients channel by channel.
class ElemWiseWriter {
 public:
  explicit ElemWiseWriter(NodeWriter& node) : node_(node), op_(node.op<ops::ElemWise>()) {
    const bool same = std::all_of(node.node().inputs.begin(), node.node().inputs.end(),
                                  [&, slot = size_t{0}](graph::ValueId) mutable {
                                    return !node.is_constant(slot) && node.in(slot++) == node.out();
                                  });
    flat_ = same && node.is_flat();
    for (size_t i = 0; i < node.node().inputs.size(); ++i)
      inputs_.push_back(node.is_constant(i) ? node.parameter(i) : flat_ ? node.flat(i) : node.map(i));
  }

  void write() {
    if (op_.operation != ElemWiseOperation::Sum && !op_.is_extreme()) expect_float(node_);
    if (node_.form() == Form::FakeQuantization) return write_steps();
    node_.result(value(), flat_);
  }

 private:
  std::string value() {
    switch (op_.operation) {
      case ElemWiseOperation::Sum:
        return sum();
      case ElemWiseOperation::Prod:
        return chain("Mul");
      case ElemWiseOperation::Div:
        return chain("Div");
      case ElemWiseOperation::Max:
        return node_.add("Max", inputs_);
      case ElemWiseOperation::Min:
        return node_.add("Min", inputs_);
      case ElemWiseOperation::AbsSum:
        for (std::string& input : inputs_) input = node_.add("Abs", {input});
        return sum();
      case ElemWiseOperation::EuclideanSum:
        break;
    }
    throw ModelError(fmt::format("Operation {} has no ONNX form here", op_.operation_name()));
  }

  std::string chain(const char* type) {
    std::string out = inputs_.at(0);
    for (size_t i = 1; i < inputs_.size(); ++i) out = node_.add(type, {out, inputs_[i]});
    return out;
  }

  std::vector<float> weights(size_t input) const {
    std::vector<float> out;
    for (int64_t c = 0; c < node_.out().c(); ++c) out.push_back(static_cast<float>(op_.weight(input, c)));
    return out;
  }

  /// Shifts of all inputs together.
  std::vector<float> shifts() const {
    std::vector<float> out;
    for (int64_t c = 0; c < node_.out().c(); ++c) {
      double shift = 0;
      for (size_t i = 0; i < inputs_.size(); ++i) shift += op_.shift(i, c);
      out.push_back(static_cast<float>(shift));
    }
    return out;
  }

  /// Between QuantizeLinear and DequantizeLinear always a Sum: ONNX Runtime puts a kernel of its own in the
  /// place of an Add, which rounds other integers at ties than the fixed-point form of the host run does.
  std::string add_all(const std::vector<std::string>& terms) {
    if (terms.size() == 1) return terms[0];
    return node_.add(terms.size() == 2 && node_.form() != Form::Qdq ? "Add" : "Sum", terms);
  }

  std::string sum() {
    const bool shifted = !all_are(shifts(), 0);
    if (inputs_.size() == 2 && all_are(weights(0), 1) && all_are(weights(1), -1) && !shifted)
      return node_.add("Sub", inputs_);
    std::vector<std::string> terms;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const std::vector<float> w = weights(i);
      terms.push_back(all_are(w, 1) ? inputs_[i]
                                    : node_.add("Mul", {inputs_[i], node_.channels("weights", w, flat_)}));
    }
    const std::string total = add_all(terms);
    return shifted ? node_.add("Add", {total, node_.channels("shifts", shifts(), flat_)}) : total;
  }

  /// Whole numbers times the real value of their multipliers; one rounding of the sum.
  void write_steps() {
    std::vector<std::string> terms;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const auto factor = static_cast<float>(node_.multiplier(i));
      terms.push_back(node_.add("Mul", {inputs_[i], node_.channels("factor", {factor}, flat_)}));
    }
    node_.scaled_result(op_.is_extreme() ? node_.add(op_.operation_name(), terms) : add_all(terms), flat_);
  }

  NodeWriter& node_;
  const ops::ElemWise& op_;
  bool flat_ = false;
  std::vector<std::string> inputs_;
};

}  // namespace

void register_elemwise(WriteRegistry& registry);
void register_elemwise(WriteRegistry& registry) {
  registry.add(ops::ElemWise::kType, [](NodeWriter& node) { ElemWiseWriter(node).write(); });
}

}  // namespace n2d2::onnx
