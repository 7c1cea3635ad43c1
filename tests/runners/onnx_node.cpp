// Runs the node tests of the ONNX project (Debian: libonnx-testdata) through the importer and the reference
// backend.
//   onnx_node <folder of cases> <list of cases that pass> [case ...]
//   onnx_node --reasons <page> <folder of cases>    writes the table of docs/results/onnx_nodes.md
//   onnx_node --check-reasons <page> <folder of cases>   exit 1 where the page is out of date
// Each case holds one node, its inputs and what it must give. It is imported with all inputs as data, with
// one of them as data and the others as constants, and with all as constants (folding); what imports must
// give the expected values.
// A case that never imports is not applicable, with the reason of the refusal. Exit 1 when a case fails, or
// when the cases that pass are not those of the list.
#include <cstdio>
#include <fstream>
#include <map>
#include <set>

#include "n2d2/base/log.hpp"

#include "node_tests.hpp"

namespace {

namespace fs = std::filesystem;
using namespace n2d2;
using namespace n2d2::node_tests;

/// "node 'y' (Conv): reason" without the name, so that equal reasons count together.
std::string without_node(const std::string& reason) {
  const size_t from = reason.find('('), to = reason.find("): ");
  if (!reason.starts_with("node '") || from == std::string::npos || to == std::string::npos) return reason;
  const std::string type = reason.substr(from + 1, to - from - 1), rest = reason.substr(to + 3);
  return rest.starts_with("this operator is not imported") ? "an operator that is not imported"
                                                           : type + ": " + rest;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: onnx_node <folder> <list> [case ...]\n"), 2;
  const std::string_view option = argv[1];
  const bool has_option = option.starts_with("--") && argc == 4;
  const char* folder = argv[has_option ? 3 : 1];
  if (!fs::is_directory(folder)) {
    std::printf("%s is not there: install libonnx-testdata\n", folder);
    return 77;
  }
  if (has_option) {
    const log::Capture quiet;
    return write_reasons(argv[2], folder, option == "--check-reasons");
  }
  const std::set<std::string> only(argv + 3, argv + argc);
  std::set<std::string> cases, expected, passed;
  for (const auto& entry : fs::directory_iterator(argv[1]))
    if (only.empty() || only.contains(entry.path().filename().string()))
      cases.insert(entry.path().filename().string());
  std::ifstream list(argv[2]);
  for (std::string line; std::getline(list, line);)
    if (only.empty() || only.contains(line)) expected.insert(line);

  int failed = 0, not_applicable = 0;
  std::map<std::string, int> reasons;
  for (const std::string& name : cases) {
    const Verdict verdict = judge(fs::path(argv[1]) / name);
    if (verdict.kind == Verdict::Passed) {
      passed.insert(name);
      std::printf("passed %s (%s)\n", name.c_str(), verdict.ways.c_str());
    } else if (verdict.kind == Verdict::Failed) {
      ++failed;
      std::printf("FAILED %s: %s\n", name.c_str(), verdict.reason.c_str());
    } else {
      ++not_applicable;
      ++reasons[without_node(verdict.reason)];
      if (!only.empty()) std::printf("not applicable %s: %s\n", name.c_str(), verdict.reason.c_str());
    }
  }
  for (const auto& [reason, count] : reasons) std::printf("not applicable %4d: %s\n", count, reason.c_str());
  int unexpected = 0;
  for (const std::string& name : expected)
    if (!passed.contains(name) && ++unexpected)
      std::printf("LOST %s: in the list, but does not pass\n", name.c_str());
  for (const std::string& name : passed)
    if (!expected.contains(name) && ++unexpected)
      std::printf("NEW %s: passes, add it to the list\n", name.c_str());
  std::printf("onnx_node: passed %zu, not applicable %d, failed %d; differences from the list: %d\n",
              passed.size(), not_applicable, failed, unexpected);
  return failed > 0 || unexpected > 0 ? 1 : 0;
}
