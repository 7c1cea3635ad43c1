#include <algorithm>

#include "n2d2/base/log.hpp"
#include "n2d2/targets/cortexm/platform.hpp"
#include "n2d2/targets/cpp/kernels.hpp"
#include "n2d2/targets/cpp/project.hpp"

#include "boards.hpp"
#include "cores.hpp"
#include "library.hpp"

namespace n2d2::targets::cortexm {

namespace {

/// The type of export of N2D2 that it replaces.
constexpr const char* kOldName = "CPP_STM32";
constexpr std::string_view kTargetKey = "Target";
constexpr std::string_view kCoreKey = "Core", kBoardKey = "Board";

/// Keys of the whole export, beside those of CPP.
struct CortexParameters {
  CoreName core;
  std::string board;

  const Part* part = nullptr;  ///< that `board` names

  template <class V>
  static void fields(V&& v) {
    v(kCoreKey, &CortexParameters::core,
      help(
          "core whose kernels compute the network: it decides the order of the weights; the compiler's flags "
          "decide the instructions"));
    v(kBoardKey, &CortexParameters::board,
      help("part or board whose clock and memories figures are for; it also is the core where Core says "
           "nothing"));
  }
};

class CortexM : public Target {
 public:
  std::string_view summary() const override { return "a C++11 project with firmware for Cortex-M"; }
  std::vector<ParameterTable> parameters() const override {
    std::vector<ParameterTable> out = cpp::parameter_tables();
    std::vector<FieldHelp>& global = out.front().fields;
    std::erase_if(global, [](const FieldHelp& field) { return field.info.name == kTargetKey; });
    const std::vector<FieldHelp> own = describe_fields<CortexParameters>();
    global.insert(global.begin(), own.begin(), own.end());
    return out;
  }
  program::KernelLibrary* kernels() const override { return &cpp::open_kernels(); }
  std::unique_ptr<const Export> configure(const ParameterSections& sections, const Request& request,
                                          Diagnostics& findings) const override {
    CortexParameters own;
    for (const auto& [name, keys] : sections) {
      if (!is_global_section(name)) continue;
      read_fields(own, *keys, findings);
      if (const auto found = keys->find(kTargetKey))
        findings.warn_key(
            found->where,
            fmt::format("{} {}: without effect, the export is for Cortex-M", keys->subject(), kTargetKey),
            "Core names the core");
      read_board(own, *keys, findings);
    }
    const Core& core = core_of(own.core);
    cpp::Parameters parameters =
        cpp::configured_parameters(sections, request, kernels_of(core.family), findings);
    parameters.machine = cpp::Machine::CortexM;
    if (request.is_integer() && request.own_rescaling && !core.has_fpu && !findings.has_errors())
      log::notice("Core={}: it computes no floats, -act-rescaling-mode is {}", core.name,
                  ValueText<RescaleMode>::print(RescaleMode::FixedPoint32));
    return cpp::export_of(request, std::move(parameters), platform_of(core.name, own.part));
  }

 private:
  /// Finds the part, and takes its core where none is named.
  static void read_board(CortexParameters& own, const KeySource& keys, Diagnostics& findings) {
    const auto board = keys.find(kBoardKey);
    if (!board) return;
    const std::string subject = fmt::format("{} {}", keys.subject(), kBoardKey);
    own.part = find_board(own.board);
    if (own.part == nullptr) return findings.error(board->where, subject + ": " + unknown_board(own.board));
    if (!keys.find(kCoreKey))
      own.core = {own.part->core};
    else if (!has_core(*own.part, own.core.name))
      findings.error(board->where,
                     fmt::format("{}: '{}' has a core '{}', {} is '{}'", subject, own.part->name,
                                 own.part->core, kCoreKey, own.core.name),
                     fmt::format("without {}, it is that of the part", kCoreKey));
  }
};

/// CPP_CortexM by the name that N2D2 has for it.
class Stm32 final : public CortexM {
 public:
  std::string_view summary() const override { return "CPP_CortexM, by the name of N2D2"; }
  std::unique_ptr<const Export> configure(const ParameterSections& sections, const Request& request,
                                          Diagnostics& findings) const override {
    log::notice("-export {}: the export for microcontrollers is '{}', for cores of every maker", kOldName,
                kExportName);
    return CortexM::configure(sections, request, findings);
  }
};

}  // namespace

}  // namespace n2d2::targets::cortexm

namespace n2d2::targets {

void register_cortexm(Targets& registry);
void register_cortexm(Targets& registry) {
  registry.add(std::string(cortexm::kExportName), std::make_shared<cortexm::CortexM>());
  registry.add(cortexm::kOldName, std::make_shared<cortexm::Stm32>());
}

}  // namespace n2d2::targets
