// How is a program run in pieces of rows?
#pragma once

#include <functional>
#include <vector>

#include "n2d2/program/program.hpp"

namespace n2d2::program {

/// Ranges that together are all rows of a call's outputs, in ascending order; at least one.
using RowCuts = std::function<std::vector<Rows>(const Program&, const Call&)>;

/// The program with a call for each range (opaque calls and the source stay whole), in the scan order of the call they come
/// from. Places, constants and cells stay; the bytes of every output stay those of the whole calls. InternalError when
/// ranges have gaps, overlap, or do not end with the map.
Program cut(Program program, const RowCuts& cuts);

}  // namespace n2d2::program
