// How is a record of a CSV text written (RFC 4180)?
#pragma once

#include <string>
#include <vector>

namespace n2d2 {

/// One record with its line end; fields are quoted where their text demands it.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace n2d2
