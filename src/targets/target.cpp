#include "n2d2/targets/target.hpp"

#include <cstdlib>

#include "n2d2/passes/pipelines.hpp"
#include "n2d2/targets/footprint.hpp"

namespace n2d2::targets {

bool is_global_section(std::string_view section) {
  return section.empty();
}

std::vector<Tensor> Build::run(const Tensor&) const {
  throw InternalError("a target that does not run was asked to", __FILE__, __LINE__);
}

std::optional<Footprint> Build::footprint() const {
  return std::nullopt;
}

std::vector<std::string_view> Export::pipeline(Stage stage) const {
  if (stage == Stage::Layout) return {};
  return passes::float_pipeline({.equalize = request_.is_integer() && request_.equalize});
}

std::vector<ParameterTable> Target::parameters() const {
  return {{"", is_global_section, describe_fields<SharedParameters>()}};
}

std::string folder_name(const std::string& type, int bits) {
  return fmt::format("export_{}_{}{}", type, bits > 0 ? "int" : "float", std::abs(bits));
}

}  // namespace n2d2::targets
