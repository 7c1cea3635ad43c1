#include "parts.hpp"

#include <algorithm>
#include <set>

#include "n2d2/base/text.hpp"

namespace n2d2::targets::cpp {

namespace fs = std::filesystem;

using exporter::TemplateData;

namespace {

/// Where the export's files lie seen from a delegate's run time (in the source tree; in a module), and in a
/// project.
constexpr std::pair<std::string_view, std::string_view> kPaths[] = {
    {"../../../../export/CPP/delegates/", "../"},
    {"../../../../export/CPP/kernels/", "../../include/kernels/"},
    {"\"delegates/", "\"../"},
};

using delegates::RunTimeFile;

std::set<std::string> delegates_of(const std::vector<PartText>& parts) {
  std::set<std::string> out;
  for (const PartText& text : parts) out.insert(text.part->delegate);
  return out;
}

std::vector<RunTimeFile> shipped_run_time(const std::string& delegate) {
  const fs::path folder = exporter::shipped("src/delegates") / delegate / "runtime";
  if (!fs::is_directory(folder))
    throw ExportError(fmt::format("export CPP: delegate '{}' has no run time", delegate),
                      {folder.string(), 0});
  std::vector<RunTimeFile> out;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file())
      out.push_back({entry.path().filename().string(), exporter::read_file(entry.path())});
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

/// Returns the run-time files of a delegate that computes one of the parts. ExportError where a file is not a
/// .cpp, .hpp or .h file without a folder in its name.
std::vector<RunTimeFile> run_time_of(const std::vector<PartText>& parts, const std::string& delegate) {
  const auto part = std::find_if(parts.begin(), parts.end(),
                                 [&](const PartText& text) { return text.part->delegate == delegate; });
  std::vector<RunTimeFile> out = part->part->run_time;
  if (out.empty()) out = shipped_run_time(delegate);
  for (const RunTimeFile& file : out) {
    const fs::path name(file.name), type = name.extension();
    if (name.has_parent_path() || (type != ".cpp" && type != ".hpp" && type != ".h"))
      throw ExportError(
          fmt::format("export CPP: delegate '{}': expected a name of a .cpp, .hpp or .h file of "
                      "its run time, got '{}'",
                      delegate, file.name));
  }
  return out;
}

using LayerIdentifiers = std::map<std::string, std::string>;

std::string begin_text(const PartText& text, const std::string& export_namespace) {
  const std::string blob = fmt::format("cells::{}_blob", text.identifier);
  const auto init = [&](const std::string& bytes) {
    return fmt::format("{}_{}_init({}_handle({}), {}, sizeof {})", export_namespace, text.part->delegate,
                       text.identifier, kArenasArgument, bytes, bytes);
  };
  const std::string plain = fmt::format("  return {};\n", init(blob));
  if (text.part->blob->lasts) return plain;
  return fmt::format(
      "#ifdef CHECK_MEMORY\n"
      "  // The delegate says that its blob may be overwritten after init.\n"
      "  alignas(16) static uint8_t copy[sizeof {0}];\n"
      "  for (size_t i = 0; i < sizeof copy; ++i) copy[i] = {0}[i];\n"
      "  const int code = {1};\n"
      "  for (size_t i = 0; i < sizeof copy; ++i) copy[i] = kPattern;\n"
      "  return code;\n"
      "#else\n{2}#endif\n",
      blob, init("copy"), plain);
}

std::string layers_text(const delegates::Blob& blob, const LayerIdentifiers& identifiers) {
  std::string out;
  for (const auto& [handle, layers] : blob.layers) {
    std::vector<std::string> names;
    for (const std::string& layer : layers) names.push_back(identifiers.at(layer));
    out += fmt::format("    case {}:\n      return N2D2_NAME(\"{}\");\n", handle, join(names, "+"));
  }
  return out;
}

template <class Options>
std::string options_of(const std::vector<PartText>& parts, Options options) {
  std::set<std::string> out;
  for (const PartText& text : parts)
    for (const std::string& option : options(*text.part->blob)) out.insert(option);
  return join(std::vector<std::string>(out.begin(), out.end()), " ");
}

}  // namespace

std::string part_functions(const std::vector<PartText>& parts, const std::string& export_namespace) {
  if (parts.empty()) return {};
  std::string out = "#include \"../../delegates/delegate.h\"\n\nextern \"C\" {\n";
  for (const std::string& delegate : delegates_of(parts)) {
    const std::string name = export_namespace + "_" + delegate;
    out += fmt::format("int {}_init(void* handle, const void* blob, size_t size);\n", name);
    out +=
        fmt::format("int {}_execute(void* handle, const {}_Arguments* arguments);\n", name, export_namespace);
    const bool is_destroyed = std::any_of(parts.begin(), parts.end(), [&](const PartText& text) {
      return text.part->delegate == delegate && text.part->is_destroyed;
    });
    if (is_destroyed) out += fmt::format("void {}_destroy(void* handle);\n", name);
  }
  return out + "}\n\n";
}

std::vector<PartText> find_parts(const ProjectText& text) {
  std::vector<PartText> out;
  for (const delegates::HandedPart& part : text.network().parts)
    for (const program::Call& call : text.program().calls)
      if (!call.is_source() && text.program().node(call).name == part.node)
        out.push_back({&part, text.network().identifiers.at(part.node),
                       text.arena_address(call.state.value()),
                       call.scratch ? text.arena_address(*call.scratch) : "0"});
  return out;
}

TemplateData parts_data(const std::vector<PartText>& parts, const ProjectText& project) {
  const std::string& export_namespace = project.network().options.parameters.namespace_name;
  TemplateData::List list;
  std::string ends;
  for (const PartText& text : parts) {
    const auto index = static_cast<int64_t>(list.size());
    list.push_back(TemplateData()
                       .set("index", index)
                       .set("identifier", text.identifier)
                       .set("handle", text.handle)
                       .set("begin", begin_text(text, export_namespace))
                       .set("layers", layers_text(*text.part->blob, project.network().identifiers)));
    if (text.part->is_destroyed)
      ends += fmt::format("  if (begun > {}) {}_{}_destroy({}_handle({}));\n", index, export_namespace,
                          text.part->delegate, text.identifier, kArenasArgument);
  }
  return TemplateData().set("ends", ends).set_list("parts", std::move(list));
}

std::vector<std::pair<fs::path, std::string>> part_files(const std::vector<PartText>& parts) {
  std::vector<std::pair<fs::path, std::string>> out;
  if (parts.empty()) return out;
  out.emplace_back("delegates/delegate.h",
                   exporter::read_file(exporter::shipped("export/CPP/delegates") / "delegate.h"));
  for (const std::string& delegate : delegates_of(parts))
    for (auto& [name, text] : run_time_of(parts, delegate)) {
      for (const auto& [from, to] : kPaths)
        for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
          text.replace(at, from.size(), to);
      out.emplace_back(fs::path("delegates") / delegate / name, std::move(text));
    }
  return out;
}

std::string part_sources(const std::vector<PartText>& parts) {
  if (parts.empty()) return {};
  std::string out;
  for (const std::string& delegate : delegates_of(parts))
    for (const RunTimeFile& file : run_time_of(parts, delegate))
      if (fs::path(file.name).extension() == ".cpp")
        out += fmt::format(" \\\n  delegates/{}/{}", delegate, file.name);
  out += "\nDELEGATE_FLAGS = " + options_of(parts, [](const auto& blob) { return blob.compile_options; });
  return out + "\nDELEGATE_LIBS = " + options_of(parts, [](const auto& blob) { return blob.link_options; });
}

}  // namespace n2d2::targets::cpp
