#include "n2d2/ops/nonlinearity.hpp"

#include <numbers>

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

using ops::Function;

std::string times(NodeWriter& node, const std::string& x, float factor) {
  return factor == 1 ? x : node.add("Mul", {x, node.channels("alpha", {factor})});
}

/// The operator of the same meaning; null where there is none.
const char* type_of(Function function) {
  switch (function) {
    case Function::Logistic:
      return "Sigmoid";
    case Function::Abs:
    case Function::Acos:
    case Function::Acosh:
    case Function::Asin:
    case Function::Asinh:
    case Function::Atan:
    case Function::Atanh:
    case Function::Ceil:
    case Function::Cos:
    case Function::Cosh:
    case Function::Erf:
    case Function::Exp:
    case Function::Floor:
    case Function::Log:
    case Function::Reciprocal:
    case Function::Round:
    case Function::Sign:
    case Function::Sin:
    case Function::Sinh:
    case Function::Softplus:
    case Function::Softsign:
    case Function::Sqrt:
    case Function::Tan:
      return EnumText<Function>::names[static_cast<size_t>(function)];
    default:
      return nullptr;
  }
}

/// Swish, HardSwish and Mish are no operators of the set, a product with their gate is.
void write_nonlinearity(NodeWriter& node) {
  expect_float(node);
  const auto& op = node.op<ops::Nonlinearity>();
  const auto a = static_cast<float>(op.alpha), b = static_cast<float>(op.beta);
  const std::string x = node.any();
  const auto plain = [&](const char* type, const WrittenAttributes& attributes = {}) {
    return node.add(type, {x}, attributes);
  };
  const auto value = [&]() -> std::string {
    if (const char* type = type_of(op.function)) return plain(type);
    switch (op.function) {
      case Function::Tanh:
        return node.add("Tanh", {times(node, x, a)});
      case Function::Swish:
        return node.add("Mul", {x, node.add("Sigmoid", {times(node, x, a)})});
      case Function::HardSigmoid:
        return plain("HardSigmoid", {{"alpha", a}, {"beta", b}});
      case Function::HardSwish:
        return node.add("Mul", {x, plain("HardSigmoid", {{"alpha", a}, {"beta", b}})});
      case Function::Elu:
        return plain("Elu", {{"alpha", a}});
      case Function::Celu:
        return plain("Celu", {{"alpha", a}});
      case Function::Selu:
        return plain("Selu", {{"alpha", a}, {"gamma", b}});
      case Function::ThresholdedRelu:
        return plain("ThresholdedRelu", {{"alpha", a}});
      case Function::Mish:
        return node.add("Mul", {x, node.add("Tanh", {plain("Softplus")})});
      case Function::Power:
        return node.add("Pow", {x, node.channels("exponent", {a})});
      case Function::Shrink:
        return plain("Shrink", {{"lambd", a}, {"bias", b}});
      case Function::Gelu: {
        const std::string share = node.add("Erf", {times(node, x, std::numbers::sqrt2_v<float> / 2)});
        const std::string twice = node.add("Add", {share, node.channels("one", {1})});
        return times(node, node.add("Mul", {x, twice}), 0.5F);
      }
      case Function::GeluTanh: {
        const std::string cube = node.add("Mul", {x, node.add("Mul", {x, x})});
        const std::string sum = node.add("Add", {x, times(node, cube, 0.044715F)});
        const std::string gate = node.add("Sigmoid", {times(node, sum, 1.5957691F)});
        return node.add("Mul", {x, gate});
      }
      default:
        break;
    }
    throw ModelError(fmt::format("Function {} has no ONNX form here", op.function_name()));
  };
  node.result(value(), node.is_flat());
}

}  // namespace

void register_nonlinearity(WriteRegistry& registry);
void register_nonlinearity(WriteRegistry& registry) {
  registry.add(ops::Nonlinearity::kType, write_nonlinearity);
}

}  // namespace n2d2::onnx
