#include "project_writer.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "n2d2/base/log.hpp"
#include "n2d2/base/progress.hpp"
#include "n2d2/export/file_tree.hpp"
#include "n2d2/export/graph_files.hpp"
#include "n2d2/targets/footprint.hpp"

#include "c_interface.hpp"
#include "cell_text.hpp"
#include "choose/choose_forms.hpp"
#include "driver_files.hpp"
#include "env_text.hpp"
#include "forms_text.hpp"
#include "forward_text.hpp"
#include "memory_text.hpp"
#include "package_files.hpp"
#include "readme.hpp"
#include "report.hpp"
#include "self_test_text.hpp"
#include "stimuli.hpp"

namespace n2d2::targets::cpp {

namespace fs = std::filesystem;

using exporter::FileTree;
using exporter::TemplateData;

namespace {

using program::Call;
using program::Cell;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

const fs::path kKernelFolder = fs::path("include") / "kernels";

/// What the kernels' own namespace is where nobody says; an export says.
constexpr std::string_view kNamespaceDefault =
    "#ifndef N2D2_EXPORT_NAMESPACE\n#define N2D2_EXPORT_NAMESPACE N2D2_Export\n#endif\n\n";

class ProjectWriter {
 public:
  ProjectWriter(const PlannedNetwork& network, FileTree& tree)
      : network_(network),
        program_(network.program()),
        text_(network),
        kernels_(exporter::kernel_sources()),
        tree_(tree),
        driver_(network.options.platform.driver_folder),
        parts_(find_parts(text_)) {}

  void write(const exporter::Samples& samples) {
    copy_static();
    const size_t count = samples.stimuli.size();
    const std::string first =
        count == 0 ? "" : "stimuli/" + stimulus_name(0, count, network_.input_type().shape.c());
    tree_.write("README.md", with_namespace(readme(network_, samples.about, first)));
    for (const auto& [path, text] : part_files(parts_)) put(path, with_namespace(text));
    write_headers(samples);
    write_cells();
    put("dnn/src/forward.cpp", forward_source(text_, parts_));
    put("dnn/src/instance.cpp", instance_source(text_));
    put("dnn/src/forms.cpp", forms_source(text_));
    write_kernels();
    write_stimuli(network_, samples.stimuli, tree_);
    write_references(samples);
    write_memory_report(network_, tree_);
    tree_.write("statistics/kernels.csv", forms_csv(forms_of_calls(program_, network_.why)));
    if (const auto& of_platform = network_.options.platform.footprint)
      tree_.write("statistics/instructions.csv", instructions_csv(of_platform(program_)));
    for (const auto& [path, content] : exporter::graph_files(program_.graph)) tree_.write(path, content);
    if (is_packaged()) write_packages(text_, sources_of_both_, code_, samples, tree_);
  }

 private:
  /// Writes a source, and remembers the headers of kernels that it includes.
  void put(const fs::path& path, const std::string& text) {
    const fs::path place = driver_.place(path);
    for (const std::string& included : included_by(text))
      if (const fs::path header = (path.parent_path() / included).lexically_normal();
          header.parent_path() == kKernelFolder)
        needed_.insert(header.filename().string());
    write_code(place, driver_.text(path, text));
  }

  bool is_packaged() const { return !network_.options.packages.formats.empty(); }

  void write_code(const fs::path& path, const std::string& text) {
    tree_.write(path, text);
    if (is_packaged()) code_[path] = text;
  }

  /// The namespace is put in by name: two exports share no file that compilers could take for one. Files of
  /// the platform replace those of CPP.
  void copy_static() {
    std::map<fs::path, fs::path> files;
    std::vector<fs::path> folders{"src/targets/cpp/static"};
    if (const fs::path& own = network_.options.platform.static_folder; !own.empty()) folders.push_back(own);
    for (const fs::path& folder : folders) {
      const fs::path from = exporter::shipped(folder);
      for (const auto& entry : fs::recursive_directory_iterator(from))
        if (entry.is_regular_file()) files[fs::relative(entry.path(), from)] = entry.path();
    }
    files.erase("README.md");  // readme() fills it in
    if (!network_.options.platform.driver_folder.empty())
      for (const char* of_dispatch : {"src/dispatch.cpp", "src/dispatched.cpp"}) files.erase(of_dispatch);
    for (const auto& [path, from] : files) put(path, with_namespace(exporter::read_file(from)));
  }

