// Can the input of a program come row by row?
#pragma once

#include <string>

#include "n2d2/program/program.hpp"

namespace n2d2::program {

/// Why the rows of an input must all be there together.
struct SourceFault {
  std::string reason;    ///< one sentence without a period; empty: there is none
  SourceLocation where;  ///< of the layer that is to blame; nowhere: none is
};

/// Returns what keeps every region from beginning with the source. The program has a source and no places.
SourceFault source_fault(const Program& program);

}  // namespace n2d2::program
