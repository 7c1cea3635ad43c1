// Which sections say what -calib-dir, -test-dir, -preset ... say?
#pragma once

#include <string>
#include <vector>

#include "n2d2/config/ini_document.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// A section of a document and why it is there.
struct DocumentedSection {
  config::SectionValues values;
  /// Lines of a comment, nothing in them comes from elsewhere.
  std::string comment;
};

/// The input of an ONNX file.
struct InputSize {
  int64_t channels = 1, height = 1, width = 1;
  /// Pictures fit: N,C,H,W of 1 or 3 channels.
  bool is_map = false;
  /// Elements are integers, which are fed as they are.
  bool is_integer = false;
  /// The file has N,H,W,C or N,L,C.
  bool channels_last = false;
};

/// [database] and the transformations of [sp]; an empty [database] when no samples are given. Folders are
/// looked through.
/// ConfigError for options that do not go with the input, with each other or with what the folders hold. Says
/// what is assumed.
std::vector<DocumentedSection> sample_sections(const Options& options, const InputSize& input);

/// The error with the options of the command line in place of the sections of transformations, which they
/// stand for.
ConfigError in_words_of_options(const ConfigError& error, const Options& options);

}  // namespace n2d2::app
