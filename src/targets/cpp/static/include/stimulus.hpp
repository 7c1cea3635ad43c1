// Answers: what does a stimulus file contain, and which stimulus files exist?
// Part of an exported project; may be used without condition.
#pragma once

#include <string>
#include <vector>

#include <stdint.h>

namespace N2D2_Export {

struct Stimulus {
  std::vector<unsigned char> data;  // elements as in memory, HWC without gaps
  std::vector<int32_t> targets;     // as propagate() writes them; negative: not scored
  std::vector<double> expected;     // CHW: values that target 0 should give; empty unless it gives data
};

// Reads a Netpbm header (P6 if more than one channel, else P5; width, height, 255 up to 8 bits else 65535),
// the elements HWC, then for each target the expected classes, 32 bits each, or, where it gives data
// (NetworkFacts::are_data), as many elements as the input has, CHW. Numbers are little-endian. Fails if the
// header does not fit the network or the file has another length.
Stimulus read_stimulus(const std::string& path);

// Returns a stimulus of zeros.
Stimulus no_stimulus();

// Returns the .pgm and .ppm files of a directory in name order. NO_DIRENT: the names in stimuli.list.
std::vector<std::string> list_stimuli(const std::string& directory);

// Returns the name of a stimulus: "stimuli/env07.pgm" -> "env07".
std::string stimulus_name(const std::string& path);

}  // namespace N2D2_Export
