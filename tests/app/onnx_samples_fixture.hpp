// What do the tests of a lone ONNX file's samples share? Pictures to write, and the sections that options
// come to.
#pragma once

#include <filesystem>

#include "n2d2/base/log.hpp"

#include "folder_test.hpp"
#include "lone_onnx/onnx_samples.hpp"

namespace n2d2::app {

inline const InputSize kColour{3, 32, 32, true, false};

class OnnxSamples : public FolderTest {
 protected:
  static void write_picture(const std::string& name, int width = 32, int height = 32) {
    std::filesystem::create_directories(std::filesystem::path(name).parent_path());
    write(name, fmt::format("P6\n{} {}\n255\n", width, height) +
                    std::string(static_cast<size_t>(3 * width * height), 'x'));
  }
  static Options with(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"m.onnx", "-test"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return parse(arguments).options;
  }
  /// "[section] key=value key=value", a line a section.
  static std::string sections(const Options& options, const InputSize& input = kColour,
                              std::string* said = nullptr) {
    log::Capture capture;
    std::string out;
    for (const DocumentedSection& section : sample_sections(options, input)) {
      out += "[" + section.values.name + "]";
      for (const auto& [key, text] : section.values.keys) out += fmt::format(" {}={}", key, text);
      out += "\n";
    }
    if (said != nullptr) *said = capture.text(log::Level::Info);
    return out;
  }
  static std::string steps(const std::vector<std::string>& more, const InputSize& input = kColour) {
    const std::string all = sections(with(more), input);
    return all.substr(all.find('\n') + 1);
  }
  static std::string refused(const std::vector<std::string>& more, const InputSize& input = kColour) {
    try {
      return sections(with(more), input);
    } catch (const ConfigError& error) {
      return error.what();
    }
  }
};

}  // namespace n2d2::app
