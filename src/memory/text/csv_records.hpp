// Which fields stand on which line of a CSV text (RFC 4180)?
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "n2d2/base/error.hpp"

namespace n2d2::memory {

struct CsvRecord {
  int line = 0;  ///< where it starts, from 1
  std::vector<std::string> fields;
};

/// All records but blank lines and those that start with '#'. A quote that is never closed is an error.
std::vector<CsvRecord> csv_records(std::string_view text, const std::string& file, Diagnostics& diagnostics);

}  // namespace n2d2::memory
