// How are stimuli and layer outputs written for the exported program?
#pragma once

#include <span>
#include <string>

#include "n2d2/export/file_tree.hpp"

#include "planned_network.hpp"

namespace n2d2::targets::cpp {

/// stimuli/env<k>.pgm|ppm, stimuli.list, stimuli.link, stimuli_stats/.
void write_stimuli(const PlannedNetwork& network, std::span<const Stimulus> stimuli,
                   exporter::FileTree& tree);

/// "env07.pgm": index padded to ceil(log10(count)) digits.
std::string stimulus_name(size_t index, size_t count, int64_t channels);

/// The text form of a map, as SAVE_OUTPUTS writes it: C,H,W order; a line "<channel>:",
/// one line a row, an empty line. Integers in decimal, floats with 9 digits.
std::string dump_text(const Tensor& tensor);

}  // namespace n2d2::targets::cpp
