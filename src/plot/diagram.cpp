#include "n2d2/plot/diagram.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "n2d2/base/bytes.hpp"
#include "n2d2/base/error.hpp"

#include "axis.hpp"

namespace n2d2::plot {

namespace {

constexpr double kLine = 15, kPadding = 8, kGapX = 26, kGapY = 34, kMargin = 24, kTitle = 40;
constexpr double kLaneWidth = 14;
constexpr size_t kLongestLine = 48;
constexpr int kSweeps = 12;

std::string short_line(const std::string& line) {
  if (line.size() <= kLongestLine) return line;
  return std::string(beginning(line, kLongestLine - 1)) + "\xE2\x80\xA6";
}

double line_size(size_t index) {
  return index == 0 ? kTextSize + 1 : kTextSize - 1;
}

/// A box, or the place of an edge in a layer that it passes.
struct Slot {
  int node = -1;  ///< -1: an edge
  int layer = 0;
  double x = 0, w = kLaneWidth;  ///< left end
  std::vector<int> above, below;
  double middle() const { return x + w / 2; }
};

class Layout {
 public:
  explicit Layout(const Diagram& diagram) : diagram_(diagram) {
    find_layers();
    add_slots();
    order();
    place();
  }

  DiagramLayout result() const {
    DiagramLayout out;
    out.width = width_;
    out.height = tops_.empty() ? kTitle + kMargin : tops_.back() + heights_.back() + kMargin;
    for (size_t i = 0; i < diagram_.nodes.size(); ++i) {
      const Slot& slot = slots_[i];
      const double h = height(diagram_.nodes[i]);
      const auto layer = static_cast<size_t>(slot.layer);
      out.nodes.push_back({slot.x, tops_[layer] + (heights_[layer] - h) / 2, slot.w, h, slot.layer});
    }
    for (size_t e = 0; e < diagram_.edges.size(); ++e) out.edges.push_back(points(e, out));
    return out;
  }

 private:
  static double height(const Diagram::Node& node) {
    return 2 * kPadding + kLine * static_cast<double>(std::max<size_t>(1, node.lines.size()));
  }

  void find_layers() {
    const size_t count = diagram_.nodes.size();
    layer_.assign(count, 0);
    for (const auto& [from, to] : diagram_.edges)
      N2D2_CHECK(from >= 0 && from < to && static_cast<size_t>(to) < count, "an edge from {} to {} of {}",
                 from, to, count);
    // Sources come before their targets: edges in the order of their sources see final layers.
    std::vector<std::pair<int, int>> edges = diagram_.edges;
    std::sort(edges.begin(), edges.end());
    for (const auto& [from, to] : edges) {
      int& layer = layer_[static_cast<size_t>(to)];
      layer = std::max(layer, layer_[static_cast<size_t>(from)] + 1);
    }
  }

  void add_slots() {
    const Canvas ruler(1, 1);
    for (size_t i = 0; i < diagram_.nodes.size(); ++i) {
      Slot slot;
      slot.node = static_cast<int>(i);
      slot.layer = layer_[i];
      slot.w = 90;
      for (size_t l = 0; l < diagram_.nodes[i].lines.size(); ++l)
        slot.w = std::max(
            slot.w, 2 * kPadding + ruler.text_width(short_line(diagram_.nodes[i].lines[l]), line_size(l)));
      slots_.push_back(slot);
    }
    for (const auto& [from, to] : diagram_.edges) {
      std::vector<int> lanes;
      int before = from;
      for (int layer = layer_[static_cast<size_t>(from)] + 1; layer < layer_[static_cast<size_t>(to)];
           ++layer) {
        Slot slot;
        slot.layer = layer;
        slots_.push_back(slot);
        lanes.push_back(static_cast<int>(slots_.size()) - 1);
        connect(before, lanes.back());
        before = lanes.back();
      }
      connect(before, to);
      lanes_.push_back(std::move(lanes));
    }
    for (size_t i = 0; i < slots_.size(); ++i) {
      const auto layer = static_cast<size_t>(slots_[i].layer);
      if (layers_.size() <= layer) layers_.resize(layer + 1);
      layers_[layer].push_back(static_cast<int>(i));
    }
  }

