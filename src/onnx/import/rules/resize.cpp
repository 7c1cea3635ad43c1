#include "n2d2/ops/resize.hpp"

#include <array>
#include <cmath>

#include "import/node.hpp"

namespace n2d2::onnx {

namespace {

template <class Value>
using Names = std::vector<std::pair<std::string_view, Value>>;

/// The value of a name; refused when it is none of them.
template <class Value>
Value one_of(std::string_view attribute, const std::string& text, const Names<Value>& names,
             const std::string& rewrite) {
  std::vector<std::string> known;
  for (const auto& [name, value] : names) {
    if (name == text) return value;
    known.emplace_back(name);
  }
  refuse(fmt::format("{} '{}' is not imported, only {}", attribute, text, join(known, ", ")), rewrite);
}

/// One axis: how many elements it gets, and how many of them an element of the input makes.
struct Target {
  int64_t in = 1, out = 1;
  /// As the file gives it; 0: out / in.
  double scale = 0;
};

/// Numbers of the axes that `axes` lists, as numbers of all axes; `others` are those of the rest.
template <class Value, class Others>
std::vector<Value> for_all_axes(Node& node, const std::vector<Value>& given, const Extents& dims,
                                const Others& others) {
  if (!node.has("axes")) return given;
  const std::vector<int64_t> axes = node.integers("axes");
  if (given.size() != axes.size())
    refuse(fmt::format("{} scales or sizes for {} axes", given.size(), axes.size()));
  std::vector<Value> out;
  for (const int64_t extent : dims) out.push_back(others(extent));
  for (size_t i = 0; i < axes.size(); ++i) out[axis_of(axes[i], dims.size())] = given[i];
  return out;
}

std::vector<Target> from_scales(const std::vector<float>& scales, const Extents& dims) {
  if (scales.size() != dims.size()) refuse(fmt::format("{} scales for {}", scales.size(), text_of(dims)));
  std::vector<Target> targets;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!(scales[i] > 0) || !std::isfinite(scales[i]))
      refuse(fmt::format("scale {}, expected a positive number", scales[i]));
    const float out = std::floor(static_cast<float>(dims[i]) * scales[i]);
    Target target{dims[i],
                  window_size("an extent of the result", static_cast<int64_t>(std::min(out, 1e9F)), 1),
                  static_cast<double>(scales[i])};
    if (target.scale * static_cast<double>(target.in) == static_cast<double>(target.out)) target.scale = 0;
    targets.push_back(target);
  }
  return targets;
}

std::vector<Target> from_sizes(const std::vector<int64_t>& sizes, const Extents& dims) {
  if (sizes.size() != dims.size()) refuse(fmt::format("{} sizes for {}", sizes.size(), text_of(dims)));
  std::vector<Target> targets;
  for (size_t i = 0; i < dims.size(); ++i)
    targets.push_back({dims[i], window_size("an extent of the result", sizes[i], 1), 0});
  return targets;
}

/// A constant that may be left out or empty.
const Array* given(Node& node, size_t slot, std::string_view what) {
  const Array* array = node.optional_constant(slot, what);
  return array != nullptr && array->size() > 0 ? array : nullptr;
}

std::vector<float> reals_of(const Array& array) {
  if (array.is_integer) refuse("the scales are integers, expected real numbers");
  return array.reals;
}

/// Where a node of this operator set keeps its scales and sizes.
std::vector<Target> read_targets(Node& node, const Extents& dims) {
  if (node.has("scales")) return from_scales(node.reals("scales"), dims);
  const bool old = node.file().type == "Upsample" || node.opset() < 11;
  if (!old && node.has_input(1)) node.input(1);  // the region of interest, of tf_crop_and_resize alone
  const Array* scales = given(node, old ? 1 : 2, "the scales");
  const Array* sizes = old ? nullptr : given(node, 3, "the sizes");
  if ((scales != nullptr) == (sizes != nullptr)) refuse("expected either scales or sizes");
  if (scales != nullptr)
    return from_scales(for_all_axes(node, reals_of(*scales), dims, [](int64_t) { return 1.0F; }), dims);
  if (!sizes->is_integer) refuse("the sizes are real numbers, expected integers");
  return from_sizes(for_all_axes(node, sizes->integers, dims, [](int64_t extent) { return extent; }), dims);
}

