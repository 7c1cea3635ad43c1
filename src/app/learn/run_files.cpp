#include "run_files.hpp"

#include <algorithm>
#include <map>

#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/deconv.hpp"
#include "n2d2/ops/pool.hpp"

#include "files.hpp"
#include "pictures.hpp"
#include "run_description.hpp"

namespace n2d2::app {

namespace {

namespace fs = std::filesystem;

// ---- receptive fields
// --------------------------------------------------------------------------------------

/// Along one axis: pixels of the input that one of the map depends on, and how far apart those of neighbours
/// begin.
struct Field {
  double size = 1, step = 1;
};
struct Fields {
  Field x, y;
};

Field through_window(Field in, int kernel, int stride, int dilation) {
  return {in.size + (kernel - 1) * dilation * in.step, in.step * stride};
}

Field through_deconv(Field in, int kernel, int stride, int dilation) {
  const int reached = ((kernel - 1) * dilation + stride) / stride;  // input pixels that an output pixel sees
  return {in.size + (reached - 1) * in.step, in.step / stride};
}

/// Computes the receptive field behind any operator on maps other than Conv, Pool and Deconv. Each output
/// pixel sees the input pixel at its position; where the maps differ in size, positions scale in proportion.
/// A single output pixel sees the whole input.
Field through_other(Field in, int64_t from, int64_t to) {
  if (to == 1 && from > 1) return {in.size + static_cast<double>(from - 1) * in.step, in.step};
  return {in.size, in.step * static_cast<double>(from) / static_cast<double>(std::max<int64_t>(1, to))};
}

Fields through(const graph::Node& node, Fields in, const Shape& from, const Shape& to) {
  if (const auto* op = graph::as<ops::Conv>(node))
    return {through_window(in.x, op->kernel.x, op->stride.x, op->dilation.x),
            through_window(in.y, op->kernel.y, op->stride.y, op->dilation.y)};
  if (const auto* op = graph::as<ops::Pool>(node))
    return {through_window(in.x, op->kernel.x, op->stride.x, 1),
            through_window(in.y, op->kernel.y, op->stride.y, 1)};
  if (const auto* op = graph::as<ops::Deconv>(node))
    return {through_deconv(in.x, op->kernel.x, op->stride.x, op->dilation.x),
            through_deconv(in.y, op->kernel.y, op->stride.y, op->dilation.y)};
  return {through_other(in.x, from.w(), to.w()), through_other(in.y, from.h(), to.h())};
}

Field larger(Field a, Field b) {
  return {std::max(a.size, b.size), std::max(a.step, b.step)};
}

// ---- channel maps
// ------------------------------------------------------------------------------------------

/// Rows are input channels, columns outputs.
std::string map_text(const graph::Graph& graph, const graph::Node& node) {
  const int64_t channels = graph.value(node.inputs.front()).type.shape.c();
  const int64_t outputs = graph.value(node.outputs.front()).type.shape.c();
  const auto* conv = graph::as<ops::Conv>(node);
  const auto* deconv = graph::as<ops::Deconv>(node);
  const int groups = conv != nullptr ? conv->groups : deconv != nullptr ? deconv->groups : 1;
  const std::vector<int>* table = conv != nullptr     ? &conv->connections
                                  : deconv != nullptr ? &deconv->connections
                                                      : nullptr;
  std::string out;
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t o = 0; o < outputs; ++o) {
      const bool in_group = c * groups / channels == o * groups / outputs;
      const bool is_connected = table != nullptr && !table->empty()
                                    ? (*table)[static_cast<size_t>(c * outputs + o)] != 0
                                    : in_group;
      out += is_connected ? "1" : "0";
      out += o + 1 < outputs ? " " : "\n";
    }
  return out;
}

void write_maps(const graph::Graph& graph, const fs::path& folder) {
  std::vector<graph::NodeId> nodes;
  std::vector<std::string> names;
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    if (node.inputs.size() < 2 || node.op->input_role(1) != "weights") continue;
    nodes.push_back(id);
    names.push_back(node.name + "_map");
  }
  const std::vector<std::string> stems = file_names(names);
  for (size_t i = 0; i < nodes.size(); ++i)
    write_text(folder / (stems[i] + ".dat"), map_text(graph, graph.node(nodes[i])));
}

// ---- frames
// ------------------------------------------------------------------------------------------------

/// A line for each row of each channel.
std::string frame_text(const Tensor& sample) {
  const Shape& shape = sample.shape();
  std::string out = fmt::format("# {} channels of {} rows\n", shape.c(), shape.h());
  const auto values = sample.span();
  for (size_t i = 0; i < values.size(); ++i) {
    out += print_real(values[i]);
    out += (i + 1) % static_cast<size_t>(shape.w()) == 0 ? "\n" : " ";
  }
  return out;
}

/// The channels in grey below each other: black is the least value of the sample, white the largest.
data::Image frame_picture(const Tensor& sample) {
  const Shape& shape = sample.shape();
  data::Image out(static_cast<int>(shape.w()), static_cast<int>(shape.c() * shape.h()), 1);
  const auto values = sample.span();
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  const float from = *least, width = *largest > *least ? *largest - *least : 1;
  std::transform(values.begin(), values.end(), out.span<uint8_t>().begin(),
                 [&](float v) { return static_cast<uint8_t>(255 * ((v - from) / width) + 0.5F); });
  return out;
}