  /// Writes the headers that the written sources include, and those that these include, and so on.
  void write_kernels() {
    std::vector<fs::path> folders{variants(), kernels_};
    for (const fs::path& folder : network_.options.platform.kernel_folders)
      folders.push_back(exporter::shipped(folder));
    std::map<std::string, std::string> texts = brought_kernels(folders);
    std::set<std::string> written;
    while (!needed_.empty()) {
      const std::string name = *needed_.begin();
      needed_.erase(needed_.begin());
      if (!written.insert(name).second) continue;
      const auto brought = texts.find(name);
      const std::string text = name == "isa.hpp"        ? isa_of_export()
                               : brought != texts.end() ? brought->second
                                                        : kernel_text(folders, name);
      for (const std::string& included : included_by(text)) needed_.insert(included);
      write_code(kKernelFolder / name, text);
    }
  }

  std::string kernel_text(const std::vector<fs::path>& folders, const std::string& name) const {
    for (const fs::path& folder : folders)
      if (fs::exists(folder / name)) return with_namespace(exporter::read_file(folder / name));
    throw InternalError(fmt::format("no folder of kernels has '{}'", name), __FILE__, __LINE__);
  }

  bool is_for_size() const { return network_.options.parameters.optimize == Optimize::Size; }
  /// Every kernel reads it first, so that all sources of a program agree. On a machine whose forms are not in
  /// the project, layers run in their portable forms, which read weights in the plain order.
  std::string isa_of_export() const {
    std::string text = with_namespace(exporter::read_file(kernels_ / "isa.hpp"));
    std::string defines = is_for_size() ? "#define N2D2_ONE_COPY\n#define N2D2_FEW_TILES\n" : "";
    const Machine machine = network_.options.parameters.machine;
    if (const std::string others = condition_of_others(machine); !others.empty())
      defines += fmt::format(
          "// Target={}: the project has no other forms for this machine.\n"
          "#if {} && !defined(N2D2_PORTABLE)\n#define N2D2_PORTABLE\n#endif\n",
          ValueText<Machine>::print(machine), others);
    if (!defines.empty()) replace_all(text, "#pragma once\n", "#pragma once\n\n" + defines);
    return text;
  }

  /// Holds in a compiler for a machine that is not the Target; empty: there is none.
  static std::string condition_of_others(Machine machine) {
    switch (machine) {
      case Machine::Generic:
        return "";
      case Machine::X86:
        return "!defined(__x86_64__) && !defined(__i386__)";
      case Machine::Arm64:
        return "!defined(__aarch64__)";
      case Machine::CortexM:
        return "!(defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M')";
    }
    return "";
  }

  /// The headers that pick forms of the Target.
  fs::path variants() const {
    return exporter::export_variants() / ValueText<Machine>::print(network_.options.parameters.machine);
  }

  /// Headers of the kernels that modules brought, by name. ExportError where another file has the name.
  std::map<std::string, std::string> brought_kernels(const std::vector<fs::path>& folders) const {
    std::map<std::string, std::string> out;
    std::map<std::string, const program::Kernel*> written;
    for (const Call& call : program_.calls) {
      const program::Kernel& kernel = *call.kernel;
      if (kernel.header_text().empty()) continue;
      const std::string header(kernel.header());
      const auto [place, fresh] = written.emplace(header, &kernel);
      const bool is_taken = std::any_of(folders.begin(), folders.end(),
                                        [&](const fs::path& folder) { return fs::exists(folder / header); });
      if (is_taken || (!fresh && place->second->header_text() != kernel.header_text()))
        throw ExportError(fmt::format("{}: kernel '{}': another file is called '{}'",
                                      network_.options.platform.subject(), kernel.name(), header),
                          {}, "name the header after the kernel");
      out[header] = with_namespace(std::string(kernel.header_text()));
    }
    return out;
  }

  std::string with_namespace(std::string text) const {
    replace_all(text, kNamespaceDefault, "");
    replace_all(text, "N2D2_EXPORT_NAMESPACE", network_.options.parameters.namespace_name);
    replace_all(text, "N2D2_Export", network_.options.parameters.namespace_name);
    return text;
  }

  void write_headers(const exporter::Samples& samples) {
    const int unsigned_data = is_unsigned(network_.input_type().dtype) ? 1 : 0;
    put("include/params.h", text_.fill("params", TemplateData()
                                                     .set("bits", int64_t{network_.options.bits})
                                                     .set("unsigned_data", int64_t{unsigned_data})));
    put("dnn/include/env.hpp", env_header(text_, samples.pixels));
    put("dnn/include/mem_info.hpp", memory_header(text_));
    for (const auto& [path, content] : c_interface(text_, samples.pixels)) put(path, content);
    put("dnn/src/labels.cpp", labels_source(text_, samples.labels));
    if (const std::string header = stream_header(text_, samples.pixels); !header.empty())
      put("include/Stream.hpp", header);
    sources_of_both_ = {"dnn/src/common_c.cpp", "dnn/src/labels.cpp"};
    if (const std::string source = quantize_input_source(text_, samples.pixels); !source.empty()) {
      put("dnn/src/quantize_input.cpp", source);
      sources_of_both_.emplace_back("dnn/src/quantize_input.cpp");
    }
    const Tensor sample = samples.stimuli.empty() ? any_sample(network_) : samples.stimuli.front().input;
    if (const std::string source = self_test_source(text_, samples.judge, sample); !source.empty()) {
      put("dnn/src/self_test.cpp", source);
      sources_of_both_.emplace_back("dnn/src/self_test.cpp");
    }
    write_sources();
  }

