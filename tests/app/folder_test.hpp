// A test that runs in an empty working directory of its own.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace n2d2::app {

class FolderTest : public testing::Test {
 protected:
  void SetUp() override {
    before_ = std::filesystem::current_path();
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("n2d2_app_" + std::to_string(::getpid()) + "_" + info->test_suite_name() + "_" + info->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    std::filesystem::current_path(folder_);
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }
  static void write(const std::string& name, const std::string& text) { std::ofstream(name) << text; }
  static std::string read(const std::string& name) {
    std::ifstream in(name);
    std::stringstream out;
    out << in.rdbuf();
    return out.str();
  }

 private:
  std::filesystem::path before_, folder_;
};

}  // namespace n2d2::app
