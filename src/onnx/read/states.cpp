// Which outputs of a file are inputs of its next run, and which inputs are numbers?
#include <algorithm>

#include "n2d2/base/text.hpp"
#include "n2d2/onnx/importer.hpp"

#include "file.hpp"

namespace n2d2::onnx {

std::vector<std::pair<std::string, std::string>> state_pairs(const Model& model, const std::string& text) {
  std::vector<std::pair<std::string, std::string>> out;
  std::vector<std::string> inputs;
  for (const GraphInput& input : model.inputs()) inputs.push_back(input.name);
  const auto refuse = [&](const std::string& message) {
    throw ModelError(fmt::format("states: {}", message), {model.file().path, 0},
                     fmt::format("outputs of the file: '{}'; inputs: '{}'", join(model.outputs(), "', '"),
                                 join(inputs, "', '")));
  };
  if (trim(text).empty()) return out;
  for (const std::string& item : split(text, ',')) {
    // Names may hold '=': all ways to cut the text are tried.
    const std::string pair(trim(item));
    std::optional<std::pair<std::string, std::string>> found;
    for (const std::string& output : model.outputs())
      for (const std::string& input : inputs)
        if (pair == output + "=" + input) found = {output, input};
    if (!found) {
      refuse(fmt::format("expected '<output>=<input>' between commas, got '{}'", pair));
    } else {
      for (const auto& [output, input] : out)
        if (output == found->first || input == found->second)
          refuse(fmt::format("'{}' and '{}={}' have a name in common", pair, output, input));
      out.push_back(*found);
    }
  }
  return out;
}

std::map<std::string, double, std::less<>> constants_of(const Model& model, const std::string& text) {
  std::map<std::string, double, std::less<>> out;
  if (trim(text).empty()) return out;
  for (const std::string& item : split(text, ',')) {
    const size_t at = item.rfind('=');
    const std::optional<double> value =
        at == std::string::npos ? std::nullopt : parse_real(trim(std::string_view(item).substr(at + 1)));
    if (!value || !out.emplace(std::string(trim(std::string_view(item).substr(0, at))), *value).second)
      throw ModelError(
          fmt::format("constants: expected '<input>=<number>' between commas, got '{}'", trim(item)),
          {model.file().path, 0});
  }
  return out;
}

}  // namespace n2d2::onnx
