// How is a layer printed: its shape, its places, its parameters?
#pragma once

#include <string>

#include "project_text.hpp"

namespace n2d2::targets::cpp {

/// dnn/include/cells/<cell>.hpp, and dnn/src/cells/<cell>.cpp: empty for a cell without parameters.
struct CellText {
  std::string header, source;
};

CellText cell_text(const ProjectText& text, const program::Cell& cell);

}  // namespace n2d2::targets::cpp
