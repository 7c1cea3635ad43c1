#include "export_module.hpp"

#include <algorithm>
#include <array>

namespace n2d2::app {

void register_all_exports(ExportModules& registry);

namespace {

/// Names of spec cli 2.4 that this program does not offer.
constexpr std::array kKnownTypes{"CPP_STM32",    "C",       "C_HLS",    "CPP_cuDNN",
                                 "CPP_TensorRT", "CPP_HLS", "CPP_ASMP", "CPP_Quantization"};

}  // namespace

const ExportModules& export_modules() {
  static const ExportModules modules = [] {
    ExportModules out;
    register_all_exports(out);
    return out;
  }();
  return modules;
}

const ExportModule& export_module(const std::string& type) {
  if (const ExportModule* module = export_modules().find(type)) return *module;
  const bool known = std::find(kKnownTypes.begin(), kKnownTypes.end(), type) != kKnownTypes.end();
  throw ConfigError(fmt::format("\"{}\" export is not available{}; available: {}", type,
                                known ? " in this release" : "", join(export_modules().names(), ", ")));
}

}  // namespace n2d2::app
