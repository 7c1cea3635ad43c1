#include "n2d2/pipeline/pipeline.hpp"

#include <algorithm>

#include "n2d2/base/log.hpp"
#include "n2d2/base/progress.hpp"
#include "n2d2/graph/size_limit.hpp"
#include "n2d2/passes/pass.hpp"
#include "n2d2/quantize/check_integers.hpp"
#include "n2d2/quantize/equalize_channels.hpp"
#include "n2d2/quantize/given_scales.hpp"

#include "asked_widths.hpp"
#include "refusals.hpp"

namespace n2d2::pipeline {

namespace {

void tell(const Hooks& hooks, Form form, const graph::Graph& graph) {
  if (hooks.reached) hooks.reached(form, graph);
}

/// Passes of the target, then its recipes and those of modules.
void rewrite_floats(graph::Graph& graph, const Request& request, const targets::Export& target,
                    const Hooks& hooks) {
  quantize::check_constants(graph);
  quantize::warn_of_large_constants(graph);
  passes::PassContext context = hooks.passes;
  context.outputs_may_reshape = request.outputs_may_reshape;
  passes::run(graph, target.pipeline(targets::Stage::Float), context);
  std::vector<passes::Recipe> recipes = target.recipes();
  for (const passes::Recipe& recipe : targets::recipes_of_modules(request.type)) recipes.push_back(recipe);
  passes::fuse(graph, recipes, context);
  tell(hooks, Form::Floats, graph);
}

std::vector<targets::Output> placed(const graph::Graph& graph, const Request& request) {
  std::vector<targets::Output> outputs = request.outputs;
  N2D2_CHECK(outputs.size() <= graph.outputs().size(), "{} outputs of {}", outputs.size(),
             graph.outputs().size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].value = graph.outputs()[i];
    const auto channels = static_cast<int>(graph.value(outputs[i].value).type.shape.c());
    if (request.outputs_may_reshape && !outputs[i].is_data) outputs[i].classes = std::max(2, channels);
  }
  return outputs;
}

}  // namespace

Prepared prepare(graph::Graph& graph, const Request& request, const targets::Export& target,
                 const Hooks& hooks) {
  if (const size_t layers = graph.nodes().size(); layers > graph::kMostExportedLayers)
    throw ExportError(
        fmt::format("the network has {} layers, at most {} are exported", layers, graph::kMostExportedLayers),
        {request.file, 0});
  Prepared out{quantize::quantized_bits(graph) > 0, false, request.quantize};
  out.options.zero_points = target.takes_zero_points();
  out.options.plain_zero_points = target.has_plain_zero_points();
  if (target.request().is_integer()) out.options.rescaling = target.rescaling();
  out.options.most_shift = target.most_shift();
  const bool becomes_integers = target.request().is_integer() && !out.has_integers;
  const Wiring before(graph);
  const AskedWidths widths(graph, request, target);
  if (!out.has_integers) rewrite_floats(graph, request, target, hooks);
  if (becomes_integers) {
    out.was_quantized = quantize::has_given_scales(graph);
    quantize::adopt_given_scales(graph, out.options);
  }
  tell(hooks, Form::Scaled, graph);
  check_layers(graph, before, request, target);
  out.options.widths = widths.of(graph, request.quantize.widths.others);
  if (becomes_integers) widths.check(graph, out.options);
  if (becomes_integers) out.options.output_bits = target.output_bits(graph, placed(graph, request));
  return out;
}

void equalize(graph::Graph& graph, const quantize::Ranges& ranges, const quantize::Options& options) {
  const int values = quantize::equalize_channels(graph, ranges, options);
  log::info("Equalization: channels of {} of {} values scaled by what they reach", values,
            ranges.values.size());
}

Calibration calibrate(graph::Graph& graph, const quantize::BatchSource& samples,
                      const compute::ExecutorOptions& executor_options, const quantize::Options& options,
                      Equalization equalization, const cluster::Cluster& cluster) {
  Calibration out;
  if (equalization == Equalization::On) {
    compute::Executor executor(graph, executor_options);
    out.before = quantize::measure(graph, executor, samples, {}, cluster);
    equalize(graph, *out.before, options);
  }
  compute::Executor executor(graph, executor_options);
  out.ranges = quantize::calibrate(graph, executor, samples, options, {}, cluster);
  out.time = executor.forward_time();
  return out;
}

void apply_rounding(graph::Graph& graph, const quantize::Rounding& rounding) {
  quantize::apply_rounding(graph, rounding);
  if (!rounding.why_not.empty())
    log::notice("weights are rounded to the nearest integers: {}", rounding.why_not);
  else
    log::info("Rounding: weights of {} layers, {:.1f} dB less error at their outputs on windows held out",
              rounding.layers.size(), rounding.gain());
}

quantize::QuantReport quantize(graph::Graph& graph, const quantize::Ranges& ranges,
                               const quantize::Options& options, const Hooks& hooks) {
  quantize::QuantReport report = quantize::quantize_graph(graph, ranges, options);
  Diagnostics findings;
  quantize::check_types(graph, {}, findings);
  N2D2_CHECK(!findings.has_errors(), "quantized to integers that are none: {}", findings.errors()[0].message);
  tell(hooks, Form::Integers, graph);
  return report;
}

std::unique_ptr<const targets::Build> plan(graph::Graph& graph, const Request& request,
                                           const targets::Export& target, const Hooks& hooks) {
  const progress::Task task("Planning the export");
  passes::run(graph, target.pipeline(targets::Stage::Layout), hooks.passes);
  return target.build(graph, placed(graph, request));
}

}  // namespace n2d2::pipeline
