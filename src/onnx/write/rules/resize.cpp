#include "n2d2/ops/resize.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "write/writer_node.hpp"

namespace n2d2::onnx {

namespace {

constexpr std::array kPositions{"asymmetric", "align_corners", "half_pixel", "pytorch_half_pixel",
                                "tf_half_pixel_for_nn"};
constexpr std::array kRoundings{"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"};

/// A scale that gives the extent, which ONNX takes to be floor(in * scale).
float scale_of(double given, int64_t in, int64_t out) {
  if (given > 0) return static_cast<float>(given);
  auto scale = static_cast<float>(static_cast<double>(out) / static_cast<double>(in));
  while (std::floor(static_cast<float>(in) * scale) < static_cast<float>(out))
    scale = std::nextafter(scale, std::numeric_limits<float>::infinity());
  return scale;
}

void write_resize(NodeWriter& node) {
  const auto& op = node.op<ops::Resize>();
  const Shape &in = node.in(), &out = node.out();
  const bool nearest = op.mode == ops::ResizeMode::NearestNeighbor;
  const std::string scales = node.reals(
      "scales", {1, 1, scale_of(op.scale_y, in.h(), out.h()), scale_of(op.scale_x, in.w(), out.w())});
  WrittenAttributes attributes{
      {"mode", std::string(nearest ? "nearest" : "linear")},
      {"coordinate_transformation_mode", std::string(kPositions.at(static_cast<size_t>(op.positions)))}};
  if (nearest)
    attributes.emplace_back("nearest_mode", std::string(kRoundings.at(static_cast<size_t>(op.rounding))));
  node.result(node.add("Resize", {node.map(), "", scales}, attributes), false);
}

}  // namespace

void register_resize(WriteRegistry& registry);
void register_resize(WriteRegistry& registry) {
  registry.add(ops::Resize::kType, write_resize);
}

}  // namespace n2d2::onnx
