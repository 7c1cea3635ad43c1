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

/// Takes numbers for inputs that are one number (`rate=16000`) out of -calib-npy and returns them, between
/// commas. The name of the only other input goes from its file. ConfigError for what is no number.
std::string take_constants(Options& options, const onnx::Model& model);

/// What gives samples to each input of the file, in its order.
struct InputFiles {
  std::vector<std::string> paths;  ///< "0": zeros; empty: nothing does, there are no samples
  std::vector<bool> are_made;      ///< states, whose values a run over the other inputs makes
};

/// Files of `-calib-npy`: one for each input in the order of the file, without those of `-states` or with
/// them, or `<input>=<file>`, between commas. `<input>=0`, and inputs that are not named, are zeros; states
/// that are not named are made.
/// ConfigError for options of pictures, and for files that do not go with the inputs.
InputFiles input_files(const Options& options, const onnx::Model& model);

/// [database], [sp] and its step. `factors`: the largest magnitudes of the inputs, by which their elements
/// are divided so that one scale of integers holds all; empty: elements are as they are.
std::vector<DocumentedSection> joined_sections(const Options& options, const onnx::Model& model,
                                               const InputFiles& files, const std::vector<double>& factors);

/// The largest magnitude of each input over the samples that calibrate; 1 for zeros. `raw`: the network whose
/// samples are as they are.
std::vector<double> input_factors(const Options& options, const loader::Network& raw);

/// Runs the network over its samples as one sequence that begins with states of 0, and writes the states
/// before each sample as states/<input>.npy. Their paths take the place of zeros.
InputFiles with_states(const Options& options, InputFiles files, const loader::Network& raw);

}  // namespace n2d2::app
