#include "log_kernels.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/base/log.hpp"
#include "n2d2/base/text.hpp"

#include "files.hpp"

namespace n2d2::app {

namespace {

constexpr uint8_t kBetween = 255;  // of the lines that part kernels
constexpr int kLargestSquare = 8;

/// How much of the weights of a layer a picture shows, and how large.
struct Grid {
  int64_t rows = 0, columns = 0;  // kernels
  int square = 0;                 // pixels of the side of a value
};

/// As many kernels, apart from each other by a pixel, as there is room for; then the largest squares that
/// leave their number.
Grid fit(const Kernels& k, int64_t limit) {
  const auto that_fit = [&](int64_t values, int64_t wanted) {
    return std::min(wanted, std::max<int64_t>(1, (limit - 1) / (values + 1)));
  };
  Grid grid{that_fit(k.height, k.outputs), that_fit(k.width, k.channels), 1};
  const auto side = [](int64_t count, int64_t values, int square) {
    return count * (values * square + 1) + 1;
  };
  while (grid.square < kLargestSquare && side(grid.rows, k.height, grid.square + 1) <= limit &&
         side(grid.columns, k.width, grid.square + 1) <= limit)
    ++grid.square;
  return grid;
}

float largest_magnitude(std::span<const float> values) {
  float largest = 0;
  for (const float v : values)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  return largest;
}

uint8_t grey(float value, float largest) {
  if (!(std::abs(value) <= largest)) return value > 0 ? 255 : 0;  // not finite
  return static_cast<uint8_t>(std::lround(largest > 0 ? 127.5F * (1 + value / largest) : 127.5F));
}

std::string kernels_text(const Kernels& k) {
  std::string out = fmt::format("# {} outputs of {} channels, kernels of {} rows of {}\n", k.outputs,
                                k.channels, k.height, k.width);
  auto value = k.values.begin();
  for (int64_t o = 0; o < k.outputs; ++o)
    for (int64_t c = 0; c < k.channels; ++c) {
      out += fmt::format("# output {}, channel {}\n", o, c);
      for (int64_t y = 0; y < k.height; ++y)
        for (int64_t x = 0; x < k.width; ++x) {
          out += print_real(*value++);
          out += x + 1 < k.width ? ' ' : '\n';
        }
    }
  return out;
}

}  // namespace

Kernels kernels_of(const graph::Graph& graph, const graph::Node& node) {
  const Tensor& weights = *graph.value(node.inputs.at(1)).constant;
  const Shape& shape = weights.shape();
  if (shape.rank() == 4) return {shape.n(), shape.c(), shape.h(), shape.w(), weights.span()};
  const Shape& map = graph.value(node.inputs.front()).type.shape;
  const int64_t pixels = map.rank() == 4 ? map.h() * map.w() : 1;
  return {shape[0], shape[1] / pixels, map.rank() == 4 ? map.h() : 1, map.rank() == 4 ? map.w() : 1,
          weights.span()};
}

data::Image kernels_picture(const Kernels& k, int limit) {
  const Grid grid = fit(k, limit);
  const auto side = [&](int64_t count, int64_t values) {
    return static_cast<int>(std::min<int64_t>(limit, count * (values * grid.square + 1) + 1));
  };
  data::Image out(side(grid.columns, k.width), side(grid.rows, k.height), 1);
  const auto pixels = out.span<uint8_t>();
  std::fill(pixels.begin(), pixels.end(), kBetween);
  const float largest = largest_magnitude(k.values);
  for (int py = 0; py < out.height(); ++py) {
    const int64_t pitch_y = k.height * grid.square + 1, o = (py - 1) / pitch_y, y = (py - 1) % pitch_y;
    if (py == 0 || o >= grid.rows || y >= k.height * grid.square) continue;
    for (int px = 1; px < out.width(); ++px) {
      const int64_t pitch_x = k.width * grid.square + 1, c = (px - 1) / pitch_x, x = (px - 1) % pitch_x;
      if (c >= grid.columns || x >= k.width * grid.square) continue;
      const int64_t at = ((o * k.channels + c) * k.height + y / grid.square) * k.width + x / grid.square;
      pixels[static_cast<size_t>(int64_t{py} * out.width() + px)] =
          grey(k.values[static_cast<size_t>(at)], largest);
    }
  }
  return out;
}

void log_kernels(const graph::Graph& graph, const std::filesystem::path& folder) {
  constexpr int kLimit = 4096;
  std::vector<graph::NodeId> nodes;
  std::vector<std::string> names, cut;
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    if (node.inputs.size() < 2 || node.op->input_role(1) != "weights" ||
        !graph.value(node.inputs[1]).is_constant())
      continue;
    nodes.push_back(id);
    names.push_back(node.name);
  }
  const std::vector<std::string> stems = file_names(names);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Kernels kernels = kernels_of(graph, graph.node(nodes[i]));
    write_text(folder / (stems[i] + ".dat"), kernels_text(kernels));
    data::write_png(kernels_picture(kernels, kLimit), folder / (stems[i] + ".png"));
    const Grid grid = fit(kernels, kLimit);
    if (grid.rows < kernels.outputs || grid.columns < kernels.channels)
      cut.push_back(fmt::format("{} ({} of {} outputs, {} of {} channels)", presentable(names[i]), grid.rows,
                                kernels.outputs, grid.columns, kernels.channels));
  }
  log::info("Kernels: weights of {} layers in '{}'", nodes.size(), folder.string());
  if (!cut.empty()) log::notice("-log-kernels: pictures without all kernels: {}", join(cut, ", "));
}

}  // namespace n2d2::app