  /// What the static form, the instances, and both of them are compiled of.
  void write_sources() {
    std::string both = "# " + text_.generated() + "\nSOURCES_OF_BOTH = " + join(sources_of_both_, " ");
    for (const Cell& cell : program_.cells)
      if (!text_.constants_of(cell).empty()) {
        sources_of_both_.push_back("dnn/src/cells/" + cell.identifier + ".cpp");
        both += " \\\n  " + sources_of_both_.back();
      }
    both += part_sources(parts_);
    const Platform& platform = network_.options.platform;
    // A Makefile that builds the driver beside the network names these itself.
    const std::string of_network =
        platform.driver_folder.empty() ? "" : " src/Network.cpp src/network_c.cpp src/softmax.cpp";
    const std::string of_instances = platform.driver_folder.empty() ? "" : " src/Network.cpp src/softmax.cpp";
    both += "\nSOURCES = dnn/src/forward.cpp $(SOURCES_OF_BOTH)" + of_network +
            "\nINSTANCE_SOURCES = dnn/src/instance.cpp dnn/src/instance_c.cpp $(SOURCES_OF_BOTH)" +
            of_instances;
    if (network_.options.parameters.check_memory) both += "\nCHECK_MEMORY ?= 1";
    if (is_for_size()) both += "\nOPTIMIZE ?= -Os";
    tree_.write("sources.mk", both + "\n" + platform.make_lines);
  }

  void write_cells() {
    for (const Cell& cell : program_.cells) {
      const CellText files = cell_text(text_, cell);
      put("dnn/include/cells/" + cell.identifier + ".hpp", files.header);
      if (!files.source.empty()) put("dnn/src/cells/" + cell.identifier + ".cpp", files.source);
    }
  }

  /// Dumps of every layer for the first stimuli, in the form the program writes them. As many as nobody asked
  /// for end at a size.
  void write_references(const exporter::Samples& samples) {
    const std::span<const Stimulus> stimuli = samples.stimuli;
    const int asked = network_.options.parameters.reference_stimuli;
    const auto count = std::min<size_t>(stimuli.size(), static_cast<size_t>(asked));
    const size_t most = asked == kUsualReferences ? kUsualReferenceBytes : std::numeric_limits<size_t>::max();
    const int64_t channels = network_.input_type().shape.c();
    size_t written = 0, bytes = 0;
    progress::Task task("Computing references", static_cast<int64_t>(count), "stimuli");
    for (; written < count; ++written) {
      task.at(static_cast<int64_t>(written));
      const fs::path folder =
          fs::path("reference") / fs::path(stimulus_name(written, stimuli.size(), channels)).stem();
      std::vector<std::pair<fs::path, std::string>> files;
      size_t size = 0;
      for (const LayerOutput& layer : judged_layers(network_, samples.judge, stimuli[written].input)) {
        files.emplace_back(folder / (layer.cell + ".txt"), dump_text(layer.tensor));
        size += files.back().second.size();
      }
      if (written > 0 && bytes + size > most) break;
      for (const auto& [path, text] : files) tree_.write(path, text);
      bytes += size;
    }
    if (written < stimuli.size())
      log::info("Reference: outputs of all layers for {} of {} stimuli, {:.2f} MiB (ReferenceStimuli)",
                written, stimuli.size(), static_cast<double>(bytes) / (1 << 20));
  }

  const PlannedNetwork& network_;
  const program::Program& program_;
  ProjectText text_;
  fs::path kernels_;
  FileTree& tree_;
  DriverFiles driver_;
  std::vector<PartText> parts_;
  std::vector<std::string> sources_of_both_;  ///< that static form and instances are compiled of
  std::map<fs::path, std::string> code_;      ///< files of code that are written, where packages take them
  std::set<std::string> needed_;              ///< headers of kernels that are not written yet
};

}  // namespace

void write_project(const PlannedNetwork& network, const exporter::Samples& samples, FileTree& tree) {
  ProjectWriter(network, tree).write(samples);
}

}  // namespace n2d2::targets::cpp