void write_frames(const loader::Network& net, const fs::path& folder) {
  constexpr int64_t kFrames = 10;
  using data::Partition;
  std::string list = "# file name label\n";
  for (const auto& [partition, prefix] :
       {std::pair{Partition::Learn, "frame"}, {Partition::Test, "test_frame"}})
    for (int64_t i = 0; i < std::min(kFrames, net.data->size(partition)); ++i) {
      Tensor sample;
      std::vector<int> labels;
      net.data->read(partition, std::span(&i, 1), 0, sample, labels);
      const std::string stem = fmt::format("{}_{}", prefix, i);
      write_text(folder / (stem + ".dat"), frame_text(sample));
      data::write_png(frame_picture(sample), folder / (stem + ".png"));
      const auto label = static_cast<size_t>(std::max(0, labels.front()));
      list +=
          fmt::format("{}.dat {} {}\n", stem, presentable(net.database->name(net.database->id(partition, i))),
                      labels.front() < 0 ? "-" : presentable(net.database->labels().at(label)));
    }
  write_text(folder / "frames.txt", list);
}

// ---- learning rates
// ----------------------------------------------------------------------------------------

/// Solvers that are alike, by their text.
struct Rates {
  std::unique_ptr<training::Solver> solver;
  std::vector<std::string> constants;
  int64_t batches_an_update = 1;
  std::string name() const {
    return constants.size() > 1 ? fmt::format("{} and {} more", constants.front(), constants.size() - 1)
                                : constants.front();
  }
};

std::vector<Rates> different_rates(const loader::Network& net, int64_t batches) {
  std::vector<Rates> out;
  std::map<std::string, size_t> found;
  for (const loader::Parameter& parameter : net.parameters) {
    if (!parameter.solver) continue;
    auto solver = settled(*parameter.solver, batches, net.batch_size);
    int64_t batches_an_update = 1;
    for (const auto& [key, value] : solver->fields_text())
      if (key == "IterationSize") batches_an_update = std::max<int64_t>(1, parse_integer(value).value_or(1));
    const auto [at, is_new] = found.try_emplace(solver_text(*solver), out.size());
    if (is_new) out.push_back({std::move(solver), {}, batches_an_update});
    out[at->second].constants.push_back(presentable(net.graph.value(parameter.constant).name));
  }
  return out;
}

}  // namespace

std::string receptive_fields_text(const graph::Graph& graph) {
  std::map<graph::ValueId, Fields> fields;
  for (const graph::ValueId id : graph.inputs()) fields[id] = {};
  std::string out = fmt::format("{:<32} {:>16} {:>16}\n", "layer", "field", "step");
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    const Shape& to = graph.value(node.outputs.front()).type.shape;
    Fields all{{0, 0}, {0, 0}};
    for (const graph::ValueId input : node.inputs) {
      const auto found = fields.find(input);
      if (found == fields.end()) continue;
      const Fields one = through(node, found->second, graph.value(input).type.shape, to);
      all = {larger(all.x, one.x), larger(all.y, one.y)};
    }
    const Shape& whole = graph.value(graph.inputs().front()).type.shape;
    const auto of_input = [](double size, int64_t extent) {
      return std::min(size, static_cast<double>(extent));
    };
    for (const graph::ValueId output : node.outputs) fields[output] = all;
    out += fmt::format(
        "{:<32} {:>16} {:>16}\n", presentable(node.name),
        fmt::format("{:g}x{:g}", of_input(all.x.size, whole.w()), of_input(all.y.size, whole.h())),
        fmt::format("{:g}x{:g}", all.x.step, all.y.step));
  }
  return out;
}

void write_network_files(const loader::Network& net, const std::string& model, const fs::path& folder) {
  write_maps(net.graph, folder / "map");
  write_text(folder / "receptive_fields.log", receptive_fields_text(net.graph));
  write_frames(net, folder / "frames");
  write_picture(plot::draw(network_diagram(net.graph, presentable(model))), folder / file_name(model));
}

void write_schedule(const loader::Network& net, const Options& o, const fs::path& folder) {
  constexpr int64_t kPoints = 1000;
  const int64_t batch = net.batch_size, batches = batches_of_run(net, o);
  const std::vector<Rates> all = different_rates(net, batches);
  plot::Chart chart;
  chart.title = "Learning rate";
  chart.x_title = "stimuli";
  for (size_t i = 0; i < all.size(); ++i) {
    plot::Series series;
    series.name = all[i].name();
    series.color = static_cast<int>(i);
    chart.series.push_back(std::move(series));
  }
  std::string text = "# stimuli";
  for (const Rates& rates : all) text += fmt::format(" \"{}\"", rates.name());
  text += "\n";
  for (int64_t at = 0; at < batches; at += std::max<int64_t>(1, batches / kPoints)) {
    text += std::to_string(at * batch);
    for (size_t i = 0; i < all.size(); ++i) {
      training::SolverState state;
      state.updates = at / all[i].batches_an_update;
      const double rate = all[i].solver->rate(state, batch);
      chart.series[i].x.push_back(static_cast<double>(at * batch));
      chart.series[i].y.push_back(rate);
      text += fmt::format(" {:.8g}", rate);
    }
    text += "\n";
  }
  write_text(folder / "learning_rate.dat", text);
  write_picture(plot::draw(chart), folder / "learning_rate");
}

}  // namespace n2d2::app
