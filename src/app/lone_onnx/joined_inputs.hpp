// What stands for an ONNX file of several inputs, which are one input of the network?
#pragma once

#include <string>
#include <vector>

#include "n2d2/loader/network.hpp"
#include "n2d2/onnx/importer.hpp"

#include "command_line/options.hpp"
#include "onnx_samples.hpp"

namespace n2d2::app {

/// Elements of each input of the file, in its order. ModelError for an extent that is open.
std::vector<int64_t> sizes_of_inputs(const onnx::Model& model, const std::string& path);

/// [database], [sp] and its step. Files of `-calib-npy`: one for each input in the order of the file, or
/// `<input>=<file>`, between commas; `<input>=0` and inputs that are not named are zeros. `factors`: the
/// largest magnitudes of the inputs, by which their elements are divided so that one scale of integers holds
/// all; empty: elements are as they are.
/// ConfigError for options of pictures, and for files that do not go with the inputs.
std::vector<DocumentedSection> joined_sections(const Options& options, const onnx::Model& model,
                                               const std::vector<double>& factors);

/// The largest magnitude of each input over the samples that calibrate; 1 for zeros. `raw`: the network whose
/// samples are as they are; none when it has no samples.
std::vector<double> input_factors(const Options& options, const loader::Network& raw);

}  // namespace n2d2::app
