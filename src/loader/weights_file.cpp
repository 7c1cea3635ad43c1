#include "n2d2/loader/weights_file.hpp"

#include <charconv>
#include <map>
#include <set>

#include "n2d2/base/durable_file.hpp"
#include "n2d2/base/log.hpp"
#include "n2d2/base/progress.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/base/staged_folder.hpp"
#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/deconv.hpp"

namespace n2d2::loader {

namespace {

namespace fs = std::filesystem;

constexpr const char* kExtension = ".syntxt";

/// One parameter of one node. `stem`: of its file. `shared`: others would have the same file by file_name()
/// alone, as the first releases named it.
struct Entry {
  graph::NodeId node;
  graph::ValueId constant;
  std::string layer, role;
  std::string stem = {};
  std::vector<std::string> shared = {};
  /// What a quantizer of the constant learnt, instead of its values.
  training::WeightQuantizer* quantizer = nullptr;
  std::span<const float> learnt = {};
  std::string name() const { return layer + "_" + role; }
};

/// Whether a name such as "features/0/conv" can be the path of its file as it is.
bool is_path(const std::string& name) {
  constexpr size_t kLongestPart = 200, kLongestPath = 1000;
  if (name.find('/') == std::string::npos || name.size() > kLongestPath) return false;
  const std::vector<std::string> parts = split(name, '/');
  return std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
    return !part.empty() && part != "." && part != ".." && part.size() <= kLongestPart &&
           file_name(part) == part && !part.ends_with(kExtension);
  });
}

void name_files(std::vector<Entry>& entries) {
  std::vector<std::string> names;
  std::map<std::string, std::set<std::string>> owners;
  for (const Entry& entry : entries) {
    names.push_back(entry.name());
    owners[file_name(entry.name())].insert(entry.layer);
  }
  const std::vector<std::string> stems = file_names(names);
  for (size_t i = 0; i < entries.size(); ++i) {
    entries[i].stem = is_path(names[i]) ? names[i] : stems[i];
    const std::set<std::string>& layers = owners.at(file_name(names[i]));
    if (layers.size() > 1) entries[i].shared.assign(layers.begin(), layers.end());
  }
}

constexpr std::string_view kSteps = "alphaW_LSQ", kMasks = "masks";

/// The constant of that name as an entry of another role.
Entry entry_of(const graph::Graph& graph, graph::ValueId constant, std::string_view role) {
  const graph::Use use = graph.value(constant).uses.front();
  return {use.node, constant, graph.node(use.node).name, std::string(role)};
}

/// Files of the graph's constants, then `more`.
std::vector<Entry> entries(const graph::Graph& graph, std::vector<Entry> more = {}) {
  std::vector<Entry> out;
  for (const graph::NodeId id : graph.nodes()) {
    const graph::Node& node = graph.node(id);
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      if (is_parameter(graph, node, slot))
        out.push_back({id, node.inputs[slot], node.name, std::string(node.op->input_role(slot))});
    }
  }
  out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  name_files(out);
  return out;
}

std::vector<Entry> entries_of(const graph::Graph& graph, const QuantizerStates& quantizers) {
  std::vector<Entry> out;
  for (const auto& [name, state] : quantizers)
    for (const auto& [role, values] : {std::pair{kSteps, &state.steps}, {kMasks, &state.mask}}) {
      if (values->empty()) continue;
      out.push_back(entry_of(graph, *graph.find_value(name), role));
      out.back().learnt = *values;
    }
  return out;
}

std::vector<Entry> entries_of(const Network& network) {
  std::vector<Entry> out;
  for (const Parameter& parameter : network.parameters) {
    if (!parameter.quantizer) continue;
    const auto [steps, mask] = parameter.quantizer->sizes();
    for (const auto& [role, count] : {std::pair{kSteps, steps}, {kMasks, mask}}) {
      if (count == 0) continue;
      out.push_back(entry_of(network.graph, parameter.constant, role));
      out.back().quantizer = parameter.quantizer.get();
    }
  }
  return out;
}

/// Which pairs of channels of a Conv or Deconv have weights.
struct Links {
  int groups = 1;
  std::span<const int> connections;
  bool is_connected(int64_t channel, int64_t output, int64_t outputs) const {
    return connections.empty() || connections[static_cast<size_t>(channel * outputs + output)] != 0;
  }
};

