// How does one parent give a file its several inputs?
#pragma once

#include <optional>
#include <vector>

#include "n2d2/onnx/importer.hpp"

#include "builder.hpp"

namespace n2d2::loader {

/// Values for all inputs of a file, cut out of one that has their elements one behind the other, as channels
/// of one pixel, each input in the order of the file. `factors`: what the elements of each are multiplied by;
/// empty: 1. Elements that the parent has are described in Network::inputs.
/// Nothing after a finding: a parent of another shape, a factor too many.
std::optional<std::vector<graph::ValueId>> cut_inputs(Builder& builder, const LayerSection& section,
                                                      const onnx::Model& model, graph::ValueId joined,
                                                      const std::vector<double>& factors);

/// Takes `<output>=<input>` between commas: the input is a state, the output that in the next run.
/// Findings: names that the file has not, extents that differ.
void keep_states(Builder& builder, const LayerSection& section, const onnx::Model& model,
                 const onnx::Imported& imported, const std::string& states);

}  // namespace n2d2::loader
