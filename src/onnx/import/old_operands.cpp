// Which axes has the second operand in operator sets 1 to 6? An attribute says where it begins.
#include <set>

#include "importer.hpp"

namespace n2d2::onnx {

bool Importer::show_old_operand(Node& node) const {
  static const std::set<std::string_view> kTypes{"Add", "And", "Div",   "Equal", "Greater", "Less",
                                                 "Mul", "Or",  "PRelu", "Pow",   "Sub",     "Xor"};
  constexpr int64_t kFirstOfNewForm = 7;
  const FileNode& file = node.file();
  if (file.opset >= kFirstOfNewForm || !kTypes.contains(file.type) || file.inputs.size() != 2) return false;
  const size_t rank = node.peek(0).dims.size();
  Operand operand = node.peek(1);
  const bool is_broadcast = node.integer("broadcast", 0) != 0, has_axis = node.has("axis");
  int64_t asked = node.integer("axis", 0);
  if (file.type == "PRelu") {  // a vector has one slope a channel
    if (operand.dims.size() != 1 || operand.dims[0] == 1) return false;
    asked = 1;
  } else if (!is_broadcast || !has_axis) {
    return false;
  }
  const size_t first = axis_of(asked, rank);
  if (first + operand.dims.size() > rank)
    refuse(fmt::format("an operand of {} at axis {} of {}", text_of(operand.dims), first,
                       text_of(node.peek(0).dims)));
  operand.dims.resize(rank - first, 1);
  if (operand.is_constant())
    operand.array = std::make_shared<const Array>(operand.array->with_dims(operand.dims));
  else if (first != 0 || operand.split || operand.channels_last || operand.batch != 0 ||
           map_shape(operand.dims) != graph_.value(operand.value).type.shape)
    refuse(fmt::format("an operand of data at axis {}", first), "convert the model to operator set 13");
  node.show({{1, std::move(operand)}});
  return true;
}

}  // namespace n2d2::onnx