Links links_of(const graph::Node& node) {
  if (const auto* conv = graph::as<ops::Conv>(node)) return {conv->groups, conv->connections};
  if (const auto* deconv = graph::as<ops::Deconv>(node)) return {deconv->groups, deconv->connections};
  return {};
}

/// Where the elements of a constant stand in its file: an index into the file for each element in memory, and
/// the extents of the file. Groups and connection tables have zeros for what is not connected.
struct FileLayout {
  int64_t rows = 0, row_size = 0;
  std::vector<int64_t> index;
  int64_t values() const { return rows * row_size; }
};

FileLayout layout_of(const graph::Graph& graph, const Entry& entry) {
  const Shape& shape = graph.value(entry.constant).type.shape;
  FileLayout layout;
  if (entry.role == kSteps) {
    const bool per_output = entry.quantizer ? entry.quantizer->sizes().first > 1 : entry.learnt.size() > 1;
    layout.rows = per_output ? shape[0] : 1;
    layout.row_size = 1;
    for (int64_t i = 0; i < layout.rows; ++i) layout.index.push_back(i);
    return layout;
  }
  const graph::Node& node = graph.node(entry.node);
  const Links links = links_of(node);
  const bool by_output = entry.role == "weights" || entry.role == kMasks;
  const bool grouped = by_output && links.groups > 1;
  const int64_t channels = grouped ? graph.value(node.inputs[0]).type.shape.c() : 0;
  layout.rows = by_output ? shape[0] : shape.elements();
  layout.row_size = shape.elements() / std::max<int64_t>(1, layout.rows);
  layout.index.resize(static_cast<size_t>(shape.elements()));
  if (!grouped) {
    for (size_t i = 0; i < layout.index.size(); ++i) layout.index[i] = static_cast<int64_t>(i);
    return layout;
  }
  const int64_t kernel = shape[2] * shape[3], in_group = shape[1], out_group = shape[0] / links.groups;
  layout.row_size = channels * kernel;
  size_t i = 0;
  for (int64_t o = 0; o < shape[0]; ++o)
    for (int64_t c = 0; c < in_group; ++c)
      for (int64_t k = 0; k < kernel; ++k)
        layout.index[i++] = o * layout.row_size + ((o / out_group) * in_group + c) * kernel + k;
  return layout;
}

std::string text_of(const graph::Graph& graph, const Entry& entry) {
  const FileLayout layout = layout_of(graph, entry);
  const bool is_constant = entry.learnt.empty();
  const std::span<const float> values =
      is_constant ? graph.value(entry.constant).constant->span() : entry.learnt;
  std::vector<float> file(static_cast<size_t>(layout.values()), 0.0F);
  for (size_t i = 0; i < values.size(); ++i) file[static_cast<size_t>(layout.index[i])] = values[i];
  std::string text;
  for (int64_t row = 0, i = 0; row < layout.rows; ++row) {
    for (int64_t column = 0; column < layout.row_size; ++column, ++i) {
      if (column > 0) text += ' ';
      text += print_real(file[static_cast<size_t>(i)]);
    }
    text += '\n';
  }
  return text;
}

void make_folders(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw ConfigError("cannot be made: " + error.message(), {path.string(), 0});
}

void flush_folders(const fs::path& path) {
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_directory()) flush_folder(entry.path());
  flush_folder(path);
}

// ---- reading ---------------------------------------------------------------------------------------------

struct FileValues {
  std::vector<float> values;
  /// Set when something is not a number, or may be a part of one.
  std::optional<Diagnostic> error;
};

constexpr std::string_view kNoSuchFile = "no such file";