/// Mode, positions and rounding; before operator set 11 there was one way only.
void read_method(Node& node, ops::Resize& resize) {
  using ops::ResizeMode;
  resize.mode = one_of("mode", node.text("mode", "nearest"),
                       Names<ResizeMode>{{"nearest", ResizeMode::NearestNeighbor},
                                         {"linear", ResizeMode::BilinearTF},
                                         {"bilinear", ResizeMode::BilinearTF}},
                       "export the model with mode=linear");
  if (node.file().type == "Upsample" || node.opset() < 11) return;
  using P = ops::ResizePositions;
  resize.positions =
      one_of("coordinate_transformation_mode", node.text("coordinate_transformation_mode", "half_pixel"),
             Names<P>{{"half_pixel", P::HalfPixel},
                      {"pytorch_half_pixel", P::PytorchHalfPixel},
                      {"align_corners", P::AlignCorners},
                      {"asymmetric", P::Asymmetric},
                      {"tf_half_pixel_for_nn", P::TfHalfPixel}},
             "crop with Slice, then resize with half_pixel");
  using R = ops::ResizeRounding;
  resize.rounding = one_of("nearest_mode", node.text("nearest_mode", "round_prefer_floor"),
                           Names<R>{{"round_prefer_floor", R::RoundPreferFloor},
                                    {"round_prefer_ceil", R::RoundPreferCeil},
                                    {"floor", R::Floor},
                                    {"ceil", R::Ceil}},
                           "");
  if (const std::string policy = node.text("keep_aspect_ratio_policy", "stretch"); policy != "stretch")
    refuse(fmt::format("keep_aspect_ratio_policy '{}' is not imported, only stretch", policy),
           "export the model with the sizes that it gives");
  if (node.integer("antialias", 0) != 0)
    refuse("attribute 'antialias' is set, which is not imported", "resize without antialias, or pool before");
  node.expect("exclude_outside", 0, "only cubic interpolation can do without it");
  node.real("cubic_coeff_a", 0);        // of a mode that is refused
  node.real("extrapolation_value", 0);  // of positions that are refused
}

/// What different programs compute differently.
void refuse_ambiguous(Node& node, const ops::Resize& resize, const std::vector<Target>& targets) {
  for (const Target& t : targets) {
    if (resize.positions == ops::ResizePositions::AlignCorners && t.scale != 0)
      refuse(fmt::format(
                 "align_corners with a scale of {} makes {} of {}, whose last corner lies between pixels",
                 t.scale, t.out, t.in),
             "give sizes instead of scales");
    if (node.opset() < 11 && resize.mode == ops::ResizeMode::NearestNeighbor && t.out < t.in)
      refuse("the nearest pixel of a smaller map is not defined before operator set 11",
             "export the model for operator set 11 or newer");
  }
}

void convert_resize(Node& node) {
  const Operand& data = node.data();
  if (data.dims.size() != 3 && data.dims.size() != 4)
    refuse(fmt::format("the data has extents {}, expected N,C,L or N,C,H,W", text_of(data.dims)));
  auto resize = std::make_unique<ops::Resize>();
  read_method(node, *resize);
  const std::vector<Target> targets = read_targets(node, data.dims);
  for (size_t i = 0; i < 2; ++i)
    if (targets[i].out != targets[i].in || targets[i].scale != 0)
      refuse(fmt::format("resizes axis {} of {}, only those behind the channels are resized", i,
                         text_of(data.dims)),
             "export the model with channels first");
  refuse_ambiguous(node, *resize, targets);
  const bool moves = resize->mode == ops::ResizeMode::NearestNeighbor;
  if (data.grid && !moves) refuse("interpolates integers", "put a DequantizeLinear in between");
  Extents dims;
  for (const Target& target : targets) dims.push_back(target.out);
  resize->output_width = static_cast<int>(targets.back().out);
  resize->scale_x = targets.back().scale;
  resize->output_height = targets.size() == 4 ? static_cast<int>(targets[2].out) : 1;
  if (targets.size() == 4) resize->scale_y = targets[2].scale;
  node.finish(std::move(resize), {data.value}, std::move(dims));
  if (data.grid) node.set_grid(*data.grid);
}

}  // namespace

void register_resize(RuleRegistry& registry);
void register_resize(RuleRegistry& registry) {
  registry.add("Resize", {convert_resize, nullptr, Integers::Read});
  registry.add("Upsample", {convert_resize, nullptr, Integers::Read});
}

}  // namespace n2d2::onnx
