// Do the transformations make what the network takes? Asked before a picture is read.
#pragma once

#include <vector>

#include "n2d2/data/stimuli_provider.hpp"

namespace n2d2::data {

/// Follows `form`, what is known of the pictures of the database, through the steps; a form that is known in
/// full goes through them as a black picture. Errors: what a step refuses, at the step; a result that is not
/// the input of `options`, at the step that gave it its size or its channels.
void check_chain(const std::vector<const Transformation*>& steps, PictureForm form,
                 const ProviderOptions& options, Diagnostics& diagnostics);

}  // namespace n2d2::data
