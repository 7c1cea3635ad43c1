// What do kernels read that move blocks of pixels?
#pragma once

#include "host.hpp"

namespace n2d2::targets::cpp {

struct BlockConfig : Planes {
  int block_w = 1, block_h = 1, of_row = 1, of_column = 1, of_channel = 1;
  template <class V>
  void visit(V&& v) const {
    visit_planes(v);
    v("block_w", block_w), v("block_h", block_h);
    v("of_row", of_row), v("of_column", of_column), v("of_channel", of_channel);
  }
};

}  // namespace n2d2::targets::cpp

#ifndef N2D2_HOST_VARIANT

#include "n2d2/ops/depth_to_space.hpp"

#include "layer.hpp"

namespace n2d2::targets::cpp {

inline void set_block(BlockConfig& c, const Site& site) {
  const auto& op = *graph::as<ops::DepthToSpace>(site.node());
  set_planes(c, site);
  const Dims block = site.oriented(op.block());
  c.block_w = block.x, c.block_h = block.y;
  const int shallow = op.to_depth ? c.in_c : c.out_c, columns = op.block().x;
  const bool block_first = op.order == ops::BlockOrder::Dcr;
  const Dims steps = site.oriented(block_first ? Dims{shallow, columns * shallow} : Dims{1, columns});
  c.of_column = steps.x, c.of_row = steps.y;
  c.of_channel = block_first ? 1 : block.x * block.y;
}

}  // namespace n2d2::targets::cpp

#endif