/// Blank-separated reals; nothing when there is no such file.
std::optional<FileValues> read_values(const fs::path& path) {
  constexpr int64_t kLargest = int64_t{1} << 34;
  std::string text;
  try {
    text = read_text_file(path, kLargest);
  } catch (const FileError& error) {
    if (error.reason == kNoSuchFile) return std::nullopt;
    FileValues unread;
    Diagnostic why;  // filled by and by: g++ 12 takes parts of a temporary one for uninitialized
    why.where.file = path.string();
    why.message = error.reason;
    unread.error = std::move(why);
    return unread;
  }
  FileValues file;
  int line = 1;
  for (const char *p = text.data(), *end = p + text.size(); p < end;) {
    if (std::isspace(static_cast<unsigned char>(*p)) != 0) {
      line += *p++ == '\n' ? 1 : 0;
      continue;
    }
    const char* stop = p;
    while (stop < end && std::isspace(static_cast<unsigned char>(*stop)) == 0) ++stop;
    float value = 0;
    const auto result = std::from_chars(*p == '+' ? p + 1 : p, stop, value);
    if (result.ec != std::errc() || result.ptr != stop || !std::isfinite(value)) {
      file.error = Diagnostic{
          {path.string(), line}, fmt::format("expected a number, got '{}'", std::string(p, stop)), {}};
      return file;
    }
    if (stop == end) {  // digits may be missing
      file.error = Diagnostic{
          {path.string(), line},
          fmt::format("the file ends in '{}', expected a line feed behind it", std::string(p, stop)),
          "was it cut off while it was written or copied?"};
      return file;
    }
    file.values.push_back(value);
    p = stop;
  }
  return file;
}

class Loader {
 public:
  Loader(graph::Graph& graph, std::vector<Entry> more, const fs::path& folder, bool ignore_missing)
      : graph_(graph),
        entries_(entries(graph, std::move(more))),
        folder_(folder),
        ignore_missing_(ignore_missing) {}

  LoadReport run() {
    std::error_code error;
    if (!fs::is_directory(folder_, error)) {
      if (!ignore_missing_) throw ConfigError("no such folder of weights", {folder_.string(), 0}, kHint);
      report_.missing = static_cast<int64_t>(entries_.size());
      return report_;
    }
    progress::Task task("Reading weights", static_cast<int64_t>(entries_.size()), "files");
    for (const Entry& entry : entries_) {
      load(entry);
      task.at(task.done() + 1);
    }
    findings_.finish<ConfigError>();
    return report_;
  }

 private:
  static constexpr const char* kHint =
      "'-w <folder>' names another folder, '-w-ignore' keeps the initial values";

  fs::path path_of(const std::string& stem) const { return folder_ / (stem + kExtension); }

  /// What names as they are would be the file of several layers: which of them wrote it last is not known.
  bool is_shared(const Entry& entry, const fs::path& path) {
    std::error_code ignored;
    if (entry.shared.empty() || !fs::exists(path, ignored)) return false;
    findings_.error({path.string(), 0},
                    fmt::format("the file may hold the {} of any of the layers '{}'", entry.role,
                                join(entry.shared, "', '")),
                    "it was written when layers could share a file; learn again");
    return true;
  }

  void load(const Entry& entry) {
    fs::path path = path_of(entry.stem);
    auto file = read_values(path);
    if (const fs::path plain = path_of(file_name(entry.name())); !file && plain != path) {
      if (is_shared(entry, plain)) return;
      path = plain;
      file = read_values(path);
    }
    if (!file && load_legacy(entry)) return;
    if (!file) {
      ++report_.missing;
      if (!ignore_missing_) findings_.error({path.string(), 0}, "no such file", kHint);
      return;
    }
    if (file->error) return findings_.error(file->error->where, file->error->message, file->error->hint);
    const FileLayout layout = layout_of(graph_, entry);
    if (static_cast<int64_t>(file->values.size()) != layout.values())
      return wrong_count(path, entry, layout.values(), file->values.size());
    if (entry.quantizer != nullptr) return restore(entry, layout, file->values, path);
    store(entry, layout, file->values, path);
  }

  /// What a quantizer learnt.
  void restore(const Entry& entry, const FileLayout& layout, const std::vector<float>& file,
               const fs::path& path) {
    training::QuantizerState state;
    state.is_started = true;
    std::vector<float>& values = entry.role == kSteps ? state.steps : state.mask;
    for (const int64_t at : layout.index) values.push_back(file[static_cast<size_t>(at)]);
    state.starts = state.steps;
    for (const float value : values) {
      const bool fits = entry.role == kSteps ? value > 0 : value == 0 || value == 1;
      if (!fits)
        return findings_.error(
            {path.string(), 0},
            fmt::format("expected {}, got '{}'",
                        entry.role == kSteps ? "steps > 0" : "0 or 1 for each weight", print_real(value)));
    }
    entry.quantizer->restore(std::move(state));
    ++report_.loaded;
  }

