// How does a network look? Boxes in layers, from top to bottom, with the edges between them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "n2d2/plot/canvas.hpp"

namespace n2d2::plot {

struct Diagram {
  struct Node {
    std::vector<std::string> lines;  ///< the first one is the largest; long ones are cut
    int color = 0;                   ///< see palette
  };
  std::string title;
  std::vector<Node> nodes;
  /// From a node to one that comes after it: first < second.
  std::vector<std::pair<int, int>> edges;
};

/// Where everything stands, in pixels before the drawing is made smaller.
struct DiagramLayout {
  struct Place {
    double x = 0, y = 0, w = 0, h = 0;
    int layer = 0;
  };
  std::vector<Place> nodes;
  /// Points of each edge, from the lower side of a box to the upper side of another one, around the boxes
  /// between them.
  std::vector<std::vector<std::pair<double, double>>> edges;
  double width = 0, height = 0;
};

/// Layers by the longest path from a node without inputs, edges that pass layers get a place in each, and the
/// order within a layer follows the means of what a place is connected to, sweep after sweep (Sugiyama,
/// Tagawa, Toda 1981). No two boxes and no box and edge meet. InternalError for an edge that does not lead
/// forward.
DiagramLayout lay_out(const Diagram& diagram);

/// Cut between layers into columns of at most the height, side by side from left to right. A connection to
/// another column runs below its own, up between the two and into the top of the other. The layout as it is
/// where it is no higher.
DiagramLayout folded(const DiagramLayout& layout, double height);

/// Folded where it is much higher than wide. Drawn at its own size, or smaller where it would pass the
/// largest size of a canvas.
Canvas draw(const Diagram& diagram);

}  // namespace n2d2::plot
