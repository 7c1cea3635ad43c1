#include <algorithm>
#include <map>

#include "pictures.hpp"
#include "svg.hpp"

namespace n2d2::report {

namespace {

constexpr double kRow = 24, kBox = 20, kLane = 9, kName = 230, kBar = 220, kValue = 170, kNameCharacter = 6.6;

struct Arc {
  size_t from = 0, to = 0;
  int lane = 0;
};

/// Edges that lead past other layers, each in the first lane that is free over its whole length.
std::vector<Arc> arcs_of(const std::vector<Layer>& layers) {
  std::map<std::string, size_t> index;
  for (size_t i = 0; i < layers.size(); ++i) index.emplace(layers[i].name, i);
  std::vector<Arc> out;
  std::vector<size_t> free_from;
  for (size_t to = 0; to < layers.size(); ++to)
    for (const std::string& parent : layers[to].parents)
      if (const auto from = index.find(parent); from != index.end() && from->second + 1 < to)
        out.push_back({from->second, to, 0});
  std::stable_sort(out.begin(), out.end(), [](const Arc& a, const Arc& b) { return a.from < b.from; });
  for (Arc& arc : out) {
    const auto lane =
        std::find_if(free_from.begin(), free_from.end(), [&](size_t until) { return until <= arc.from; });
    arc.lane = static_cast<int>(lane - free_from.begin());
    if (lane == free_from.end())
      free_from.push_back(arc.to);
    else
      *lane = arc.to;
  }
  return out;
}

bool reads_the_layer_above(const std::vector<Layer>& layers, size_t i) {
  const auto& parents = layers[i].parents;
  return i > 0 && std::find(parents.begin(), parents.end(), layers[i - 1].name) != parents.end();
}

/// Bars of numbers by their length; of texts all of one length, in the colour of the text.
class Bars {
 public:
  Bars(const std::vector<Layer>& layers, const Column& overlay) : overlay_(overlay) {
    for (const Layer& layer : layers)
      if (overlay.is_text)
        colors_.emplace(overlay.text(layer), static_cast<int>(colors_.size()) % kColors);
      else
        most_ = std::max(most_, overlay.number(layer).value_or(0));
  }
  double length(const Layer& layer) const {
    if (overlay_.is_text) return overlay_.text(layer).empty() ? 0 : kBar;
    return most_ > 0 ? kBar * std::max(0.0, overlay_.number(layer).value_or(0)) / most_ : 0;
  }
  std::string style(const Layer& layer) const {
    return fmt::format("bar c{}", overlay_.is_text ? colors_.at(overlay_.text(layer)) : 0);
  }

 private:
  const Column& overlay_;
  double most_ = 0;
  std::map<std::string, int> colors_;
};

}  // namespace

std::string graph_picture(const std::vector<Layer>& layers, const Column& overlay) {
  const std::vector<Arc> arcs = arcs_of(layers);
  int lanes = 0;
  for (const Arc& arc : arcs) lanes = std::max(lanes, arc.lane + 1);
  const double left = kLane * lanes + 4, bar = left + kName + 8;
  const auto middle = [](size_t i) { return static_cast<double>(i) * kRow + kBox / 2 + 2; };
  std::string out;
  for (const Arc& arc : arcs)
    out += fmt::format("<path class=\"edge\" d=\"M{0} {1}H{2}V{3}H{0}\"/>", coordinate(left),
                       coordinate(middle(arc.from) + 4), coordinate(left - kLane * (arc.lane + 1) + 2),
                       coordinate(middle(arc.to) - 4));
  const Bars bars(layers, overlay);
  for (size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    const double y = static_cast<double>(i) * kRow + 2;
    if (reads_the_layer_above(layers, i)) out += line("edge", left + 12, y - kRow + kBox, left + 12, y);
    const std::string name = shown(layer.name), type = shown(layer.type);
    out += fmt::format("<g class=\"node\" data-i=\"{}\" tabindex=\"{}\" role=\"button\" aria-label=\"{}\">",
                       i, i == 0 ? 0 : -1, html(name + ", " + type));
    out += hint(name + ", " + type + ", " + extents_text(layer));
    out += rectangle("box", left, y, kName, kBox);
    const double of_type = kNameCharacter * static_cast<double>(type.size()) + 12;
    out += words_at("", left + 6, y + 14, fitting(name, kName - of_type - 6, kNameCharacter));
    out += words_at("e dim", left + kName - 6, y + 14, fitting(type, kName / 2, kNameCharacter));
    out += rectangle(bars.style(layer), bar, y + 2, bars.length(layer), kBox - 4);
    out += words_at("value", bar + bars.length(layer) + 6, y + 14, overlay.shown_of(layer));
    out += "</g>\n";
  }
  return picture(fmt::format("id=\"graph\" data-length=\"{}\"", kBar), bar + kBar + kValue,
                 static_cast<double>(layers.size()) * kRow + 4, "Layers in their order, from the input down",
                 out);
}

}  // namespace n2d2::report
