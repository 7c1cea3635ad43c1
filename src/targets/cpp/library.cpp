#include "n2d2/targets/cpp/kernels.hpp"
#include "n2d2/targets/cpp/platform.hpp"

namespace n2d2::targets::cpp {

void register_all_kernels(program::KernelLibrary& library);

program::KernelLibrary& open_kernels() {
  static program::KernelLibrary library = [] {
    program::KernelLibrary out;
    register_all_kernels(out);
    return out;
  }();
  return library;
}

const program::KernelLibrary& kernels() {
  return open_kernels();
}

const program::KernelLibrary& Platform::library() const {
  return kernels == nullptr ? cpp::kernels() : *kernels;
}

}  // namespace n2d2::targets::cpp