  void connect(int from, int to) {
    slots_[static_cast<size_t>(from)].below.push_back(to);
    slots_[static_cast<size_t>(to)].above.push_back(from);
  }

  /// Mean place of what a slot is connected to on one side; where it is when there is nothing.
  double pull(const Slot& slot, const std::vector<int>& others) const {
    if (others.empty()) return slot.middle();
    double sum = 0;
    for (const int other : others) sum += slots_[static_cast<size_t>(other)].middle();
    return sum / static_cast<double>(others.size());
  }

  void pack(std::vector<int>& layer) {
    double x = 0;
    for (const int index : layer) {
      Slot& slot = slots_[static_cast<size_t>(index)];
      slot.x = x;
      x += slot.w + kGapX;
    }
    for (const int index : layer) slots_[static_cast<size_t>(index)].x -= (x - kGapX) / 2;
  }

  void sort_layer(std::vector<int>& layer, bool downwards) {
    std::vector<std::pair<double, int>> wanted;
    for (const int index : layer) {
      const Slot& slot = slots_[static_cast<size_t>(index)];
      wanted.emplace_back(pull(slot, downwards ? slot.above : slot.below), index);
    }
    std::stable_sort(wanted.begin(), wanted.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 0; i < layer.size(); ++i) layer[i] = wanted[i].second;
    pack(layer);
  }

  void order() {
    for (auto& layer : layers_) pack(layer);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (auto& layer : layers_) sort_layer(layer, true);
      for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) sort_layer(*layer, false);
    }
  }

  /// Each slot as near as its neighbours let it to where it is pulled, in the order that is found.
  void settle(std::vector<int>& layer, bool downwards) {
    std::vector<double> wanted;
    for (const int index : layer) {
      const Slot& slot = slots_[static_cast<size_t>(index)];
      wanted.push_back(pull(slot, downwards ? slot.above : slot.below) - slot.w / 2);
    }
    // Pushed to the right, then to the left, and the mean of both, which keeps every distance.
    std::vector<double> right = wanted, left = wanted;
    const auto step = [&](size_t i) { return slots_[static_cast<size_t>(layer[i])].w + kGapX; };
    for (size_t i = 1; i < layer.size(); ++i) right[i] = std::max(right[i], right[i - 1] + step(i - 1));
    for (size_t i = layer.size() - 1; i > 0; --i) left[i - 1] = std::min(left[i - 1], left[i] - step(i - 1));
    for (size_t i = 0; i < layer.size(); ++i)
      slots_[static_cast<size_t>(layer[i])].x = std::round((right[i] + left[i]) / 2);
  }

