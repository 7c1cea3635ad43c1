#include "n2d2/memory/plan.hpp"

namespace n2d2::memory {

Pieces pieces(const Plan& plan, BufferId buffer) {
  const View& view = plan.views[static_cast<size_t>(buffer)];
  const Space& space = plan.spaces[static_cast<size_t>(view.space)];
  const Bytes total = view.row * view.height;
  const Bytes start = space.offset + view.offset;
  if (view.wrap == 0 || view.wrap >= total) return {start, total, 0, 0};
  return {start, view.wrap, space.offset, total - view.wrap};
}

}  // namespace n2d2::memory