  void wrong_count(const fs::path& path, const Entry& entry, int64_t expected, size_t found) {
    findings_.error({path.string(), 0},
                    fmt::format("expected {} values for the {} of [{}] ({}), found {}", expected, entry.role,
                                entry.layer, graph_.value(entry.constant).type.shape.text(), found));
  }

  void store(const Entry& entry, const FileLayout& layout, std::vector<float>& file, const fs::path& path) {
    Tensor& constant = graph_.mutable_constant(entry.constant);
    const auto values = constant.span();
    const Links links = links_of(graph_.node(entry.node));
    const bool table = entry.role == "weights" && !links.connections.empty();
    const Shape& shape = constant.shape();
    int64_t ignored = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      float& value = file[static_cast<size_t>(layout.index[i])];
      const auto kernel = table ? static_cast<int64_t>(i) / (shape[2] * shape[3]) : 0;
      const bool used = !table || links.is_connected(kernel % shape[1], kernel / shape[1], shape[0]);
      ignored += !used && value != 0 ? 1 : 0;
      values[i] = used ? value : 0.0F;
      value = 0;
    }
    ++report_.loaded;
    for (const float rest : file) ignored += rest != 0 ? 1 : 0;
    if (ignored > 0)
      findings_.warn({path.string(), 0},
                     fmt::format("{} values of channels that are not connected are ignored", ignored));
  }

  /// `<layer>.syntxt`: for each output its weights, then its bias when the layer has one.
  bool load_legacy(const Entry& entry) {
    if (entry.role != "weights" && entry.role != "biases") return false;
    const fs::path path = path_of(file_name(entry.layer));
    const auto file = read_values(path);
    if (!file) return false;
    if (is_shared(entry, path)) return true;
    const std::vector<graph::ValueId>& inputs = graph_.node(entry.node).inputs;
    if (inputs.size() < 2 || graph_.op(entry.node).input_role(1) != "weights") return false;
    if (file->error) {
      findings_.error(file->error->where, file->error->message, file->error->hint);
      return true;
    }
    const FileLayout weights = layout_of(graph_, {entry.node, inputs[1], entry.layer, "weights"});
    const int64_t with_bias = inputs.size() > 2 ? 1 : 0, row = weights.row_size + with_bias;
    if (static_cast<int64_t>(file->values.size()) != weights.rows * row) {
      wrong_count(path, entry, weights.rows * row, file->values.size());
      return true;
    }
    std::vector<float> picked;
    for (int64_t o = 0; o < weights.rows; ++o) {
      const auto start = file->values.begin() + o * row;
      if (entry.role == "weights")
        picked.insert(picked.end(), start, start + weights.row_size);
      else
        picked.push_back(*(start + weights.row_size));
    }
    store(entry, layout_of(graph_, entry), picked, path);
    return true;
  }

  graph::Graph& graph_;
  const std::vector<Entry> entries_;
  const fs::path& folder_;
  bool ignore_missing_;
  Diagnostics findings_;
  LoadReport report_;
};

}  // namespace

bool is_parameter(const graph::Graph& graph, const graph::Node& node, size_t slot) {
  const std::string_view role = node.op->input_role(slot);
  // The classes of a TargetBias are of one batch.
  return !role.empty() && role != "classes" && graph.value(node.inputs[slot]).is_constant();
}

void save_weights(const graph::Graph& graph, const fs::path& folder, const QuantizerStates& quantizers) {
  try {
    StagedFolder staged(folder);
    for (const Entry& entry : entries(graph, entries_of(graph, quantizers))) {
      const fs::path path = staged.fresh() / (entry.stem + kExtension);
      make_folders(path.parent_path());
      write_durably(path, text_of(graph, entry));
    }
    flush_folders(staged.fresh());
    staged.commit();
    flush_folder(folder.has_parent_path() ? folder.parent_path() : fs::path("."));
  } catch (const FolderError& error) {
    throw ConfigError(error.reason, {error.path.string(), 0}, error.hint);
  }
}

LoadReport load_weights(graph::Graph& graph, const fs::path& folder, bool ignore_missing) {
  return Loader(graph, {}, folder, ignore_missing).run();
}

LoadReport load_weights(Network& network, const fs::path& folder, bool ignore_missing) {
  return Loader(network.graph, entries_of(network), folder, ignore_missing).run();
}

}  // namespace n2d2::loader
