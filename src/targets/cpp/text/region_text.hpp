// How are the turns of a region printed?
#pragma once

#include <string>

#include "n2d2/program/schedule.hpp"

#include "project_text.hpp"

namespace n2d2::targets::cpp {

/// What the functions of forward.cpp call in regions: rows of a turn, tables of tiles, rows of the input.
std::string region_functions(const ProjectText& text);

/// An expression: the rows that a call of a region makes in `turn`, of a map of so many rows.
std::string rows_of_turn(const program::Region& region, program::CallId id, int height);

/// An expression: the rows that a turn adds to a map which has `height` of them.
std::string rows_added(const program::Region& region, const program::StreamedMap& map, int height);

/// What a turn asks of the caller first; "" where the region does not make the input.
std::string source_rows(const ProjectText& text, const program::Region& region);

}  // namespace n2d2::targets::cpp
