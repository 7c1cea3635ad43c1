// How is a kernel of the program bound to the forms of it that run in process?
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/targets/cpp/layer.hpp"

#include "host.hpp"

namespace n2d2::targets::cpp {

/// The best form of a kernel that this machine runs; N2D2_HOST_ISA (baseline, avx2, avx512) asks for a lower
/// one.
HostKernel host_kernel(std::string_view name);
/// Names of the instruction sets that this machine runs, the best one last.
std::vector<std::string> host_instruction_sets();
/// The form for one of them.
HostKernel host_kernel(std::string_view name, std::string_view instruction_set);

/// Whether the chosen form reads packed weights where there are any.
bool host_reads_packed();

/// Binds the host form of a kernel to its config and to the constants of a call.
HostCall bound_host(std::string_view kernel, std::shared_ptr<const void> config, const Site& site);

/// A kernel with one config struct, ConfigOf<int> or ConfigOf<float>. Self has
///   template <class Bound> ConfigOf<Bound> config_of(const Site&) const
template <class Self, template <class> class ConfigOf>
class LayerKernel : public program::Kernel {
 public:
  Config config(const Program& program, const Call& call) const override {
    const Site site{program, call};
    if (site.is_float()) return {print_config(self().template config_of<float>(site)), {}};
    return {print_config(self().template config_of<int>(site)), {}};
  }
  HostCall host(const Program& program, const Call& call) const override {
    const Site site{program, call};
    if (site.is_float())
      return bound_host(
          name(), std::make_shared<const ConfigOf<float>>(self().template config_of<float>(site)), site);
    return bound_host(name(), std::make_shared<const ConfigOf<int>>(self().template config_of<int>(site)),
                      site);
  }

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
};

}  // namespace n2d2::targets::cpp
