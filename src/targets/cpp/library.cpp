#include "n2d2/targets/cpp/kernels.hpp"

namespace n2d2::targets::cpp {

void register_all_kernels(program::KernelLibrary& library);

const program::KernelLibrary& kernels() {
  static const program::KernelLibrary library = [] {
    program::KernelLibrary out;
    register_all_kernels(out);
    return out;
  }();
  return library;
}

}  // namespace n2d2::targets::cpp
