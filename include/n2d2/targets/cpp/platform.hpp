// What has a target of its own that writes projects as `-export CPP` does?
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "n2d2/program/kernel.hpp"
#include "n2d2/tensor/quant_params.hpp"

namespace n2d2::targets {
struct Footprint;  // n2d2/targets/footprint.hpp
struct Part;
}  // namespace n2d2::targets

namespace n2d2::targets::cpp {

/// Kernels of a platform read bytes of constants as words: what the addresses of these arrays are multiples
/// of.
inline constexpr int kAlignmentOfWords = 16;

/// The machines that a target exports for. The defaults are those of `-export CPP`.
struct Platform {
  /// What `-export` calls it, also in messages.
  std::string name = "CPP";
  /// The kernels that it chooses from. It must outlive the export.
  const program::KernelLibrary* kernels = nullptr;  ///< null: those of `-export CPP`
  /// Folders of headers that kernels of its own are in, below the sources of the exports.
  std::vector<std::filesystem::path> kernel_folders = {};
  /// A folder of files that every project has, below the sources of the exports; they replace files of the
  /// same name of `-export CPP`. Empty: there is none.
  std::filesystem::path static_folder = {};
  /// Largest number of fractional bits of multipliers.
  int most_shift = kMostShift;
  /// How sums become integers where nobody asks for a way.
  RescaleMode rescaling = RescaleMode::FloatingPoint;
  /// Lines that sources.mk has for the Makefiles of `static_folder`.
  std::string make_lines = {};
  /// Bytes of the stack that a call of propagate() takes at most, compiled by g++ at -Os, -O2 and -O3, with
  /// Optimize=speed and size: with the portable kernels where `kernels` is null, else with all of them, as
  /// the Makefile of `static_folder` compiles them. tests/e2e/stack_test.py and tests/targets/cortexm/
  /// stack_test.py hold every kind of layer to it.
  int64_t stack_bytes = 1280;
  /// The folder of the project that the sources of the test driver, which need an operating system, are in;
  /// there is no program for several instruction sets then. Empty: they are beside those of the network.
  std::filesystem::path driver_folder = {};

  /// What a planned program takes of its memories; empty: the machine is no microcontroller.
  std::function<Footprint(const program::Program&)> footprint = {};

  const program::KernelLibrary& library() const;
  /// "export CPP", the subject of messages.
  std::string subject() const { return "export " + name; }
};

}  // namespace n2d2::targets::cpp
