// What kind of samples does a folder hold, and do its folders label them?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "n2d2/data/sample_kind.hpp"

namespace n2d2::app {

struct SampleFolder {
  data::SampleKind kind = data::SampleKind::None;
  /// What the names of the samples end in: sorted, lower case, without dot.
  std::vector<std::string> endings;
  /// Folders right below that hold samples, sorted; empty when one sample lies beside them.
  std::vector<std::string> labels;
  /// Some are .bin files.
  bool has_bin = false;
};

/// Looks through a folder and all below it; a file is looked at as itself. Files that nothing reads are left
/// out, with a notice. ConfigError beginning with `option` ("-calib-dir") when there is no sample, or
/// pictures and arrays.
SampleFolder look_through(const std::string& option, const std::string& path);

}  // namespace n2d2::app
