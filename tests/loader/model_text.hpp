// A model of models/ as tests can afford it: drawn pictures, few maps, small pictures.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "n2d2/config/ini_document.hpp"

namespace n2d2::loader {

/// Every models/*.ini but those of ONNX files, which need those files: tests/bench/onnx_models.py runs them.
/// Sorted.
inline std::vector<std::filesystem::path> shipped_models() {
  std::vector<std::filesystem::path> models;
  for (const auto& entry : std::filesystem::directory_iterator(N2D2_SOURCE_DIR "/models"))
    if (entry.path().extension() == ".ini" && !entry.path().stem().string().ends_with("_onnx"))
      models.push_back(entry.path());
  std::sort(models.begin(), models.end());
  return models;
}

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

/// "$NAME=..." becomes "$NAME=value" where it is there.
inline void set_variable(std::string& text, const std::string& name, const std::string& value) {
  const size_t at = text.find("\n$" + name + "=");
  if (at == std::string::npos) return;
  const size_t begin = at + name.size() + 3;
  text.replace(begin, text.find('\n', begin) - begin, value);
}

/// A model on drawn pictures of ten classes, scaled to its input; its variables ask for narrow layers and
/// small pictures.
inline config::IniDocument small_model(const std::filesystem::path& path) {
  std::string text = text_of(path);
  const bool coloured =
      text.find("NbChannels=3") != std::string::npos || text.find("ChannelExtraction") != std::string::npos;
  const size_t begin = text.find("\n[database]") + 1, end = text.find("\n[", begin) + 1;
  text.replace(
      begin, end - begin,
      std::string("[database]\nType=Glyphs_Database\nWidth=16\nHeight=16\nLearn=8\nValidation=0\nTest=4\n") +
          (coloured ? "NbChannels=3\n" : ""));
  const size_t input = text.find("\n[sp]") + 1, next = text.find("\n[", input) + 1;
  text.insert(next,
              "[sp.Transformation-drawn]\nType=RescaleTransformation\nWidth=[sp]SizeX\nHeight=[sp]SizeY\n");
  set_variable(text, "WIDTH", "0.125");
  set_variable(text, "SIZE", "32");
  set_variable(text, "CLASSES", "10");
  return config::parse_ini(text, path.string(), [](const std::string& file) {
    return std::filesystem::exists(file) ? std::optional(text_of(file)) : std::nullopt;
  });
}

}  // namespace n2d2::loader
