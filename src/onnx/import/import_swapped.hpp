// What does ImportOptions::transpose do? The file is imported as it is, then every map is exchanged.
#pragma once

#include "n2d2/onnx/importer.hpp"

namespace n2d2::onnx {

/// import_model with ImportOptions::transpose.
Imported import_swapped(graph::Graph& graph, const Model& model, const std::vector<graph::ValueId>& inputs,
                        const ImportOptions& options);
/// import_model without it.
Imported import_as_it_is(graph::Graph& graph, const Model& model, const std::vector<graph::ValueId>& inputs,
                         const ImportOptions& options);

}  // namespace n2d2::onnx
