// What does a node test of ONNX say of the importer?
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace n2d2::node_tests {

// Why this program does not feed a case.
inline constexpr std::string_view kSeveralBatches = "inputs of several batch extents",
                                  kOtherType = "data of another type than float32",
                                  kNoElements = "an input without elements",
                                  kIndex = "the network ends with the scores, without the index",
                                  kNoTensors = "inputs or outputs are no tensors of the declared type";

struct Verdict {
  enum { Passed, NotApplicable, Failed } kind = NotApplicable;
  std::string reason;
  std::string ways;
};

/// Imports a case with all inputs as data, with one of them, and with none, and compares what it gives.
Verdict judge(const std::filesystem::path& folder);

std::string bytes_of(const std::filesystem::path& path);

/// Writes the page that says of each operator which cases pass and why others do not. With `only_compares`
/// says where it is another one. Returns the exit status.
int write_reasons(const std::filesystem::path& page, const std::filesystem::path& folder, bool only_compares);

}  // namespace n2d2::node_tests
