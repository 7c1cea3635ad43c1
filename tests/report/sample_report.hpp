// Which reports do the tests of the page show?
#pragma once

#include <cmath>
#include <string>

#include "n2d2/report/report.hpp"

namespace n2d2::report {

/// A network of `count` layers, each with the figures that an export has; names begin with `name`.
inline Report sample_report(int count, const std::string& name = "conv") {
  Report out;
  out.kind = "export", out.network = name + "_net", out.title = "CPP, int8";
  out.tiles = {{"RAM", "1,280 bytes", "arena of " + name, "good", 1280}, {"MACs", "12,345", "", "", 12345}};
  for (int i = 0; i < count; ++i) {
    Layer& layer = out.layers.emplace_back();
    layer.name = i == 0 ? name + "_in" : name + std::to_string(i), layer.type = i == 0 ? "Input" : "Conv";
    if (i > 0) layer.parents.push_back(out.layers[static_cast<size_t>(i) - 1].name);
    if (i > 2) layer.parents.push_back(out.layers[static_cast<size_t>(i) - 3].name);
    layer.output = {8, 4 + i, 4};
    layer.bits = 8, layer.map_bytes = 8 * (4 + i) * 4;
    if (i == 0) continue;
    layer.macs = (i * 7919) % 1009, layer.flash = (i * 104729) % 997, layer.weight_bits = i % 2 == 0 ? 8 : 4;
    layer.kernel = i % 3 == 0 ? "conv2d_depthwise" : "conv2d", layer.form = i % 3 == 1 ? "dot" : "";
    layer.why = "of " + name, layer.step = i - 1, layer.threshold = 0.5 * i;
    if (i % 4 != 0) layer.sqnr_db = 30.5 - i;
    out.memory.steps.push_back(layer.name);
    out.memory.boxes.push_back({layer.name, i - 1.0, i + 1.0, (i % 2) * 640, (i % 2) * 640 + 600 - i, i, 1});
  }
  if (count > 1) out.memory.peak_step = 0, out.memory.levels = {{"peak", 1280}};
  for (Layer& layer : out.layers)
    if (layer.step) layer.ram = bytes_in_use(out.memory, *layer.step);
  for (const Layer& layer : out.layers) {
    Histogram& histogram = out.histograms.emplace_back();
    histogram.name = layer.name, histogram.max = 2, histogram.high = 1.5, histogram.clipped = 0.001;
    for (int64_t bin = 0; bin < 64; ++bin) histogram.counts.push_back((63 - bin) * (63 - bin));
    if (layer.macs) out.blame.push_back({layer.name, "weights", 8, 0.25, 0.01, 0.5, 0.02});
  }
  out.confusions = {{name + ".Target",
                     {name + "_a", name + "_b"},
                     {9, 1, 2, 8},
                     {10, 0, 1, 9},
                     {{name + ".png", name, "a", "b"}},
                     1}};
  out.curves = {{"Loss of " + name,
                 "stimuli",
                 "loss",
                 {{name, {0, 100, 200}, {2.5, 1.25, 0.75}}, {"", {0, 200}, {3, HUGE_VAL}}}}};
  out.points = {{1, name, 0.98, 5000, 9000, 0, "n2d2 " + name}, {2, "dominated", 0.97, 6000, 9000, 1, ""}};
  out.flash = {{"weights", 900}, {name, 100}};
  out.feed = {{{"scale", "0.5"}, {name, name}}, {name, "b"}, "network.propagate(" + name + ");\n"};
  out.about = {{"model", name + ".ini"}, {"command", "n2d2 " + name + ".ini -export CPP"}};
  out.provenance = {{"seed", "1"}};
  out.warnings = {"[" + name + "]: something to know"};
  return out;
}

}  // namespace n2d2::report
