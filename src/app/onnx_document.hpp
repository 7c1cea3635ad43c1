// Which document does a lone ONNX file stand for?
#pragma once

#include <string>

#include "n2d2/config/ini_document.hpp"

namespace n2d2::app {

/// Whether the name of the network file says that it is an ONNX file.
bool is_onnx(const std::string& path);

/// A provider of the size of the file's input, the file as section [net], a target on its first output; no database
/// (spec onnx-import 1). Path and names are values, whatever characters they hold. ModelError when the file cannot be read or
/// has not one input.
config::IniDocument document_for_onnx(const std::string& path);

}  // namespace n2d2::app
