// What operator sets 1 to 6 wrote in another way than set 7 does.
#include "element_types.hpp"
#include "expansion.hpp"

namespace n2d2::onnx {

namespace {

constexpr int64_t kNewForm = 7;

/// As it is, in the form of operator set 7.
void finish_new(Expansion& e, std::vector<std::string> inputs) {
  e.finish(e.node().type, std::move(inputs), e.attributes(), kNewForm);
}

/// Attributes that say nothing of inference.
Rewrite without(std::string_view attribute) {
  return [attribute](Expansion& e) {
    e.take(attribute);
    finish_new(e, e.node().inputs);
  };
}

/// `is_test` was 0 where it is missing, which asks for the statistics of the batch.
void write_batchnorm(Expansion& e) {
  const std::optional<Attribute> is_test = e.take("is_test");
  Attributes attributes = e.attributes();
  if (!is_test || is_test->integer == 0) attributes["training_mode"] = integer_attribute(1);
  e.finish("BatchNormalization", e.node().inputs, std::move(attributes), kNewForm);
}

/// The element type by its name.
void write_cast(Expansion& e) {
  const std::optional<Attribute> to = e.take("to");
  Attributes attributes = e.attributes();
  if (to) attributes["to"] = *to;
  constexpr int64_t kNewest = 32;
  for (int64_t type = 0; to && to->kind == Attribute::Kind::Text && type < kNewest; ++type)
    if (element_type_name(type) == to->text) attributes["to"] = integer_attribute(type);
  e.finish("Cast", e.node().inputs, std::move(attributes), kNewForm);
}

void write_concat_of_channels(Expansion& e) {
  Attributes attributes = e.attributes();
  attributes.emplace("axis", integer_attribute(1));
  e.finish("Concat", e.node().inputs, std::move(attributes), kNewForm);
}

void write_pad(Expansion& e) {
  const std::optional<Attribute> pads = e.take("paddings");
  Attributes attributes = e.attributes();
  if (pads) attributes["pads"] = *pads;
  e.finish("Pad", e.node().inputs, std::move(attributes), kNewForm);
}

void write_reshape(Expansion& e) {
  const std::optional<Attribute> shape = e.take("shape");
  if (!shape) return finish_new(e, e.node().inputs);
  const auto count = static_cast<int64_t>(shape->integers.size());
  finish_new(e, {e.input(0), e.constant(Array::of_integers({count}, shape->integers), "extents")});
}

void write_selu(Expansion& e) {
  Attributes attributes = e.attributes();
  attributes.emplace("alpha", real_attribute(1.6732F));
  attributes.emplace("gamma", real_attribute(1.0507F));
  e.finish("Selu", e.node().inputs, std::move(attributes), kNewForm);
}

void write_upsample(Expansion& e) {
  const std::optional<Attribute> x = e.take("width_scale"), y = e.take("height_scale");
  Attributes attributes = e.attributes();
  if (x && y) {
    attributes["scales"].kind = Attribute::Kind::Reals;
    attributes["scales"].reals = {1, 1, y->real, x->real};
  }
  e.finish("Upsample", e.node().inputs, std::move(attributes), kNewForm);
}

}  // namespace

const Rewrite* old_form_of(const FileNode& node) {
  struct Old {
    int64_t below;
    Rewrite rewrite;
  };
  static const std::map<std::string_view, Old> kForms{
      {"BatchNormalization", {7, write_batchnorm}},
      {"Cast", {6, write_cast}},
      {"Concat", {4, write_concat_of_channels}},
      {"Dropout", {7, without("is_test")}},
      {"GRU", {7, without("output_sequence")}},
      {"Gemm", {7, without("broadcast")}},
      {"LSTM", {7, without("output_sequence")}},
      {"Pad", {2, write_pad}},
      {"RNN", {7, without("output_sequence")}},
      {"Reshape", {5, write_reshape}},
      {"Selu", {6, write_selu}},
      {"Upsample", {7, write_upsample}},
  };
  const auto found = node.domain.empty() ? kForms.find(node.type) : kForms.end();
  return found == kForms.end() || node.opset >= found->second.below ? nullptr : &found->second.rewrite;
}

}  // namespace n2d2::onnx
