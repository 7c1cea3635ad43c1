#include "import/cast.hpp"

#include <array>
#include <limits>
#include <tuple>

#include "read/element_types.hpp"

namespace n2d2::onnx {

namespace {

constexpr int64_t kMost32 = std::numeric_limits<int32_t>::max(),
                  kMost64 = std::numeric_limits<int64_t>::max();
/// Types and their bounds, as read_tensor() has them.
constexpr std::array<std::tuple<int64_t, int64_t, int64_t>, 7> kIntegers{
    {{kUint8, 0, 255},
     {kInt8, -128, 127},
     {kUint16, 0, 65535},
     {kInt16, -32768, 32767},
     {kInt32, -kMost32 - 1, kMost32},
     {kUint32, 0, std::numeric_limits<uint32_t>::max()},
     {kUint64, 0, kMost64}}};

/// The nearest value of an integer type toward zero.
int64_t to_integer(double x) {
  constexpr double kLimit = 0x1p63;
  if (!(x > -kLimit)) return std::numeric_limits<int64_t>::min();
  return x >= kLimit ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(x);
}

int64_t narrowed(int64_t x, int64_t type) {
  switch (type) {
    case kUint8:
      return static_cast<uint8_t>(x);
    case kInt8:
      return static_cast<int8_t>(x);
    case kUint16:
      return static_cast<uint16_t>(x);
    case kInt16:
      return static_cast<int16_t>(x);
    case kInt32:
      return static_cast<int32_t>(x);
    case kUint32:
      return static_cast<uint32_t>(x);
    default:
      return x;
  }
}

/// Whether the integers of a grid are some of a type.
bool holds(const Grid& type, const Grid& grid) {
  return type.lowest <= grid.lowest && grid.highest <= type.highest;
}

void cast_to(Node& node, int64_t type) {
  const Operand& operand = node.input(0);
  if (operand.is_constant()) return node.set_constant(cast_constant(*operand.array, type));
  if (operand.grid && grid_of_type(type) && holds(*grid_of_type(type), *operand.grid)) {
    const Grid grid = *operand.grid;
    node.pass_on(operand, operand.dims);
    return node.set_grid(grid);
  }
  if (!is_real_type(type))
    refuse(fmt::format("data becomes {}, only FLOAT is computed with", element_type_name(type)),
           "keep the tensors between the layers float32");
  if (operand.grid &&
      !(operand.grid->scale == std::vector<float>{1} && operand.grid->zero == std::vector<int64_t>{0}))
    refuse("makes reals of integers with a scale", "use DequantizeLinear");
  node.pass_on(operand, operand.dims);
}

void cast(Node& node) {
  const int64_t type = node.integer("to", 0);
  node.integer("saturate", 1);    // of 8 bit floats
  node.text("round_mode", "up");  // of 8 bit scales
  cast_to(node, type);
}

/// Data are real numbers, but for those that are integers of the file.
void cast_like(Node& node) {
  node.integer("saturate", 1);
  node.text("round_mode", "up");
  const Operand& like = node.lying(1);
  if (like.grid) refuse("becomes integers like data", "QuantizeLinear");
  cast_to(node, like.is_constant() ? type_of(*like.array) : kFloat);
}

}  // namespace

bool is_real_type(int64_t type) {
  return type == kFloat || type == kDouble || type == kHalf || type == kBrain;
}

int64_t type_of(const Array& array) {
  if (!array.is_integer) return kFloat;
  if (array.is_truth) return kBool;
  for (const auto& [type, lowest, highest] : kIntegers)
    if (array.lowest == lowest && array.highest == highest) return type;
  return kInt64;
}

Array cast_constant(const Array& in, int64_t type) {
  const bool is_integer = (type >= kFloat && type <= kBool) || type == kUint32 || type == kUint64;
  if (!is_real_type(type) && (!is_integer || type == kString))
    refuse(fmt::format("constants become {}, which is not read", element_type_name(type)));
  if (!in.is_integer && is_real_type(type)) return in;
  Array out;
  out.dims = in.dims;
  out.is_integer = !is_real_type(type);
  out.is_truth = type == kBool;
  for (const auto& [of, lowest, highest] : kIntegers)
    if (of == type) out.lowest = lowest, out.highest = highest;
  const auto size = static_cast<size_t>(in.size());
  if (out.is_integer)
    out.integers.resize(size);
  else
    out.reals.resize(size);
  for (size_t k = 0; k < size; ++k) {
    const double x = in.at(static_cast<int64_t>(k));
    if (!out.is_integer)
      out.reals[k] = static_cast<float>(x);
    else if (type == kBool)
      out.integers[k] = x != 0 ? 1 : 0;
    else
      out.integers[k] = narrowed(in.is_integer ? in.integers[k] : to_integer(x), type);
  }
  return out;
}

void register_cast(RuleRegistry& registry);
void register_cast(RuleRegistry& registry) {
  registry.add("Cast", {cast, cast, Integers::Read});
  registry.add("CastLike", {cast_like, cast_like, Integers::Read});
}

}  // namespace n2d2::onnx
