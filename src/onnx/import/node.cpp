#include <algorithm>

#include "n2d2/ops/reshape.hpp"

#include "channels_last.hpp"
#include "importer.hpp"

namespace n2d2::onnx {

void register_all_onnx(RuleRegistry& registry);
void register_all_fold(RuleRegistry& registry);

const RuleRegistry& rules() {
  static const RuleRegistry all = [] {
    RuleRegistry filled;
    register_all_onnx(filled);
    register_all_fold(filled);
    return filled;
  }();
  return all;
}

std::vector<std::string> operator_types() {
  return rules().names();
}

void refuse(std::string reason, std::string rewrite) {
  throw ModelError(std::move(reason), {}, std::move(rewrite));
}

Shape map_shape(const Extents& dims) {
  Shape shape{1, 1, 1, 1};
  if (dims.size() > 1) shape[1] = dims[1];
  if (dims.size() == 3) shape[3] = dims[2];
  if (dims.size() > 3) {
    shape[2] = dims[2];
    for (size_t i = 3; i < dims.size(); ++i) shape[3] *= dims[i];
  }
  return shape;
}

int window_size(std::string_view name, int64_t value, int64_t least) {
  constexpr int64_t kMost = 1 << 20;
  if (value < least || value > kMost)
    refuse(fmt::format("{} is {}, expected {} to {}", name, value, least, kMost));
  return static_cast<int>(value);
}

Tensor real_tensor(const Array& array, Shape shape, std::string_view what) {
  if (array.is_integer) refuse(fmt::format("{} are integers, expected real numbers", what));
  const bool fits = shape.rank() == 1 ? array.dims == shape.dims() : array.size() == shape.elements();
  if (!fits) refuse(fmt::format("{} have extents {}, expected {}", what, text_of(array.dims), shape.text()));
  Tensor out(std::move(shape));
  std::copy(array.reals.begin(), array.reals.end(), out.data<float>());
  return out;
}

Extents list_of_extents(const Array& array) {
  if (!array.is_integer || array.dims.size() > 1) refuse("the extents are no list of integers");
  return array.integers;
}

size_t axis_of(int64_t axis, size_t rank) {
  const auto n = static_cast<int64_t>(rank);
  if (axis < -n || axis >= n) refuse(fmt::format("axis {} of a tensor of rank {}", axis, rank));
  return static_cast<size_t>(axis < 0 ? axis + n : axis);
}

// ---- one node --------------------------------------------------------------------------------------------

int64_t Node::opset() const {
  return file_.opset;
}

void Node::take_branch(size_t which) {
  importer_.add_branch(file_, *file_.branches.at(which));
}

const ImportOptions& Node::options() const {
  return importer_.options_;
}

graph::Graph& Node::graph() {
  return importer_.graph_;
}

const Attribute* Node::find(std::string_view name, Attribute::Kind kind, std::string_view kind_text) {
  const auto found = file_.attributes.find(name);
  if (found == file_.attributes.end()) return nullptr;
  read_.emplace(name);
  if (found->second.kind != kind) refuse(fmt::format("attribute '{}' is not {}", name, kind_text));
  return &found->second;
}

int64_t Node::integer(std::string_view name, int64_t missing) {
  const Attribute* found = find(name, Attribute::Kind::Int, "an integer");
  return found != nullptr ? found->integer : missing;
}

double Node::real(std::string_view name, double missing) {
  const Attribute* found = find(name, Attribute::Kind::Real, "a real number");
  return found != nullptr ? static_cast<double>(found->real) : missing;
}

std::string Node::text(std::string_view name, const std::string& missing) {
  const Attribute* found = find(name, Attribute::Kind::Text, "a text");
  return found != nullptr ? found->text : missing;
}

std::vector<int64_t> Node::integers(std::string_view name) {
  const Attribute* found = find(name, Attribute::Kind::Ints, "a list of integers");
  return found != nullptr ? found->integers : std::vector<int64_t>{};
}

std::vector<float> Node::reals(std::string_view name) {
  const Attribute* found = find(name, Attribute::Kind::Reals, "a list of real numbers");
  return found != nullptr ? found->reals : std::vector<float>{};
}

std::vector<std::string> Node::texts(std::string_view name) {
  const Attribute* found = find(name, Attribute::Kind::Texts, "a list of texts");
  return found != nullptr ? found->texts : std::vector<std::string>{};
}

ArrayPtr Node::tensor(std::string_view name) {
  const Attribute* found = find(name, Attribute::Kind::Tensor, "a tensor");
  return found != nullptr ? found->tensor : nullptr;
}

void Node::expect(std::string_view name, int64_t only, std::string rewrite) {
  const int64_t value = integer(name, only);
  if (value != only)
    refuse(fmt::format("attribute '{}' is {}, only {} is imported", name, value, only), std::move(rewrite));
}

const Operand& Node::input(size_t slot) {
  if (!has_input(slot)) refuse(fmt::format("input {} is missing", slot));
  read_inputs_.insert(slot);
  if (const auto found = shown_.find(slot); found != shown_.end()) return found->second;
  return importer_.straight(file_.inputs[slot]);
}

const Operand& Node::lying(size_t slot) {
  if (!has_input(slot)) refuse(fmt::format("input {} is missing", slot));
  read_inputs_.insert(slot);
  return peek(slot);
}

const Operand& Node::peek(size_t slot) const {
  if (const auto found = shown_.find(slot); found != shown_.end()) return found->second;
  return importer_.operands_.find(file_.inputs[slot])->second;
}

const Operand& Node::data(size_t slot) {
  const Operand& operand = input(slot);
  if (operand.is_constant())
    refuse(fmt::format("input {} ('{}') is a constant, expected a tensor that depends on the network's input",
                       slot, file_.inputs[slot]),
           "fold constants before the import (onnxsim, or graph optimization of ONNX Runtime)");
  return operand;
}

const Array& Node::constant(size_t slot, std::string_view what) {
  const Operand& operand = input(slot);
  if (!operand.is_constant())
    refuse(fmt::format("{} (input {}): expected a constant, '{}' depends on the network's input", what, slot,
                       file_.inputs[slot]),
           importer_.cut_hint(file_));
  return *operand.array;
}

const Array* Node::optional_constant(size_t slot, std::string_view what) {
  return has_input(slot) ? &constant(slot, what) : nullptr;
}

std::optional<std::vector<int64_t>> Node::integers_of(std::string_view attribute, size_t slot) {
  if (has(attribute)) return integers(attribute);
  const Array* array = optional_constant(slot, attribute);
  if (array == nullptr) return std::nullopt;
  if (!array->is_integer) refuse(fmt::format("{} are real numbers, expected integers", attribute));
  return array->integers;
}

bool Node::all_constant() const {
  return std::all_of(file_.inputs.begin(), file_.inputs.end(), [&](const std::string& name) {
    return name.empty() || importer_.operands_.find(name)->second.is_constant();
  });
}

const graph::Node* Node::own_producer(size_t slot) {
  const graph::ValueId value = data(slot).value;
  const graph::NodeId producer = importer_.graph_.value(value).producer;
  const bool alone = importer_.reads_[file_.inputs[slot]] == 1 && importer_.names_[value] == 1;
  if (!alone || !producer || !importer_.nodes_.contains(producer)) return nullptr;
  return &importer_.graph_.node(producer);
}

bool Node::is_read(size_t i) const {
  return wants_output(i) && importer_.reads_[file_.outputs[i]] > 0;
}

void Node::expect_no_output(size_t i, std::string_view what) const {
  if (is_read(i))
    refuse(fmt::format("output {} ('{}', {}) is used, which is not imported", i, file_.outputs[i], what));
}

void Node::set_constant(Array array, size_t output) {
  if (!wants_output(output)) return;
  importer_.folding_room_ -= array.bytes();
  if (importer_.folding_room_ < 0)
    refuse("constants that follow from other constants take more than 256 MiB",
           "fold constants before the import (onnxsim, or graph optimization of ONNX Runtime)");
  Operand operand;
  operand.dims = array.dims;
  operand.array = std::make_shared<const Array>(std::move(array));
  importer_.set(file_.outputs[output], std::move(operand));
}

void Node::set_value(graph::ValueId value, Extents dims, size_t output) {
  if (!wants_output(output)) return;
  N2D2_CHECK(importer_.graph_.value(value).type.shape == map_shape(dims), "{}: {} as {}", file_.subject(),
             importer_.graph_.value(value).type.shape.text(), text_of(dims));
  Operand operand;
  operand.dims = std::move(dims);
  operand.value = value;
  importer_.set(file_.outputs[output], std::move(operand));
}

void Node::set_channels_last(graph::ValueId value, Extents dims) {
  if (!wants_output(0)) return;
  N2D2_CHECK(importer_.graph_.value(value).type.shape == map_shape(channels_first(dims)), "{}: {} as {}",
             file_.subject(), importer_.graph_.value(value).type.shape.text(), text_of(dims));
  Operand operand;
  operand.dims = std::move(dims);
  operand.value = value;
  operand.channels_last = true;
  importer_.set(file_.outputs[0], std::move(operand));
}

void Node::move_batch(size_t axis, size_t output) {
  if (wants_output(output)) importer_.move_batch(file_.outputs[output], axis);
}

void Node::set_grid(const Grid& grid, size_t output) {
  if (wants_output(output)) importer_.set_grid(file_.outputs[output], grid);
}

void Node::pass_on(const Operand& from, Extents dims) {
  const Shape shape = map_shape(dims);
  if (importer_.graph_.value(from.value).type.shape == shape) {
    // A name that this node alone reads is none that another node could read the value by.
    const auto is_own = [&](const std::string& name) {
      const auto found = importer_.operands_.find(name);
      return found != importer_.operands_.end() && &found->second == &from && importer_.reads_[name] == 1;
    };
    if (std::any_of(file_.inputs.begin(), file_.inputs.end(), is_own)) --importer_.names_[from.value];
    return set_value(from.value, std::move(dims));
  }
  set_value(as_map(from.value, shape, ""), std::move(dims));
}

graph::ValueId Importer::behind_reshapes(graph::ValueId value) const {
  for (;;) {
    const graph::NodeId producer = graph_.value(value).producer;
    if (!producer || !nodes_.contains(producer)) return value;
    const graph::Node& node = graph_.node(producer);
    if (graph::as<ops::Reshape>(node) == nullptr || node.clamp) return value;
    value = node.inputs.at(0);
  }
}

std::string Node::helper(std::string_view suffix) const {
  std::string name;
  for (const std::string& output : file_.outputs)
    if (name.empty()) name = output;
  return importer_.graph_.unique_name(suffix.empty() ? name : fmt::format("{}_{}", name, suffix));
}

graph::ValueId Node::add_constant(std::string_view role, Tensor tensor, std::optional<QuantParams> quant) {
  return importer_.graph_.add_constant(helper(role), std::move(tensor), std::move(quant));
}

graph::ValueId Node::add(std::unique_ptr<graph::Operator> op, std::vector<graph::ValueId> inputs,
                         std::string_view suffix) {
  layer = importer_.graph_.add(std::move(op), helper(suffix), std::move(inputs), importer_.origin_);
  importer_.nodes_.insert(layer);
  const graph::ValueId value = importer_.graph_.node(layer).outputs.at(0);
  importer_.graph_.value(value).type.shape.elements();
  return value;
}

graph::ValueId Node::as_map(graph::ValueId value, const Shape& shape, std::string_view suffix) {
  if (importer_.graph_.value(value).type.shape == shape) return value;
  value = importer_.behind_reshapes(value);
  if (importer_.graph_.value(value).type.shape == shape) return value;
  auto reshape = std::make_unique<ops::Reshape>();
  reshape->dims = {static_cast<int>(shape.w()), static_cast<int>(shape.h()), static_cast<int>(shape.c())};
  return add(std::move(reshape), {value}, suffix);
}

void Node::finish(std::unique_ptr<graph::Operator> op, std::vector<graph::ValueId> inputs, Extents dims) {
  const graph::ValueId value = add(std::move(op), std::move(inputs));
  set_value(value, std::move(dims));
}

Extents Node::extents_of(graph::ValueId value, size_t rank) {
  const Shape& shape = importer_.graph_.value(value).type.shape;
  Extents dims{data(0).dims.at(0), shape.c()};
  if (rank > 3) dims.push_back(shape.h());
  if (rank > 2) dims.push_back(shape.w());
  return dims;
}

void Node::finish_map(std::unique_ptr<graph::Operator> op, std::vector<graph::ValueId> inputs, size_t rank) {
  const graph::ValueId value = add(std::move(op), std::move(inputs));
  set_value(value, extents_of(value, rank));
}

std::vector<std::string> Node::unread_attributes() const {
  std::vector<std::string> names;
  for (const auto& [name, attribute] : file_.attributes)
    if (!read_.contains(name)) names.push_back(name);
  return names;
}

std::vector<std::string> Node::unread_inputs() const {
  std::vector<std::string> names;
  for (size_t slot = 0; slot < file_.inputs.size(); ++slot)
    if (has_input(slot) && !read_inputs_.contains(slot)) names.push_back(file_.inputs[slot]);
  return names;
}

}  // namespace n2d2::onnx
