// A network from a few lines of INI, for tests.
#pragma once

#include <string>

#include "n2d2/base/log.hpp"
#include "n2d2/loader/network.hpp"

namespace n2d2::loader {

inline config::IniDocument document(const std::string& text) {
  return config::parse_ini(text, "net.ini");
}

inline Network network_of(const std::string& text, const Options& options = {1, false, {}}) {
  log::Capture quiet;
  config::IniDocument ini = document(text);
  return network(ini, options);
}

/// All findings of a text that cannot be built.
inline std::string findings_of(const std::string& text, const Options& options = {1, false, {}}) {
  try {
    network_of(text, options);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no findings";
}

/// The warnings and notices of a text that can be built.
inline std::string warnings_of(const std::string& text) {
  log::Capture capture;
  config::IniDocument ini = document(text);
  network(ini, {1, false, {}});
  return capture.text();
}

/// Three lines: a small embedded database.
inline const std::string kData =
    "[database]\nType=Glyphs_Database\nLearn=20\nValidation=10\nTest=10\n[sp]\nSize=28 28\nBatchSize=4\n";

/// An input without samples and labels: targets then fit any layer.
inline const std::string kInput = "[database]\n[sp]\nSize=28 28\nBatchSize=4\n";

}  // namespace n2d2::loader
