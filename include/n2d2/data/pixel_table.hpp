// What do the last steps of a chain make of the bytes of a picture?
#pragma once

#include <span>

#include "n2d2/data/image.hpp"
#include "n2d2/data/transformation.hpp"
#include "n2d2/tensor/pixel_table.hpp"

namespace n2d2::data {

struct ProviderOptions;

/// `picture`: one of the database, which shows what the first steps make of pictures. The table holds for all
/// that become bytes of as many channels.
PixelTable pixel_table(std::span<const Transformation* const> steps, Image picture,
                       const ProviderOptions& options);

}  // namespace n2d2::data
