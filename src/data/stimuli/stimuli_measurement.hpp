// How are the values of many pictures added up, whatever the number of threads?
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "n2d2/data/stimuli_statistics.hpp"

#include "database/picture_cache.hpp"

namespace n2d2::data {

/// Pictures 0 to count - 1, read in blocks and added in their order. `images`: mean and deviation of each
/// place as well, which takes pictures of one size (ConfigError "expected ...", with name(i)).
StimuliMeasurement measure_pictures(int64_t count,
                                    const std::function<PictureCache::Picture(int64_t)>& picture,
                                    const std::function<std::string(int64_t)>& name, bool images);

}  // namespace n2d2::data
