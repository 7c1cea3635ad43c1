#include "onnx_document.hpp"

#include <algorithm>

#include "n2d2/base/log.hpp"
#include "n2d2/onnx/importer.hpp"

namespace n2d2::app {

bool is_onnx(const std::string& path) {
  std::string lower = path;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower.ends_with(".onnx");
}

config::IniDocument document_for_onnx(const std::string& path) {
  const onnx::Model model = onnx::read_model(path);
  if (model.inputs().size() != 1)
    throw ModelError(fmt::format("the file has {} inputs, alone it may have one", model.inputs().size()),
                     {path, 0}, "an INI file with a section of Type=ONNX says what feeds each of them");
  // An extent that the file leaves open is a finding of the import.
  const std::vector<int64_t>& dims = model.inputs()[0].dims;
  const auto extent = [&](size_t axis) { return axis < dims.size() ? std::max<int64_t>(1, dims[axis]) : 1; };
  const size_t rank = dims.size();
  const int64_t width = rank == 2 ? extent(1) : rank == 3 ? extent(2) : extent(3);
  const std::string& output = model.outputs().at(0);
  log::notice("{}: no INI file, so no database; '{}' is the target", path, output);
  return config::document_of(path, {{"database", {}},
                                    {"sp",
                                     {{"SizeX", std::to_string(width)},
                                      {"SizeY", std::to_string(rank > 3 ? extent(2) : 1)},
                                      {"NbChannels", std::to_string(rank == 2 ? 1 : extent(1))},
                                      {"BatchSize", "1"}}},
                                    {"net", {{"Input", "sp"}, {"Type", "ONNX"}, {"File", path}}},
                                    {output + ".Target", {}}});
}

}  // namespace n2d2::app
