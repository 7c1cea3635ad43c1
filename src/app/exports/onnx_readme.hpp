// What does somebody need to know who runs an exported ONNX model?
#pragma once

#include <string>

#include "n2d2/loader/network.hpp"
#include "n2d2/onnx/writer.hpp"

namespace n2d2::app {

/// README.md of the export: the form, inputs, outputs and files, and a program that runs it.
std::string onnx_readme(const loader::Network& net, onnx::Form form);

}  // namespace n2d2::app
