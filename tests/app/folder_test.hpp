// A test that runs in an empty working directory of its own.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "../working_folder.hpp"

namespace n2d2::app {

class FolderTest : public testing::Test {
 protected:
  static void write(const std::string& name, const std::string& text) { std::ofstream(name) << text; }
  static std::string read(const std::string& name) {
    std::ifstream in(name);
    std::stringstream out;
    out << in.rdbuf();
    return out.str();
  }

 private:
  WorkingFolder folder_;
};

}  // namespace n2d2::app
