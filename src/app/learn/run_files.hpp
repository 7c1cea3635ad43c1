// What does `-log-files` write about the data and the network, besides scores and weights?
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "n2d2/loader/network.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// Below `folder`: `map/<layer>_map.dat` of layers with weights, a line for each input
/// channel, 1 where it feeds the output; `receptive_fields.log`; `frames/frame_<i>.dat` and
/// `frames/test_frame_<i>.dat`, as numbers and as .png, the first ten Learn and Test samples as the network
/// sees them, and `frames/frames.txt` with their names and labels; `<model>.svg` and `.png`, the network.
void write_network_files(const loader::Network& net, const std::string& model,
                         const std::filesystem::path& folder);

/// `receptive_fields.log`: for each layer how many pixels of the input along x and y one of its pixels
/// depends on, and how far apart those of neighbours begin.
std::string receptive_fields_text(const graph::Graph& graph);

/// `schedule/learning_rate.dat`, `.svg` and `.png`: the learning rate of the run for each solver that
/// differs, at up to 1,000 stimuli of it.
void write_schedule(const loader::Network& net, const Options& options, const std::filesystem::path& folder);

}  // namespace n2d2::app
