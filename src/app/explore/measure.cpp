#include "measure.hpp"

#include <cmath>

#include "n2d2/base/log.hpp"
#include "n2d2/program/schedule.hpp"
#include "n2d2/program/tiling.hpp"
#include "n2d2/quantize/zero_points.hpp"
#include "n2d2/targets/footprint.hpp"

#include "calibration.hpp"
#include "compare_floats.hpp"
#include "export_network.hpp"
#include "export_steps.hpp"
#include "export_type.hpp"
#include "look/analysis.hpp"
#include "point_json.hpp"
#include "score.hpp"

namespace n2d2::app {

/// What all settings of equal widths begin with.
struct IntegerGraphs::Measured {
  pipeline::Prepared prepared;
  graph::Graph unequalized, equalized;
  quantize::StoredCalibration calibration;
};

IntegerGraphs::IntegerGraphs(loader::Network& net) : net_(net), as_loaded_(net.graph) {}

IntegerGraphs::~IntegerGraphs() {
  net_.graph = as_loaded_;
}

const IntegerGraphs::Measured& IntegerGraphs::measured(const IntegerSetting& setting, const Options& o) {
  for (const auto& [widths, found] : measured_)
    if (widths.has_widths_of(setting)) return *found;
  net_.graph = as_loaded_;
  auto out = std::make_unique<Measured>();
  out->prepared = pipeline::prepare(net_.graph, pipeline_request(net_, o), *configure_export(o));
  out->unequalized = net_.graph;
  quantize::Options options = quantize_options(o);
  options.widths = out->prepared.options.widths;
  out->calibration =
      calibrated(net_, o.calib, options, o.no_cle ? pipeline::Equalization::Off : pipeline::Equalization::On);
  out->equalized = net_.graph;
  measured_.emplace_back(setting, std::move(out));
  return *measured_.back().second;
}

IntegerGraphs::Made IntegerGraphs::make(const IntegerSetting& setting, const Options& o) {
  const Measured& from = measured(setting, o);
  Made out{from.unequalized, from.equalized, pipeline_request(net_, o)};
  quantize::Options options = from.prepared.options;
  options.effort = setting.effort;
  if (options.zero_points) options.bytes = quantize::byte_grid(table_of_pictures(net_));
  quantize::StoredCalibration calibration = from.calibration;
  net_.graph = from.equalized;
  if (options.effort > 0 && calibration.ranges.samples > 0) {
    choose_setting(net_, &from.unequalized, o, options, calibration);
    pipeline::apply_rounding(net_.graph, *calibration.rounding);
  }
  pipeline::quantize(net_.graph, calibration.ranges, options);
  out.integers = net_.graph;
  return out;
}

std::unique_ptr<const targets::Build> planned(const IntegerGraphs::Made& made, const Options& o) {
  graph::Graph graph = made.integers;
  return pipeline::plan(graph, made.request, *configure_export(o));
}

Cost cost_of(const targets::Build& build) {
  N2D2_CHECK(build.program() != nullptr, "an export without a program was planned");
  const program::Program& program = *build.program();
  Cost out;
  const ExportSizes sizes = sizes_of(program);
  out.ram = sizes.ram, out.weights = sizes.weights, out.biases = sizes.other_constants;
  out.multiplications = program::multiplications(program).all;
  out.calls = program::runs_of(program);
  if (const auto footprint = build.footprint()) {
    out.filling = footprint->filling, out.code = footprint->code;
    out.instructions = std::llround(footprint->instructions());
  }
  return out;
}

namespace {

constexpr int64_t kMostBytesKept = int64_t{256} << 20;

}  // namespace

std::vector<Tensor> Scorer::keep(std::vector<Tensor> outputs, size_t batch) {
  for (const Tensor& output : outputs) bytes_ += output.bytes();
  if (batch == outputs_.size() && bytes_ <= kMostBytesKept) outputs_.push_back(outputs);
  return outputs;
}

Accuracy Scorer::run(const graph::Graph& floats, const targets::Build& build) {
  FloatsBeside beside(net_, floats);
  size_t batch_index = 0;
  beside.finish(scores_of(net_, build, test_positions(net_, options_),
                          [&](const data::Batch& batch, const std::vector<Tensor>& outputs,
                              const std::vector<data::Score>& scores) {
                            std::vector<Tensor> wanted;
                            if (batch_index < outputs_.size())
                              wanted = outputs_[batch_index];
                            else
                              wanted = keep(beside.run(batch.data), batch_index);
                            ++batch_index;
                            beside.add(batch, wanted, build, outputs, scores);
                          }));
  return accuracy_of(nlohmann::ordered_json::parse(beside.json()));
}

}  // namespace n2d2::app
