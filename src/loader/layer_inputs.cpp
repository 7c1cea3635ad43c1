// What does a layer read? Its parents, side by side, and which of their channels feed which output.
#include "n2d2/base/log.hpp"
#include "n2d2/ops/concat.hpp"
#include "n2d2/ops/resize.hpp"

#include "layer_builder.hpp"
#include "section_keys.hpp"

namespace n2d2::loader {

namespace {

/// "26x24", width first, as keys have it.
std::string size_text(const Shape& map) {
  return fmt::format("{}x{}", map.w(), map.h());
}

}  // namespace

void LayerBuilder::find_inputs() {
  names_ = parents_of(b_, layer_);
  for (const std::string& input : names_) {
    if (input.empty()) {
      error_at("Input", "expected names of layers or 'sp', got an empty name");
      continue;
    }
    if (b_.is_provider(input)) {
      if (b_.input) inputs_.push_back(*b_.input);
      broken_input_ = broken_input_ || !b_.input;
      continue;
    }
    const auto parent = b_.layers.find(input);
    if (parent == b_.layers.end()) {
      unknown_parent(b_, name_, input);
      broken_input_ = true;
    } else if (parent->second.value) {
      inputs_.push_back(*parent->second.value);
    } else {
      broken_input_ = true;
    }
  }
  if (names_.size() > 1 && !type_->concatenates && type_->name != "ElemWise")
    error_at("Input", fmt::format("a {} layer reads one input, got {}", type_->name, names_.size()));
}

std::vector<int64_t> LayerBuilder::input_parts(bool flattened) const {
  std::vector<int64_t> parts;
  if (inputs_.size() < 2) return parts;
  for (const graph::ValueId input : inputs_) {
    const Shape& in = b_.net.graph.value(input).type.shape;
    parts.push_back(flattened ? in.c() * in.h() * in.w() : in.c());
  }
  return parts;
}

bool LayerBuilder::match_sizes() {
  if (!type_->concatenates || inputs_.size() < 2) return true;
  const auto shape_of = [&](size_t i) { return b_.net.graph.value(inputs_[i]).type.shape; };
  const auto is_point = [](const Shape& map) { return map.h() == 1 && map.w() == 1; };
  size_t largest = 0;
  while (largest + 1 < inputs_.size() && is_point(shape_of(largest))) ++largest;
  const Shape map = shape_of(largest);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Shape in = shape_of(i);
    if (in.h() == map.h() && in.w() == map.w()) continue;
    if (!is_point(in)) {
      error_at("Input",
               fmt::format("'{}' is {} (width x height), '{}' is {}", names_[i], size_text(in),
                           names_[largest], size_text(map)),
               "inputs side by side need one size; Padding, Pool and Resize change it");
      return false;
    }
    log::notice("[{}] Input: '{}' of 1x1 is repeated over {}", name_, names_[i], size_text(map));
    auto resize = std::make_unique<ops::Resize>();
    resize->output_width = static_cast<int>(map.w());
    resize->output_height = static_cast<int>(map.h());
    add_node(std::move(resize), b_.fresh_name(name_ + "_repeat"), {inputs_[i]});
    inputs_[i] = *value_;
  }
  return true;
}

void LayerBuilder::check_window() {
  const auto check = [&](const char* key, int64_t whole, const char* what) {
    int asked = 0;
    if (!read_field(field_info(key, at_least(0)), asked, *section_, b_.diagnostics)) return;
    if (asked != 0 && asked != whole)
      error_at(key, fmt::format("expected {}{}, got '{}'", whole, what, asked),
               "a window of the input is known to N2D2, not supported; a Padding layer with negative values "
               "crops");
  };
  check("InputOffsetX", 0, ", where the map begins");
  check("InputOffsetY", 0, ", where the map begins");
  check("InputWidth", shape().w(), ", the width of the map");
  check("InputHeight", shape().h(), ", the height of the map");
}

/// The layer's single data input: the concatenation of several.
void LayerBuilder::connect() {
  value_ = inputs_.front();
  if (inputs_.size() > 1 && type_->name != "ElemWise")
    add_node(std::make_unique<ops::Concat>(), b_.fresh_name(name_ + "_concat"), inputs_);
}

void LayerBuilder::map_channels() {
  std::vector<MappedInput> mapped;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    MappedInput input;
    input.names.push_back(names_[i]);
    if (b_.is_provider(names_[i])) input.names = {"env", "sp", "cenv"};
    input.channels = static_cast<int>(b_.net.graph.value(inputs_[i]).type.shape.c());
    mapped.push_back(std::move(input));
  }
  mapping_ = read_mapping(*section_, mapped, nb_outputs_, b_.diagnostics);
}

/// Inputs of an ElemWise that are smaller than its output.
void LayerBuilder::note_repeated_operands() const {
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (const Shape& in = b_.net.graph.value(inputs_[i]).type.shape; !(in == shape()))
      log::notice("[{}] Input: '{}' of {} is repeated over {}", name_, names_[i], in.text(), shape().text());
}

}  // namespace n2d2::loader
