#include "driver_files.hpp"

#include <array>
#include <string_view>

namespace n2d2::targets::cpp {

namespace fs = std::filesystem;

namespace {

constexpr std::array kDriver{"dnn/src/forms.cpp",    "include/compare.hpp",
                             "include/dispatch.hpp", "include/dispatch_table.hpp",
                             "include/distance.hpp", "include/driven.hpp",
                             "include/fail.hpp",     "include/feature_map.hpp",
                             "include/forms.hpp",    "include/options.hpp",
                             "include/score.hpp",    "include/stimulus.hpp",
                             "include/timing.hpp",   "main.cpp",
                             "src/compare.cpp",      "src/dispatch.cpp",
                             "src/dispatched.cpp",   "src/distance.cpp",
                             "src/driven.cpp",       "src/fail.cpp",
                             "src/feature_map.cpp",  "src/options.cpp",
                             "src/score.cpp",        "src/stimulus.cpp",
                             "src/timing.cpp"};

constexpr std::string_view kInclude = "#include \"";

}  // namespace

fs::path DriverFiles::place(const fs::path& file) const {
  if (folder_.empty()) return file;
  for (const char* name : kDriver)
    if (file == name) {
      const fs::path generated = file.lexically_relative("dnn");
      return folder_ / (*generated.begin() == ".." ? file : generated);
    }
  return file;
}

std::string DriverFiles::text(const fs::path& file, std::string text) const {
  if (folder_.empty()) return text;
  const fs::path to = place(file).parent_path();
  for (size_t at = text.find(kInclude); at != std::string::npos; at = text.find(kInclude, at)) {
    at += kInclude.size();
    const size_t end = text.find('"', at);
    const fs::path included = place((file.parent_path() / text.substr(at, end - at)).lexically_normal());
    text.replace(at, end - at, included.lexically_relative(to.empty() ? "." : to).generic_string());
  }
  return text;
}

}  // namespace n2d2::targets::cpp
