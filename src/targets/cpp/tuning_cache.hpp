// What was measured of the forms of kernels on this machine, and where does it lie until the next export?
//
//     # n2d2 tuning 1
//     n2d2	0.1.0
//     machine	AMD EPYC 7763, 2 threads
//     compiler	g++ (Debian 12.2.0) 12.2.0
//     Conv u8 1x16x8x8 ...	packed	3.121	3.205
//
// Tabs separate fields; the last two are the fastest and the slowest of several runs, in microseconds. Lines
// are sorted.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "n2d2/base/error.hpp"

namespace n2d2::targets::cpp {

/// Microseconds of the fastest and the slowest of several runs.
struct TimeRange {
  double least = 0, most = 0;
  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

/// What times depend on beside a layer. A file measured under another one says nothing here.
struct TuningMachine {
  std::string version, machine, compiler;
  friend bool operator==(const TuningMachine&, const TuningMachine&) = default;
};

/// By what a layer is and by the name of a form.
using Timings = std::map<std::string, std::map<std::string, TimeRange>>;

struct TuningCache {
  TuningMachine machine;
  Timings timings;
};

std::string print(const TuningCache& cache);

/// ConfigError with every line that is none of such a file.
TuningCache parse_tuning(std::string_view text, const std::string& file);

/// The file for this machine: without timings where there is no file, or one of another machine, which a
/// notice says.
/// ConfigError where the file is another one, or broken: it is not overwritten.
TuningCache read_tuning(const std::filesystem::path& file, const TuningMachine& machine);

/// ConfigError when it cannot be written.
void write_tuning(const std::filesystem::path& file, const TuningCache& cache);

}  // namespace n2d2::targets::cpp
