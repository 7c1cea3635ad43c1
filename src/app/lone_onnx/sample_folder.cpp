#include "sample_folder.hpp"

#include <filesystem>
#include <map>
#include <set>

#include "n2d2/base/error.hpp"
#include "n2d2/base/log.hpp"

namespace n2d2::app {

namespace {

namespace fs = std::filesystem;
using data::SampleKind;

/// Everything that was seen.
struct Seen {
  /// The first file of each kind, by name.
  std::map<SampleKind, std::string> first;
  int64_t others = 0;
  std::set<std::string> endings, labels;
  bool has_unlabelled = false;

  void add(const fs::path& file, const fs::path& root) {
    const SampleKind kind = data::sample_kind(file);
    const auto [at, is_new] = first.emplace(kind, file.string());
    if (!is_new) at->second = std::min(at->second, file.string());
    if (kind == SampleKind::None) {
      ++others;
      return;
    }
    endings.insert(data::ending_of(file));
    const fs::path below = file.lexically_relative(root);
    if (std::distance(below.begin(), below.end()) > 1)
      labels.insert(below.begin()->string());
    else
      has_unlabelled = true;
  }
};

Seen look(const std::string& option, const fs::path& root) {
  Seen seen;
  try {
    if (fs::is_regular_file(root)) {
      seen.add(root, root.parent_path());
      return seen;
    }
    if (!fs::is_directory(root))
      throw ConfigError(fmt::format("option {}: no folder '{}'", option, root.string()));
    constexpr auto kFollow = fs::directory_options::follow_directory_symlink;
    for (auto at = fs::recursive_directory_iterator(root, kFollow); at != fs::end(at); ++at) {
      if (data::is_left_by_others(at->path()))
        at.disable_recursion_pending();
      else if (at->is_regular_file())
        seen.add(at->path(), root);
    }
  } catch (const fs::filesystem_error& error) {
    throw ConfigError(fmt::format("option {}: '{}' cannot be searched: {}", option, error.path1().string(),
                                  error.code().message()));
  }
  return seen;
}

}  // namespace

SampleFolder look_through(const std::string& option, const std::string& path) {
  const Seen seen = look(option, path);
  const auto first = [&](SampleKind kind) {
    const auto at = seen.first.find(kind);
    return at == seen.first.end() ? "" : at->second;
  };
  const std::string picture = first(SampleKind::Picture), array = first(SampleKind::Array);
  if (picture.empty() && array.empty())
    throw ConfigError(fmt::format("option {}: no sample in '{}'", option, path), {},
                      "pictures (jpg, png, ppm, ...) and arrays (npy, csv, bin) are read");
  if (!picture.empty() && !array.empty())
    throw ConfigError(fmt::format("option {}: '{}' is a picture, '{}' is none", option, picture, array), {},
                      "a folder for each: they are prepared in different ways");
  if (seen.others > 0)
    log::notice("{}: files that nothing reads are left out: {}, the first is '{}'", option, seen.others,
                first(SampleKind::None));
  if (!seen.labels.empty() && seen.has_unlabelled)
    log::warn("{}: samples lie in '{}' itself, too: its folders are no labels", option, path);
  SampleFolder out;
  out.kind = picture.empty() ? SampleKind::Array : SampleKind::Picture;
  out.endings.assign(seen.endings.begin(), seen.endings.end());
  out.has_bin = seen.endings.contains("bin");
  if (!seen.has_unlabelled) out.labels.assign(seen.labels.begin(), seen.labels.end());
  return out;
}

}  // namespace n2d2::app
