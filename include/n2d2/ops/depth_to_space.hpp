// How do blocks of channels become blocks of pixels, and back?
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// What the channels of the deep map count through, slowest first: D the shallow map's channels, R the rows
/// and C the columns of a block. Names are those of ONNX: depth-column-row is block first, column-row-depth
/// channel first.
enum class BlockOrder { Dcr, Crd };

}  // namespace n2d2::ops

template <>
struct n2d2::EnumText<n2d2::ops::BlockOrder> {
  static constexpr std::array names{"DCR", "CRD"};
};

namespace n2d2::ops {

/// Deep N, C a b, H, W <-> shallow N, C, H a, W b with b = BlockSize, a = BlockRows (b where it is 0).
/// Element (c, y a + i, x b + j) of the shallow map is element (i b C + j C + c, y, x) of the deep one, in
/// the order CRD (c a b + i b + j, y, x). ToDepth goes from shallow to deep. Crop takes rows and columns off
/// the shallow map that DepthToSpace makes. Source: ONNX DepthToSpace, SpaceToDepth; BlockRows and Crop are
/// ours.
struct DepthToSpace final : graph::OperatorBase<DepthToSpace> {
  static constexpr const char* kType = "DepthToSpace";
  int block_size = 1, block_rows = 0;
  BlockOrder order = BlockOrder::Dcr;
  bool to_depth = false;
  Pads crop;

  template <class V>
  static void fields(V&& v) {
    v("BlockSize", &DepthToSpace::block_size, required, at_least(1), help("columns and rows of a block"));
    v("BlockRows", &DepthToSpace::block_rows, at_least(0), help("rows of a block, 0: BlockSize"));
    v("Order", &DepthToSpace::order, help("block first (DCR) or channel first (CRD)"));
    v("ToDepth", &DepthToSpace::to_depth, help("blocks of pixels become channels"));
    v("Crop", &DepthToSpace::crop, at_least(0), help("left top right bottom: pixels cut off the output"));
  }

  Dims block() const { return {block_size, block_rows > 0 ? block_rows : block_size}; }
  /// Whether no value moves.
  bool is_identity() const { return block() == Dims{1, 1} && crop == Pads{}; }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

}  // namespace n2d2::ops
