#include "bench.hpp"

#include <filesystem>

#include "n2d2/base/parallel.hpp"
#include "n2d2/base/text.hpp"

#include "files.hpp"
#include "pictures.hpp"

namespace n2d2::app {

namespace {

/// Microseconds of one stimulus, and the part of all layers.
struct LayerTime {
  std::string name, type;
  double forward = 0, backward = 0, share = 0;
};

double microseconds(double seconds, int64_t samples) {
  return samples > 0 ? 1e6 * seconds / static_cast<double>(samples) : 0;
}

/// A row a layer, the last one for all of them.
std::vector<LayerTime> rows_of(const graph::Graph& graph, const compute::NodeTimes& times) {
  std::vector<LayerTime> rows;
  LayerTime all{"all", "", 0, 0, 0};
  for (const compute::NodeTime& time : times.nodes) {
    const graph::Node& node = graph.node(time.node);
    LayerTime& row = rows.emplace_back();
    row.name = presentable(node.name);
    row.type = node.op->type();
    row.forward = microseconds(time.forward, times.forward_samples);
    row.backward = microseconds(time.backward, times.backward_samples);
    all.forward += row.forward;
    all.backward += row.backward;
  }
  rows.push_back(all);
  const double sum = all.forward + all.backward;
  for (LayerTime& row : rows) row.share = sum > 0 ? (row.forward + row.backward) / sum : 0;
  return rows;
}

}  // namespace

std::string times_text(const graph::Graph& graph, const compute::NodeTimes& times) {
  const bool learns = times.backward_samples > 0;
  const auto line = [&](const std::string& name, const std::string& type, const std::string& forward,
                        const std::string& backward, const std::string& share) {
    return fmt::format("{:<32} {:<12} {:>12}{} {:>8}\n", name, type, forward,
                       learns ? fmt::format(" {:>12}", backward) : "", share);
  };
  std::string out = line("layer", "type", "forward us", "backward us", "share");
  for (const LayerTime& row : rows_of(graph, times))
    out += line(row.name, row.type, fmt::format("{:.2f}", row.forward), fmt::format("{:.2f}", row.backward),
                fmt::format("{:.1f}%", 100 * row.share));
  return out;
}

std::string times_data(const graph::Graph& graph, const compute::NodeTimes& times) {
  std::string out = "# layer type forward_us backward_us share\n";
  for (const LayerTime& row : rows_of(graph, times))
    out += fmt::format("\"{}\" \"{}\" {:.6g} {:.6g} {:.6g}\n", row.name, row.type, row.forward, row.backward,
                       row.share);
  return out;
}

plot::Timeline times_picture(const graph::Graph& graph, const compute::NodeTimes& times,
                             std::string_view set) {
  plot::Timeline out;
  out.title = fmt::format("Time of each layer, {}: forward (below) and backward", set);
  out.y_title = "us of one stimulus";
  std::vector<LayerTime> rows = rows_of(graph, times);
  rows.pop_back();
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto left = static_cast<double>(i);
    plot::Box box;
    box.x0 = left + 0.1;
    box.x1 = left + 0.9;
    box.y1 = rows[i].forward;
    out.boxes.push_back(box);
    out.x_names.push_back(rows[i].name);
    if (times.backward_samples == 0) continue;
    box.y0 = box.y1;
    box.y1 += rows[i].backward;
    box.color = 1;
    out.boxes.push_back(box);
  }
  return out;
}

void report_times(const graph::Graph& graph, const compute::NodeTimes& times, std::string_view set,
                  const Options& o) {
  print(fmt::format("Time of each layer ({}), us of one stimulus on {} threads together\n", set,
                    max_threads()));
  print(times_text(graph, times));
  const std::filesystem::path stem = o.in_output("timings") / set;
  write_text(stem.string() + ".dat", times_data(graph, times));
  if (o.log_files) write_picture(plot::draw(times_picture(graph, times, set)), stem);
}

}  // namespace n2d2::app
