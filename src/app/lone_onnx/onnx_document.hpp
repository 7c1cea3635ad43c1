// Which document does a lone ONNX file stand for?
#pragma once

#include <string>

#include "n2d2/config/ini_document.hpp"
#include "n2d2/loader/network.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// A provider of the size of the file's input, the file as section [net], a target on its first output;
/// [database] and the steps of [sp] as the options about samples say. Paths and names are values, whatever
/// characters they hold. ModelError when the file cannot be read or has not one input, ConfigError as
/// sample_sections().
config::IniDocument document_for_onnx(const Options& options);

/// Writes the same as a commented INI file, options.init, and prints the command that goes with it.
/// ConfigError when that exists, or when no INI file can say a path or a name.
void write_ini(const Options& options);

/// Says when the folders that are labels are not as many as the classes, and nothing says which is which.
void warn_of_labels(const loader::Network& net, const Options& options);

}  // namespace n2d2::app
