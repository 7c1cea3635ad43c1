#include "n2d2/export/packages.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "n2d2/base/error.hpp"
#include "n2d2/base/text.hpp"
#include "n2d2/export/template.hpp"

namespace n2d2::exporter {

namespace {

namespace fs = std::filesystem;

using Files = std::vector<std::pair<fs::path, std::string>>;

constexpr std::string_view kPrefix = "n2d2_";
constexpr size_t kLongestName = 48;
/// A package that is exported anew has it again; who publishes packages counts in the files.
constexpr const char* kPackageVersion = "1.0.0";
/// Where formats have the code of a network, and what their names end with here.
constexpr const char* kCode = "src/network";
constexpr std::string_view kTemplate = ".mustache";
/// Files of every format, and what examples of several formats have in common.
constexpr const char *kOfAll = "all", *kParts = "parts";
constexpr std::string_view kPack = "cmsis-pack";
/// Frames of an example, beside those of the network.
constexpr int64_t kStackOfExample = 2048;

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// The name with '_' for all that means something in XML, YAML, JSON, Kconfig, CMake or Markdown.
std::string label_of(std::string_view network) {
  std::string out;
  for (const char c : network)
    out += is_alphanumeric(c) || c == ' ' || c == '-' || c == '.' || c == '_' ? c : '_';
  if (out.size() > kLongestName) out.resize(kLongestName);
  return out.empty() ? "network" : out;
}

std::string upper_case(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

TemplateData::List list_of(const std::vector<std::string>& texts) {
  TemplateData::List out;
  for (const std::string& text : texts) out.push_back(TemplateData().set("path", text));
  return out;
}

/// One line of ASCII that says what the package has.
std::string summary_of(const Package& package, const PackageRequest& request) {
  const std::string type = package.bits > 0 ? fmt::format("int{}", package.bits) : "float32";
  const std::string code = package.code > 0 ? fmt::format(" and about {} bytes of code", package.code) : "";
  return fmt::format(
      "Neural network {} in {} as C++11 without heap and libraries: {} bytes of RAM, {} bytes of "
      "parameters{}",
      label_of(request.network), type, package.arena, package.parameters, code);
}

TemplateData data_of(const Package& package, const PackageRequest& request) {
  const std::string id = package_identifier(request.network);
  std::vector<std::string> sources, headers;
  for (const fs::path& source : package.sources) sources.push_back((kCode / source).generic_string());
  for (const auto& [path, text] : package.files)
    if (std::find(package.sources.begin(), package.sources.end(), path) == package.sources.end())
      headers.push_back((kCode / path).generic_string());
  TemplateData::List facts;
  for (const auto& [what, value] : package.facts)
    facts.push_back(TemplateData().set("what", what).set("value", value));
  return TemplateData()
      .set("id", id)
      .set("upper", upper_case(id))
      .set("label", label_of(request.network))
      .set("tool", request.tool)
      .set("version", kPackageVersion)
      .set("namespace", package.name_space)
      .set("summary", summary_of(package, request))
      .set("stack", package.stack)
      .set("task_stack", package.stack + kStackOfExample)
      .set("scores", package.scores)
      .set_switch("has_self_test", package.bits > 0)
      .set_switch("has_scores", package.pixels == 1)
      .set_list("sources", list_of(sources))
      .set_list("headers", list_of(headers))
      .set_list("facts", facts);
}

/// The code, as no linker script of its own places it: the arena is zeroed memory, the rest is constants.
constexpr std::string_view kPlainSections =
    "\n/* A package is linked by scripts that do not know sections of exports. */\n"
    "#ifndef N2D2_SECTION_NN_MEMORY\n#define N2D2_SECTION_NN_MEMORY\n#endif\n"
    "#ifndef N2D2_SECTION_NN_WEIGHTS\n#define N2D2_SECTION_NN_WEIGHTS\n#endif\n"
    "#ifndef N2D2_SECTION_NN_BIASSES\n#define N2D2_SECTION_NN_BIASSES\n#endif\n";

std::string code_text(const fs::path& path, const std::string& text) {
  if (path.filename() != "typedefs.h") return text;
  constexpr std::string_view kOnce = "#pragma once\n";
  const size_t at = text.find(kOnce);
  N2D2_CHECK(at != std::string::npos, "typedefs.h has no '#pragma once'");
  std::string out = text;
  return out.insert(at + kOnce.size(), kPlainSections);
}

/// The templates of a folder, filled in, by their paths in the package. Names of files are templates, too.
void add_templates(const std::string& folder, const TemplateData& data, Files& out) {
  const fs::path from = shipped("src/export/packages/templates") / folder;
  for (const auto& entry : fs::recursive_directory_iterator(from)) {
    if (!entry.is_regular_file() || entry.path().extension() != kTemplate) continue;
    std::string path = fs::relative(entry.path(), from).generic_string();
    path.resize(path.size() - kTemplate.size());
    out.emplace_back(render(path, data, path), render(read_file(entry.path()), data, path));
  }
}

Files files_of(const std::string& format, const Package& package, TemplateData data) {
  Files out, parts, of_format;
  add_templates(kParts, data, parts);
  for (const auto& [path, text] : parts) data.set(path.stem().string(), std::string(trim(text)));
  add_templates(format, data, of_format);
  for (auto& [path, text] : of_format)
    if (path == "steps.md")
      data.set("steps", std::string(trim(text)));
    else
      out.emplace_back(path, std::move(text));
  add_templates(kOfAll, data, out);
  for (const auto& [path, text] : package.files) out.emplace_back(kCode / path, code_text(path, text));
  if (!package.provenance.empty()) out.emplace_back("provenance.json", package.provenance);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

const std::vector<std::string>& package_formats() {
  static const std::vector<std::string> formats{"cmake",   "zephyr",     "idf",
                                                "arduino", "platformio", std::string(kPack)};
  return formats;
}

std::string package_identifier(std::string_view network) {
  std::string out(kPrefix);
  for (const char c : network) {
    if (is_alphanumeric(c))
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    else if (out.back() != '_')
      out += '_';
  }
  if (out.size() > kLongestName) out.resize(kLongestName);
  while (out.back() == '_') out.pop_back();
  return out.size() < kPrefix.size() ? std::string(kPrefix) + "network" : out;
}

void write_packages(const Package& package, const PackageRequest& request, FileTree& tree) {
  const std::string id = package_identifier(request.network);
  const TemplateData data = data_of(package, request);
  for (const std::string& format : request.formats) {
    const Files files = files_of(format, package, data);
    const fs::path folder = fs::path("packages") / format;
    for (const auto& [path, text] : files) tree.write(folder / id / path, text);
    if (format == kPack)
      tree.write(folder / fmt::format("N2D2.{}.{}.pack", id, kPackageVersion), zip_of(files));
  }
}

}  // namespace n2d2::exporter
