#include <fstream>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "node_tests.hpp"

namespace n2d2::node_tests {

namespace fs = std::filesystem;

namespace {

/// The operator that a case is about: that of its node, or of the case whose function it has written out.
std::string operator_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  constexpr std::string_view kExpanded = "_expanded";
  if (name.ends_with(kExpanded)) {
    const fs::path whole = folder.parent_path() / name.substr(0, name.size() - kExpanded.size());
    if (fs::is_directory(whole)) return operator_of(whole);
  }
  ::onnx::ModelProto model;
  if (!model.ParseFromString(bytes_of(folder / "model.onnx")) || model.graph().node_size() == 0) return "?";
  const auto& node = model.graph().node(0);
  return node.domain().empty() ? node.op_type() : node.domain() + "." + node.op_type();
}

/// Why no case of an operator is for this importer; empty for others.
std::string_view scope_of(const std::string& type) {
  constexpr std::string_view kTraining = "training only", kText = "strings",
                             kSequence = "sequences of tensors and tensors that may be missing",
                             kLoop = "loops", kRandom = "random numbers",
                             kCount = "a number of values that depends on data",
                             kSpectrum = "spectra: features are made in front of the network",
                             kPlaces = "places of pixels that depend on data";
  static const std::map<std::string_view, std::string_view> kScopes{
      {"Bernoulli", kRandom},
      {"DFT", kSpectrum},
      {"GridSample", kPlaces},
      {"Loop", kLoop},
      {"MelWeightMatrix", kSpectrum},
      {"NegativeLogLikelihoodLoss", kTraining},
      {"NonMaxSuppression", kCount},
      {"OptionalGetElement", kSequence},
      {"OptionalHasElement", kSequence},
      {"RoiAlign", kPlaces},
      {"STFT", kSpectrum},
      {"Scan", kLoop},
      {"SequenceInsert", kSequence},
      {"SequenceMap", kSequence},
      {"SoftmaxCrossEntropyLoss", kTraining},
      {"StringNormalizer", kText},
      {"TfIdfVectorizer", kText},
      {"Unique", kCount},
  };
  if (type.starts_with("ai.onnx.preview.training")) return kTraining;
  const auto found = kScopes.find(type);
  return found == kScopes.end() ? std::string_view{} : found->second;
}

/// A reason without the extents and numbers of its case, in words.
std::string in_words(const std::string& type, const Verdict& verdict) {
  const std::string& reason = verdict.reason;
  if (const std::string_view scope = scope_of(type); !scope.empty()) return std::string(scope);
  static const std::vector<std::pair<std::string_view, std::string_view>> kWords{
      {"STRING", "strings"},
      {"training", "training only"},
      {"the mask", "the mask of training"},
      {"output 1 ('Mean'", "mean and deviation as outputs, which training reads"},
      {"over the batch", "over the batch"},
      {"reduces the batch", "over the batch"},
      {"rank 1", "an input of one axis that becomes another one"},
      {kNoTensors, "sequences of tensors, tensors that may be missing, or of other types"},
      {kOtherType, "data that are integers"},
      {kSeveralBatches, "inputs with batches of other sizes"},
      {"x3x4x5, expected rank", "3D"},
      {"tensor of shape", "3D"},  // too large for the way in which this program feeds them
      {"the indices of the maxima", "indices of maxima"},
      {"is a constant, expected", "not of constants, and data are float32"},
      {"this operator is not imported", "not imported"},
  };
  for (const auto& [part, words] : kWords)
    if (reason.find(part) != std::string::npos) return std::string(words);
  const size_t to = reason.find("): ");
  const std::string own =
      reason.starts_with("node '") && to != std::string::npos ? reason.substr(to + 3) : reason;
  return own.substr(0, own.find(", only "));
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

struct Row {
  int pass = 0;
  std::map<std::string, int> reasons;
};

std::string page_of(const fs::path& folder) {
  std::set<std::string> cases;
  for (const auto& entry : fs::directory_iterator(folder)) cases.insert(entry.path().filename().string());
  std::map<std::string, Row> rows;
  int passed = 0;
  for (const std::string& name : cases) {
    const std::string type = operator_of(folder / name);
    const Verdict verdict = judge(folder / name);
    if (verdict.kind == Verdict::Passed) {
      ++passed;
      ++rows[type].pass;
    } else {
      ++rows[type].reasons[verdict.kind == Verdict::Failed ? "FAILED" : in_words(type, verdict)];
    }
  }
  std::string out = fmt::format(
      "# Node tests of ONNX\n\n"
      "`tests/runners/onnx_node` runs the node tests of the ONNX project (Debian: libonnx-testdata), each "
      "with its\n"
      "inputs as data and as constants. {} of {} cases pass in one of these ways, and none gives other "
      "values than\n"
      "expected. A case \"_expanded\" counts to the operator whose function it writes out. `onnx_node "
      "--reasons`\n"
      "writes this page; `ctest -R onnx_node` compares it.\n\n"
      "| operator | pass | do not | because of |\n|---|--:|--:|---|\n",
      passed, cases.size());
  for (const auto& [type, row] : rows) {
    int others = 0;
    std::string reasons;
    for (const auto& [reason, count] : row.reasons) {
      others += count;
      reasons += (reasons.empty() ? "" : "; ") + escaped(reason);
      if (row.reasons.size() > 1) reasons += fmt::format(" ({})", count);
    }
    out += fmt::format("| {} | {} | {} | {} |\n", type, row.pass, others, reasons);
  }
  return out;
}

}  // namespace

int write_reasons(const fs::path& page, const fs::path& folder, bool only_compares) {
  const std::string found = page_of(folder);
  if (!only_compares) return std::ofstream(page, std::ios::binary) << found ? 0 : 1;
  if (bytes_of(page) == found) return std::printf("%s says what passes\n", page.c_str()), 0;
  return std::printf("%s is out of date: onnx_node --reasons writes\n%s", page.c_str(), found.c_str()), 1;
}

}  // namespace n2d2::node_tests
