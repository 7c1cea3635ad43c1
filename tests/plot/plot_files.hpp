// What does a drawing look like as the bytes of a file?
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "n2d2/plot/canvas.hpp"

namespace n2d2::plot {

inline std::string temporary_file() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  return testing::TempDir() + "n2d2_plot_" + test->test_suite_name() + "_" + test->name();
}

inline std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  std::filesystem::remove(file);
  return out.str();
}

inline std::string svg_of(const Canvas& canvas) {
  const std::string file = temporary_file();
  canvas.write_svg(file);
  return content(file);
}

inline std::string png_of(const Canvas& canvas) {
  const std::string file = temporary_file();
  canvas.write_png(file);
  return content(file);
}

}  // namespace n2d2::plot