  void place() {
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (auto& layer : layers_) settle(layer, true);
      for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) settle(*layer, false);
    }
    double low = 0, high = 0;
    for (const Slot& slot : slots_) {
      low = std::min(low, slot.x);
      high = std::max(high, slot.x + slot.w);
    }
    for (Slot& slot : slots_) slot.x += kMargin - low;
    width_ = high - low + 2 * kMargin;
    double y = kTitle + kMargin;
    for (const auto& layer : layers_) {
      double tallest = 0;
      for (const int index : layer)
        if (const int node = slots_[static_cast<size_t>(index)].node; node >= 0)
          tallest = std::max(tallest, height(diagram_.nodes[static_cast<size_t>(node)]));
      tops_.push_back(y);
      heights_.push_back(tallest);
      y += tallest + kGapY;
    }
  }

  std::vector<std::pair<double, double>> points(size_t edge, const DiagramLayout& out) const {
    const auto [from, to] = diagram_.edges[edge];
    const DiagramLayout::Place &a = out.nodes[static_cast<size_t>(from)],
                               &b = out.nodes[static_cast<size_t>(to)];
    const auto bottom = [&](int layer) {
      return tops_[static_cast<size_t>(layer)] + heights_[static_cast<size_t>(layer)];
    };
    std::vector<std::pair<double, double>> line{{a.x + a.w / 2, a.y + a.h}, {a.x + a.w / 2, bottom(a.layer)}};
    for (const int lane : lanes_[edge]) {
      const Slot& slot = slots_[static_cast<size_t>(lane)];
      line.emplace_back(slot.middle(), tops_[static_cast<size_t>(slot.layer)]);
      line.emplace_back(slot.middle(), bottom(slot.layer));
    }
    line.emplace_back(b.x + b.w / 2, tops_[static_cast<size_t>(b.layer)]);
    line.emplace_back(b.x + b.w / 2, b.y);
    return line;
  }

  const Diagram& diagram_;
  std::vector<int> layer_;
  std::vector<Slot> slots_;              // those of the nodes first
  std::vector<std::vector<int>> lanes_;  // of each edge, from top to bottom
  std::vector<std::vector<int>> layers_;
  std::vector<double> tops_, heights_;
  double width_ = 2 * kMargin;
};

void draw_edge(Canvas& canvas, const std::vector<std::pair<double, double>>& points, double scale) {
  constexpr Color kEdge{0.4, 0.4, 0.4};
  for (size_t i = 1; i < points.size(); ++i)
    if (points[i] != points[i - 1])
      canvas.line(points[i - 1].first * scale, points[i - 1].second * scale, points[i].first * scale,
                  points[i].second * scale, kEdge, 1.3 * scale);
  const auto& [x, y] = points.back();
  for (const double side : {-4.0, 4.0})
    canvas.line((x + side) * scale, (y - 7) * scale, x * scale, y * scale, kEdge, 1.3 * scale);
}

void draw_node(Canvas& canvas, const Diagram::Node& node, const DiagramLayout::Place& p, double scale) {
  const Color color = palette(node.color);
  canvas.rectangle(p.x * scale, p.y * scale, p.w * scale, p.h * scale, lighter(color, 0.8));
  canvas.frame(p.x * scale, p.y * scale, p.w * scale, p.h * scale, color, scale);
  double y = p.y + kPadding + 11;
  for (size_t l = 0; l < node.lines.size(); ++l, y += kLine)
    canvas.text((p.x + p.w / 2) * scale, y * scale, short_line(node.lines[l]), line_size(l) * scale, kInk,
                Align::Center);
}

}  // namespace

DiagramLayout lay_out(const Diagram& diagram) {
  return Layout(diagram).result();
}

namespace {

/// Columns of a layout: where each begins, which layers it has, and the edges that run from one to the next.
class Folding {
 public:
  Folding(const DiagramLayout& layout, double height) : layout_(layout) {
    std::vector<double> tops;  // of layers
    for (const DiagramLayout::Place& place : layout.nodes) {
      const auto layer = static_cast<size_t>(place.layer);
      if (tops.size() <= layer) tops.resize(layer + 1, layout.height);
      tops[layer] = std::min(tops[layer], place.y);
    }
    begins_.push_back(0);
    for (size_t layer = 1; layer < tops.size(); ++layer) {
      const double next = layer + 1 < tops.size() ? tops[layer + 1] : layout.height;
      // Half of the gap above a layer belongs to it.
      if (next - begins_.back() > height) begins_.push_back(tops[layer] - kGapY / 2);
    }
    begins_.push_back(layout.height);
    for (size_t e = 0; e < layout.edges.size(); ++e) give_lanes(e);
  }

