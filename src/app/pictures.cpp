#include "pictures.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "n2d2/base/text.hpp"
#include "n2d2/plot/matrix.hpp"

#include "output_files.hpp"

namespace n2d2::app {

namespace {

/// "Conv 3x3 / 2": what the operator is, with its window and step.
std::string operator_text(const graph::Operator& op) {
  std::string text(op.type()), step;
  for (const auto& [key, value] : op.fields_text()) {
    std::vector<std::string> extents = words(value);
    if (key == "KernelDims" || key == "PoolDims") text += " " + join(extents, "x");
    if (key == "Groups") step += ", " + value + " groups";
    if (key == "Stride") {
      if (extents.size() == 2 && extents[0] == extents[1]) extents.pop_back();
      step = " / " + join(extents, "x") + step;
    }
  }
  return text + step;
}

std::string extents_text(const Shape& shape) {
  return shape.rank() == 4 ? fmt::format("{}x{}x{}", shape.c(), shape.h(), shape.w()) : shape.text();
}

int color_of(std::string_view type) {
  static const std::map<std::string_view, int> kColors{
      {"Conv", 0},     {"Deconv", 9}, {"Fc", 2},      {"Pool", 3},       {"BatchNorm", 4},
      {"ElemWise", 5}, {"Concat", 8}, {"Softmax", 6}, {"LogSoftmax", 6}, {"Resize", 1}};
  const auto found = kColors.find(type);
  return found == kColors.end() ? 7 : found->second;
}

/// Whether the node is the activation of the layer before it, as the loader names those.
bool is_activation_of(const graph::Graph& graph, const graph::Node& node) {
  const graph::NodeId before = graph.value(node.inputs.front()).producer;
  return before && graph.node(before).name + "_act" == node.name;
}

class NetworkDiagram {
 public:
  NetworkDiagram(const graph::Graph& graph, const std::string& title)
      : graph_(graph), outputs_(graph.outputs().begin(), graph.outputs().end()) {
    diagram_.title = title;
  }

  plot::Diagram draw() {
    for (const graph::ValueId id : graph_.inputs()) {
      const graph::Value& value = graph_.value(id);
      box_of_[id] = add({presentable(value.name), "input", extents_text(value.type.shape)}, 7);
    }
    for (const graph::NodeId id : graph_.schedule()) add_node(graph_.node(id));
    return std::move(diagram_);
  }

 private:
  int add(std::vector<std::string> lines, int color) {
    diagram_.nodes.push_back({std::move(lines), color});
    return static_cast<int>(diagram_.nodes.size()) - 1;
  }

  void add_node(const graph::Node& node) {
    if (is_activation_of(graph_, node)) {
      const int box = box_of_.at(node.inputs.front());
      diagram_.nodes[static_cast<size_t>(box)].lines.at(1) += " + " + operator_text(*node.op);
      leave(node, box);
      return;
    }
    const Shape& shape = graph_.value(node.outputs.front()).type.shape;
    const int box = add({presentable(node.name), operator_text(*node.op), extents_text(shape)},
                        color_of(node.op->type()));
    std::set<int> sources;
    for (const graph::ValueId input : node.inputs)
      if (const auto found = box_of_.find(input); found != box_of_.end()) sources.insert(found->second);
    for (const int source : sources) diagram_.edges.emplace_back(source, box);
    leave(node, box);
  }

  void leave(const graph::Node& node, int box) {
    for (const graph::ValueId output : node.outputs) {
      box_of_[output] = box;
      if (outputs_.contains(output)) diagram_.nodes[static_cast<size_t>(box)].lines.emplace_back("output");
    }
  }

