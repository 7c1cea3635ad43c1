// How are problems, plans and memory maps written as text, and read back?
//
// A problem, one record a line, fields quoted where needed (RFC 4180), names instead of indices:
//   alignment,<bytes>
//   memory,<name>,<capacity>,<alignment>
//   buffer,<name>,<first>,<end>,<used>,<pixel>,<width>,<height>,<keep 0|1>,<host or empty>,<offset in host>,
//     <names of memories, blank-separated, or empty>
//   step,<name>,<first written buffer or empty>,<scratch>,<rows per step>,<raster order 0|1>,<overlap 0|1>,
//     <any order 0|1>
//   write,<buffer>                                   a further buffer that the step above writes
//   scratch,<names of memories, blank-separated>     where the scratch of the step above may lie
//   read,<buffer>,<Rows|Element|Whole|Same>,<stride>,<pad>,<extent>      belongs to the step above
// A plan:
//   peak,<memory>,<bytes>
//   space,<memory>,<offset>,<size>,<first>,<end>
//   view,<buffer>,<space index>,<offset>,<pixel>,<row>,<wrap>,<width>,<height>
//   scan,<step>,<TopDown|BottomUp|Any>,<scratch space index or empty>
// Blank lines and lines that start with '#' are skipped.
#pragma once

#include <string>
#include <string_view>

#include "n2d2/memory/plan.hpp"

namespace n2d2::memory {

std::string problem_to_csv(const Problem& problem);

/// Reads a problem; also the four columns id,lower,upper,size of minimalloc's instances (a problem without
/// steps). `file` is the name errors carry. Throws ConfigError with all findings, each with its line; the
/// problem returned is well formed.
Problem problem_from_csv(std::string_view text, const std::string& file);

std::string plan_to_csv(const Problem& problem, const Plan& plan);

/// Throws ConfigError with all findings, each with its line. Does not judge the plan: see validate.
Plan plan_from_csv(std::string_view text, const Problem& problem, const std::string& file);

struct PlanFile {
  Problem problem;
  Plan plan;
};

/// Reads a file that holds the records of a problem and those of a plan of it. Throws as the two readers.
PlanFile plan_file_from_csv(std::string_view text, const std::string& file);

/// memory_mapping.csv:
/// cell,plane,memory,start,size,wrapStart,wrapSize,stride,length,count, scan,t0,t1. One line per buffer,
/// bytes; life [t0, t1) in steps. The cell is the step that writes the buffer, or the buffer's own name when
/// none does; scratch has the plane "scratch".
std::string memory_map_csv(const Problem& problem, const Plan& plan);
/// memory_mapping.json: peak, lowerBound, memories, and the same rows as objects under "planes".
std::string memory_map_json(const Problem& problem, const Plan& plan);
/// memory_mapping.log in the original's line format, in bytes, cells in name order.
/// "to <released>" is the last step of the life; absent for what lives to the end.
std::string memory_map_log(const Problem& problem, const Plan& plan);

}  // namespace n2d2::memory
