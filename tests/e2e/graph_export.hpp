// How does a test export a graph that no INI file describes? Through the pipeline, with the ranges of a few
// samples.
#pragma once

#include <memory>
#include <utility>

#include "n2d2/pipeline/pipeline.hpp"
#include "n2d2/quantize/given_scales.hpp"
#include "n2d2/targets/cpp/project.hpp"

namespace n2d2::e2e {

struct GraphExport {
  graph::Graph logical;  ///< as the target takes it, before its layout; with integers where there are bits
  std::unique_ptr<const targets::Build> build;
  const targets::cpp::Project& project() const { return *targets::cpp::project_of(*build); }
};

inline pipeline::Request request_for(const graph::Graph& graph, const targets::Request& asked) {
  pipeline::Request request;
  request.quantize.bits = asked.bits;
  request.quantize.rescaling = asked.rescaling;
  request.outputs_may_reshape = true;
  for (const graph::ValueId id : graph.outputs())
    request.outputs.push_back({id, static_cast<int>(graph.value(id).type.shape.c()), "", false});
  return request;
}

/// Another export of a graph that has been through export_graph().
inline GraphExport planned(graph::Graph logical, const targets::Request& asked,
                           const targets::cpp::Parameters& parameters,
                           const targets::cpp::Platform& platform = {}) {
  GraphExport out{std::move(logical), nullptr};
  graph::Graph graph = out.logical;
  out.build =
      pipeline::plan(graph, request_for(graph, asked), *targets::cpp::export_of(asked, parameters, platform));
  return out;
}

/// Values that come without a scale get that of the samples (N,C,H,W f32), which the reference backend runs.
inline GraphExport export_graph(graph::Graph graph, const Tensor& samples, const targets::Request& asked,
                                const targets::cpp::Parameters& parameters,
                                const targets::cpp::Platform& platform = {}) {
  const auto target = targets::cpp::export_of(asked, parameters, platform);
  const pipeline::Prepared prepared = pipeline::prepare(graph, request_for(graph, asked), *target);
  if (asked.is_integer()) {
    quantize::Ranges ranges;
    const auto source = [&](int64_t index, Tensor& batch) {
      batch = samples;
      return index == 0;
    };
    if (!quantize::values_without_scale(graph, prepared.options.output_bits).empty())
      ranges = pipeline::calibrate(graph, source, {compute::Backend::Reference, false, 0}, prepared.options,
                                   pipeline::Equalization::Off)
                   .ranges;
    pipeline::quantize(graph, ranges, prepared.options);
  }
  return planned(std::move(graph), asked, parameters, platform);
}

}  // namespace n2d2::e2e
