#include "library.hpp"

#include "n2d2/targets/cpp/kernels.hpp"

#include "cpp/kernels/host.hpp"

namespace n2d2::targets::cortexm {

void register_all_dsp_kernels(program::KernelLibrary& library);
void register_all_mve_kernels(program::KernelLibrary& library);
void register_all_scalar_kernels(program::KernelLibrary& library);

namespace plain {
const cpp::HostEntry* table();
}  // namespace plain

namespace {

template <class Register>
program::KernelLibrary filled(Register all) {
  cpp::add_host_kernels(plain::table());
  program::KernelLibrary out;
  all(out);
  out.fall_back_on(&cpp::kernels());
  return out;
}

}  // namespace

const program::KernelLibrary& kernels_of(Family family) {
  static const program::KernelLibrary dsp = filled(register_all_dsp_kernels);
  static const program::KernelLibrary mve = filled(register_all_mve_kernels);
  static const program::KernelLibrary scalar = filled(register_all_scalar_kernels);
  switch (family) {
    case Family::Dsp:
      return dsp;
    case Family::Mve:
      return mve;
    case Family::Scalar:
      break;
  }
  return scalar;
}

}  // namespace n2d2::targets::cortexm
