#include "compare_reports.hpp"

#include "n2d2/base/error.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/report/write.hpp"

#include "files.hpp"

namespace n2d2::app {

namespace {

constexpr int64_t kLargestReport = int64_t{1} << 28;

report::Report report_in(const std::string& place) {
  namespace fs = std::filesystem;
  const std::string file = fs::is_directory(place) ? (fs::path(place) / "report.json").string() : place;
  try {
    return report::read_json(read_text_file(file, kLargestReport), file);
  } catch (const FileError& error) {
    throw ConfigError("report: " + error.reason, {file, 0}, "every export writes a report.json");
  }
}

}  // namespace

void compare_reports(const Options& o) {
  const report::Report a = report_in(o.compare), b = report_in(o.model);
  const std::filesystem::path file = o.in_output("comparison.html");
  write_text(file, report::write_comparison(a, b, o.compare, o.model));
  print(fmt::format("Compared in '{}'\n", file.string()));
}

}  // namespace n2d2::app
