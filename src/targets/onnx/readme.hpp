// What does somebody need to know who runs an exported ONNX model?
#pragma once

#include <span>
#include <string>

#include "n2d2/onnx/writer.hpp"
#include "n2d2/targets/target.hpp"

namespace n2d2::targets::onnx {

/// README.md of the export: the form, inputs, outputs and files, and a program that runs it.
std::string readme(const graph::Graph& graph, std::span<const Output> outputs, n2d2::onnx::Form form,
                   int opset);

}  // namespace n2d2::targets::onnx
