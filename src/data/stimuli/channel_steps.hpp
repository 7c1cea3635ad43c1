// What becomes of the picture when its channels are made one by one?
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "n2d2/data/transformation.hpp"

namespace n2d2::data {

/// A step of [sp.ChannelTransformation*] and the like: for one channel, or for each.
struct ChannelStep {
  std::shared_ptr<const Transformation> step;
  /// -1: every channel.
  int channel = -1;
};

/// Steps in the order in which they run, at least one, seen as one by the pictures of a partition. `count`:
/// channels that are made, each from the whole picture; 0: those of the picture, each by itself. A step for
/// every channel changes all of them alike when it is random.
std::unique_ptr<const Transformation> channel_steps(const std::vector<ChannelStep>& steps, int count,
                                                    Partition partition);

}  // namespace n2d2::data
