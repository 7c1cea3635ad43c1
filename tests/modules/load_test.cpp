#include "n2d2/modules/load.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "n2d2/modules/module.hpp"

namespace n2d2::modules {
namespace {

namespace fs = std::filesystem;

std::string failure(const std::string& file) {
  try {
    load(file);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Load, RefusesWhatIsNoModule) {
  EXPECT_EQ(failure("absent.so"), "absent.so: module: No such file or directory");
  const fs::path text = fs::path(testing::TempDir()) / "n2d2_text.so";
  std::ofstream(text) << "not a library";
  EXPECT_EQ(failure(text.string()),
            text.string() +
                ": module: cannot be loaded: file too short\n"
                "  hint: build it against the headers of this n2d2 (docs/make/extending.md)");
  fs::remove(text);
  ASSERT_EQ(::mkfifo(text.c_str(), 0600), 0);
  EXPECT_EQ(failure(text.string()), text.string() + ": module: expected a regular file, found a pipe");
  fs::remove(text);
  EXPECT_EQ(failure(N2D2_NO_MODULE), std::string(N2D2_NO_MODULE) +
                                         ": module: is not one of n2d2\n"
                                         "  hint: it needs an N2D2_MODULE (docs/make/extending.md)");
}

TEST(Load, RefusesAModuleOfOtherHeaders) {
  EXPECT_EQ(failure(N2D2_OLD_MODULE),
            std::string(N2D2_OLD_MODULE) + ": module: built for the interface 0.0.1-0123456789ab, this is " +
                N2D2_INTERFACE +
                "\n  hint: build it against the headers of this n2d2 (docs/make/extending.md)");
}

TEST(Registries, KnowTheTargets) {
  Registries registries;
  EXPECT_THROW(registries.kernels("NONE"), ConfigError);
  EXPECT_THROW(registries.kernels("ONNX"), ConfigError);
  EXPECT_EQ(&registries.kernels("CPP"), (*targets::registry().find("CPP"))->kernels());
  EXPECT_THROW(registries.add_recipe("NONE", {}), ConfigError);
}

}  // namespace
}  // namespace n2d2::modules
