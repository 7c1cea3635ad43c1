// Answers: what does a stimulus file hold, and which stimulus files are there?
// Part of an exported project; may be used without condition.
#pragma once

#include <string>
#include <vector>

#include <stdint.h>

namespace N2D2_Export {

struct Stimulus {
  std::vector<unsigned char> data;  // the elements as they lie in memory, HWC without gaps
  std::vector<int32_t> targets;     // as propagate() writes them; negative: not scored
  std::vector<double> expected;  // CHW: what target 0 ought to give, as an input; empty unless it gives data
};

// Netpbm header (P6 if more than one channel, else P5; width, height, 255 up to 8 bits else 65535), then the elements
// HWC, then for each target the expected classes, 32 bits each, or, where data are expected (NetworkFacts::are_data), as many elements as
// the input has, CHW. Numbers are little-endian.
// Fails if the header does not fit the network or the file is shorter or longer than that.
Stimulus read_stimulus(const std::string& path);

// Zeros.
Stimulus no_stimulus();

// The .pgm and .ppm files of a directory in name order; none if there is no such directory. With NO_DIRENT: the first word of each line of stimuli.list.
std::vector<std::string> list_stimuli(const std::string& directory);

// "stimuli/env07.pgm" -> "env07"
std::string stimulus_name(const std::string& path);

}  // namespace N2D2_Export
