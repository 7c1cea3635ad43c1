// How does a Transformation section become nodes? By the operators that do to maps what the step does to
// pictures.
#include <algorithm>
#include <type_traits>

#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/border.hpp"
#include "n2d2/ops/elemwise.hpp"
#include "n2d2/ops/padding.hpp"
#include "n2d2/ops/resize.hpp"
#include "n2d2/ops/scaling.hpp"
#include "n2d2/ops/threshold.hpp"

#include "layer_builder.hpp"
#include "section_keys.hpp"

namespace n2d2::loader {

namespace {

using Operators = std::vector<std::unique_ptr<graph::Operator>>;

Operators operators_of(const data::ResizeStep& step) {
  auto resize = std::make_unique<ops::Resize>();
  resize->output_width = step.width;
  resize->output_height = step.height;
  resize->mode = ops::ResizeMode::BilinearTF;
  resize->positions = ops::ResizePositions::HalfPixel;
  Operators out;
  out.push_back(std::move(resize));
  return out;
}

std::unique_ptr<graph::Operator> padding(int left, int top, int right, int bottom) {
  auto op = std::make_unique<ops::Padding>();
  op->left = left, op->top = top, op->right = right, op->bottom = bottom;
  return op;
}

/// What comes in shows pixels of the whole map: nothing is cut off before.
Operators operators_of(const data::WindowStep& step) {
  using Around = data::WindowStep::Around;
  Operators out;
  if (step.around == Around::Value && step.value == 0) {
    out.push_back(padding(step.left, step.top, step.right, step.bottom));
    return out;
  }
  auto border = std::make_unique<ops::Border>();
  border->mode = step.around == Around::Edge     ? ops::BorderMode::Edge
                 : step.around == Around::Mirror ? ops::BorderMode::Reflect
                                                 : ops::BorderMode::Constant;
  border->value = step.value;
  border->left = std::max(0, step.left), border->top = std::max(0, step.top);
  border->right = std::max(0, step.right), border->bottom = std::max(0, step.bottom);
  out.push_back(std::move(border));
  if (std::min({step.left, step.top, step.right, step.bottom}) < 0)
    out.push_back(padding(std::min(0, step.left), std::min(0, step.top), std::min(0, step.right),
                          std::min(0, step.bottom)));
  return out;
}

/// A Scaling where nothing is added: it has integers.
Operators operators_of(const data::AffineStep& step) {
  Operators out;
  if (std::all_of(step.shifts.begin(), step.shifts.end(), [](double shift) { return shift == 0; })) {
    auto scaling = std::make_unique<ops::Scaling>();
    scaling->factor = step.factors;
    out.push_back(std::move(scaling));
    return out;
  }
  auto sum = std::make_unique<ops::ElemWise>();
  sum->coeff_mode = ops::CoeffMode::PerChannel;
  sum->weights = step.factors;
  sum->shifts = step.shifts;
  out.push_back(std::move(sum));
  return out;
}

Operators operators_of(const data::UnitClipStep&) {
  auto clip = std::make_unique<ops::Relu>();
  clip->clipping = 1;
  Operators out;
  out.push_back(std::move(clip));
  return out;
}

Operators operators_of(const data::ThresholdStep& step) {
  auto threshold = std::make_unique<ops::Threshold>();
  N2D2_CHECK(ValueText<ops::ThresholdOperation>::parse(step.operation, threshold->operation),
             "operation '{}'", step.operation);
  threshold->threshold = step.threshold;
  threshold->max_value = step.max_value;
  Operators out;
  out.push_back(std::move(threshold));
  return out;
}

}  // namespace

std::unique_ptr<data::Transformation> LayerBuilder::read_transformation() {
  constexpr std::string_view kEnd = "Transformation";
  const auto found = section_->find("Transformation");
  const std::string hint = "layers are: " + join(data::transformations_of_maps(), ", ");
  if (!found) {
    error_at("Transformation", "missing, expected the type of one", hint);
    return nullptr;
  }
  const std::string type = found->text.ends_with(kEnd) ? found->text : found->text + std::string(kEnd);
  const auto* entry = data::transformations().find(type);
  if (entry == nullptr || !entry->has_map_steps) {
    error_at("Transformation",
             entry == nullptr ? data::unknown_transformation(type)
                              : fmt::format("'{}' has no form as a layer, only as a step of [sp]", type),
             hint);
    mark_all_read(b_.ini, name_);
    return nullptr;
  }
  auto step = data::make_transformation(type, *section_, b_.diagnostics);
  if (step && step->apply_to() != data::ApplyTo::All)
    error_at("ApplyTo", "a layer is there for all samples", "leave it out");
  else if (step && step->is_random())
    error_at("Transformation", "a random step has no form as a layer",
             "[sp.OnTheFlyTransformation] with ApplyTo=LearnOnly varies what is learnt");
  return step;
}

void LayerBuilder::add_transformation() {
  const auto side = [](int64_t extent) { return static_cast<int>(extent); };
  const std::vector<data::MapStep> steps =
      transformation_->map_steps({side(shape().w()), side(shape().h()), side(shape().c()), DataType::F32});
  Operators all;
  for (const data::MapStep& step : steps)
    for (auto& op : std::visit([](const auto& s) { return operators_of(s); }, step))
      all.push_back(std::move(op));
  for (size_t i = 0; i < all.size(); ++i) {
    const bool is_last = i + 1 == all.size();
    add_node(std::move(all[i]), is_last ? name_ : b_.fresh_name(name_ + "_step"), {*value_});
  }
}

}  // namespace n2d2::loader