  const graph::Graph& graph_;
  std::set<graph::ValueId> outputs_;
  std::map<graph::ValueId, int> box_of_;  // of each value that is no constant
  plot::Diagram diagram_;
};

/// The real value of an integer.
double real_of(int64_t q, const QuantParams& integers) {
  return (static_cast<double>(q) - integers.zero_point) * static_cast<double>(integers.scale.at(0));
}

plot::Series line(std::string name, int color) {
  plot::Series series;
  series.name = std::move(name);
  series.color = color;
  return series;
}

}  // namespace

void write_picture(const plot::Canvas& canvas, const std::filesystem::path& stem) {
  for (const char* extension : {".svg", ".png"}) make_place(stem.string() + extension);
  canvas.write_svg(stem.string() + ".svg");
  canvas.write_png(stem.string() + ".png");
}

std::string curve_text(std::span<const training::CurvePoint> curve, const std::string& metric) {
  std::string out = fmt::format("# stimuli epoch loss learning validation ({})\n", metric);
  for (const training::CurvePoint& point : curve)
    out += fmt::format("{} {} {:.6g} {:.6f} {}\n", point.done, point.epoch, point.loss, point.success,
                       point.validation ? fmt::format("{:.6f}", *point.validation) : "-");
  return out;
}

plot::Chart success_chart(std::span<const training::CurvePoint> curve, const std::string& metric) {
  plot::Chart chart;
  chart.title = "Success while learning";
  chart.x_title = "stimuli";
  chart.y_title = "%";
  plot::Series learning = line("learning", 0), validation = line("validation (" + metric + ")", 1);
  for (const training::CurvePoint& point : curve) {
    learning.x.push_back(static_cast<double>(point.done));
    learning.y.push_back(100 * point.success);
    if (!point.validation) continue;
    validation.x.push_back(static_cast<double>(point.done));
    validation.y.push_back(100 * *point.validation);
  }
  chart.series.push_back(std::move(learning));
  if (!validation.x.empty()) chart.series.push_back(std::move(validation));
  return chart;
}

plot::Chart loss_chart(std::span<const training::CurvePoint> curve) {
  plot::Chart chart;
  chart.title = "Loss while learning";
  chart.x_title = "stimuli";
  chart.y_title = "mean loss of a stimulus";
  plot::Series loss = line("", 0);
  for (const training::CurvePoint& point : curve) {
    loss.x.push_back(static_cast<double>(point.done));
    loss.y.push_back(point.loss);
  }
  chart.series.push_back(std::move(loss));
  return chart;
}

plot::Chart running_success_chart(std::span<const float> successes, const std::string& title) {
  constexpr size_t kPoints = 1000;
  plot::Chart chart;
  chart.title = title;
  chart.x_title = "samples";
  chart.y_title = "% right so far";
  plot::Series mean = line("", 0);
  const size_t stride = (successes.size() + kPoints - 1) / kPoints;
  double sum = 0;
  for (size_t i = 0; i < successes.size(); ++i) {
    sum += static_cast<double>(successes[i]);
    const size_t count = i + 1;
    if (count % stride != 0 && count != successes.size()) continue;
    mean.x.push_back(static_cast<double>(count));
    mean.y.push_back(100 * sum / static_cast<double>(count));
  }
  chart.series.push_back(std::move(mean));
  return chart;
}

void draw_successes(const data::Score& score, const std::filesystem::path& folder, std::string_view set) {
  const auto picture = [&](std::span<const float> successes, const std::string& stem) {
    write_picture(plot::draw(running_success_chart(
                      successes, presentable(folder.filename().string()) + ", " + std::string(set))),
                  folder / (stem + std::string(set)));
  };
  picture(score.successes(), "Success_");
  if (score.counts_top_n()) picture(score.top_n_successes(), "SuccessTopN_");
}

plot::Canvas confusion_picture(const data::ConfusionMatrix& confusion, const std::vector<std::string>& names,
                               const std::string& title) {
  plot::Matrix matrix{
      title, "expected", "found", {}, [&](int row, int column) { return confusion.count(row, column); }};
  for (int cls = 0; cls < confusion.classes(); ++cls)
    matrix.names.push_back(static_cast<size_t>(cls) < names.size()
                               ? presentable(names[static_cast<size_t>(cls)])
                               : std::to_string(cls));
  return plot::draw(matrix);
}

double clipped_share(const quantize::Histogram& histogram, const QuantParams& integers) {
  if (histogram.total() == 0) return 0;
  const double reach = 0.5 * static_cast<double>(integers.scale.at(0));
  const double low = real_of(integers.lowest(), integers) - reach,
               high = real_of(integers.highest(), integers) + reach;
  uint64_t beyond = 0;
  for (int64_t i = 0; i < histogram.bins(); ++i)
    if (histogram.centre(i) < low || histogram.centre(i) > high)
      beyond += histogram.counts()[static_cast<size_t>(i)];
  return static_cast<double>(beyond) / static_cast<double>(histogram.total());
}

plot::Chart histogram_chart(const std::string& name, const quantize::Histogram& histogram,
                            const QuantParams& integers) {
  constexpr int64_t kBars = 256;
  plot::Chart chart;
  chart.title =
      fmt::format("{}: {:.3f} % clipped", presentable(name), 100 * clipped_share(histogram, integers));
  chart.x_title = "value";
  chart.y_title = "count";
  chart.log_y = true;
  plot::Series bars;
  bars.kind = plot::Series::Kind::Bars;
  const int64_t bins = histogram.bins(), merged = (bins + kBars - 1) / kBars;
  for (int64_t first = 0; first < bins; first += merged) {
    const int64_t last = std::min(bins, first + merged);
    uint64_t count = 0;
    for (int64_t i = first; i < last; ++i) count += histogram.counts()[static_cast<size_t>(i)];
    bars.x.push_back(histogram.min() + static_cast<double>(first) * histogram.width());
    bars.y.push_back(static_cast<double>(count));
  }
  bars.x.push_back(histogram.max());
  chart.series.push_back(std::move(bars));
  for (const int64_t q : {integers.highest(), integers.lowest()}) {
    const double real = real_of(q, integers);
    if (real == 0) continue;  // no limit: it is the edge of values that are not negative
    chart.markers.push_back({real, fmt::format("{:.4g}: {}", real, q)});
  }
  return chart;
}

plot::Diagram network_diagram(const graph::Graph& graph, const std::string& title) {
  return NetworkDiagram(graph, title).draw();
}

}  // namespace n2d2::app
