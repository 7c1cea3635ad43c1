// Which pictures does a run draw, and from what?
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "n2d2/data/target.hpp"
#include "n2d2/graph/graph.hpp"
#include "n2d2/plot/chart.hpp"
#include "n2d2/plot/diagram.hpp"
#include "n2d2/quantize/histogram.hpp"
#include "n2d2/training/trainer.hpp"

namespace n2d2::app {

/// `<stem>.svg` and `<stem>.png`; makes their folder. ConfigError when they cannot be written.
void write_picture(const plot::Canvas& canvas, const std::filesystem::path& stem);

/// A line a log: stimuli, epoch, mean loss, success of learning and metric of the validation in [0, 1], "-"
/// for none.
std::string curve_text(std::span<const training::CurvePoint> curve, const std::string& metric);
/// Success of learning and validation in percent, over the stimuli.
plot::Chart success_chart(std::span<const training::CurvePoint> curve, const std::string& metric);
plot::Chart loss_chart(std::span<const training::CurvePoint> curve);

/// What share of the first samples was right, in percent over their number; at most a thousand points.
plot::Chart running_success_chart(std::span<const float> successes, const std::string& title);

/// `Success_<set>` and, where TopN counts, `SuccessTopN_<set>` as pictures beside the .dat files of the
/// score.
void draw_successes(const data::Score& score, const std::filesystem::path& folder, std::string_view set);

plot::Canvas confusion_picture(const data::ConfusionMatrix& confusion, const std::vector<std::string>& names,
                               const std::string& title);

/// Share of the values that lie beyond the integers. Half a step beyond the last one is rounded, not clipped.
double clipped_share(const quantize::Histogram& histogram, const QuantParams& integers);
/// How often which values were measured, with what the integers reach and clip: a bar for each of at most 256
/// parts of the range.
plot::Chart histogram_chart(const std::string& name, const quantize::Histogram& histogram,
                            const QuantParams& integers);

/// A box for each layer: name, operator, extents; an activation of its own stands in the box of its layer.
plot::Diagram network_diagram(const graph::Graph& graph, const std::string& title);

}  // namespace n2d2::app