  DiagramLayout result() const {
    DiagramLayout out = layout_;
    for (DiagramLayout::Place& place : out.nodes) {
      const size_t column = column_of(place.y);
      place.x += shift(column);
      place.y -= rise(column);
    }
    for (size_t e = 0; e < out.edges.size(); ++e) out.edges[e] = route(e);
    out.width = shift(begins_.size() - 2) + layout_.width;
    out.height = 0;
    for (size_t column = 0; column + 1 < begins_.size(); ++column)
      out.height = std::max(out.height, begins_[column + 1] - rise(column) + room() + kMargin);
    return out;
  }

 private:
  using Points = std::vector<std::pair<double, double>>;

  size_t column_of(double y) const {
    size_t column = 0;
    while (column + 2 < begins_.size() && y >= begins_[column + 1]) ++column;
    return column;
  }
  /// Room for the lanes beside, above and below columns.
  double room() const { return kLaneWidth * static_cast<double>(most_lanes_ + 1); }
  double shift(size_t column) const { return static_cast<double>(column) * (layout_.width + room()); }
  double rise(size_t column) const { return column == 0 ? 0 : begins_[column] - kTitle - room(); }

  /// A lane of its own between two columns for each edge that passes there.
  void give_lanes(size_t e) {
    const Points& edge = layout_.edges[e];
    for (size_t i = 1; i < edge.size(); ++i) {
      const size_t column = column_of(edge[i].second);
      if (column == column_of(edge[i - 1].second)) continue;
      lane_of_[{e, column}] = ++lanes_[column];
      most_lanes_ = std::max(most_lanes_, lanes_[column]);
    }
  }

  Points route(size_t e) const {
    const Points& edge = layout_.edges[e];
    size_t column = column_of(edge.front().second);
    Points out;
    for (size_t i = 0; i < edge.size(); ++i) {
      const size_t here = column_of(edge[i].second);
      if (here != column) {
        const double aside = kLaneWidth * static_cast<double>(lane_of_.at({e, here}));
        const double below = begins_[column + 1] - rise(column) + aside, above = kTitle + room() - aside;
        const double between = shift(column) + layout_.width + room() - aside;
        out.emplace_back(out.back().first, below);
        out.emplace_back(between, below);
        out.emplace_back(between, above);
        out.emplace_back(edge[i].first + shift(here), above);
        column = here;
      }
      out.emplace_back(edge[i].first + shift(here), edge[i].second - rise(here));
    }
    return out;
  }

  const DiagramLayout& layout_;
  std::vector<double> begins_;                           // of columns, and the end
  std::map<std::pair<size_t, size_t>, size_t> lane_of_;  // of an edge, into a column
  std::map<size_t, size_t> lanes_;                       // into a column
  size_t most_lanes_ = 0;
};

/// As wide as high, or a little wider.
double column_height(const DiagramLayout& layout) {
  constexpr double kLeast = 1600;
  return std::max(kLeast, std::sqrt(layout.width * layout.height / 1.3));
}

}  // namespace

DiagramLayout folded(const DiagramLayout& layout, double height) {
  return layout.height <= height ? layout : Folding(layout, height).result();
}

Canvas draw(const Diagram& diagram) {
  constexpr double kLargest = 16000;
  const DiagramLayout whole = lay_out(diagram);
  const DiagramLayout layout = folded(whole, column_height(whole));
  const double title = Canvas(1, 1).text_width(diagram.title, kTitleSize) + 2 * kMargin;
  const double width = std::max(layout.width, title);
  const double scale = std::min(1.0, kLargest / std::max(width, layout.height));
  Canvas canvas(std::max(1, static_cast<int>(std::ceil(width * scale))),
                std::max(1, static_cast<int>(std::ceil(layout.height * scale))));
  canvas.text(canvas.width() / 2.0, 28 * scale, diagram.title, kTitleSize * scale, kInk, Align::Center);
  for (const auto& edge : layout.edges) draw_edge(canvas, edge, scale);
  for (size_t i = 0; i < layout.nodes.size(); ++i)
    draw_node(canvas, diagram.nodes[i], layout.nodes[i], scale);
  return canvas;
}

}  // namespace n2d2::plot
