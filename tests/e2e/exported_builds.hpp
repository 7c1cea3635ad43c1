// Answers: how does a test compile a whole export, and compare all that it computes with the host run?
#pragma once

#include <gtest/gtest.h>

#include "e2e/exported.hpp"

namespace n2d2::e2e {

/// A compiler and its flags.
struct Build {
  const char* name;
  const char* make;  ///< arguments of make
};

inline constexpr Build kGccO0{"gcc_O0", "CXX=g++ CXXFLAGS='-O0 -Werror' OPENMP=0"};
inline constexpr Build kGccO1{"gcc_O1", "CXX=g++ CXXFLAGS='-O1 -Werror'"};
inline constexpr Build kGccO2{"gcc_O2", "CXX=g++ CXXFLAGS='-O2 -Werror'"};
inline constexpr Build kGccO3{"gcc_O3", "CXX=g++ CXXFLAGS='-O3 -Werror'"};
inline constexpr Build kClangO0{"clang_O0", "CXX=clang++-14 CXXFLAGS='-O0 -Werror' OPENMP=0"};
inline constexpr Build kClangO3{"clang_O3", "CXX=clang++-14 CXXFLAGS='-O3 -Werror'"};
inline constexpr Build kSanitized{"sanitized", kMakeSanitized};

/// Builds the project and compares every layer on every stimulus with the reference dumps.
inline void build_and_compare(const std::filesystem::path& folder, const Build& build) {
  const CommandResult make = run_command(folder, std::string("make -s clean && make -s ") + build.make);
  ASSERT_EQ(make.status, 0) << build.name << "\n" << make.output;
  const CommandResult run = run_command(folder, "./bin/run_export -compare reference");
  EXPECT_EQ(run.status, 0) << build.name << "\n" << run.output;
  EXPECT_NE(run.output.find("values, 0 different"), std::string::npos) << run.output;
}

/// Dumps of every layer for all stimuli.
inline Settings all_references(int bits) {
  Settings settings;
  settings.bits = bits;
  settings.parameters.reference_stimuli = 100;
  return settings;
}

/// The project's folder, in that one.
inline std::filesystem::path write(const Exported& net, const TemporaryFolder& folder) {
  const std::filesystem::path project = folder.path() / "export_CPP_int8";
  net.project->write(project, samples_of(net), {});
  return project;
}

}  // namespace n2d2::e2e
