// Writes pages for the tests of their script: write_pages FOLDER.
#include <fstream>
#include <string>

#include "n2d2/report/write.hpp"

#include "report/hostile_names.hpp"
#include "report/sample_report.hpp"

namespace {

void write(const std::string& file, const n2d2::report::Report& report) {
  std::ofstream(file, std::ios::binary) << n2d2::report::write_html(report);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = std::string(argv[1]) + "/";
  write(folder + "small.html", n2d2::report::sample_report(6));
  write(folder + "large.html", n2d2::report::sample_report(66));
  write(folder + "nothing.html", n2d2::report::Report());
  for (int seed = 0; seed < n2d2::report::kHostileNames; ++seed)
    write(folder + "hostile" + std::to_string(seed) + ".html",
          n2d2::report::sample_report(4, n2d2::report::hostile_name(seed)));
  return 0;
}
